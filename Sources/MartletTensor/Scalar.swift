/// The kinds of non-tensor values that take part in computations.
package enum ScalarKind: UInt8, Sendable, Hashable {
  case int, double, bool
}

/// A scalar known when a graph is built or planned.
package enum Scalar: Sendable, Hashable {
  case int(Int64)
  case double(Double)
  case bool(Bool)

  package var kind: ScalarKind {
    switch self {
    case .int: .int
    case .double: .double
    case .bool: .bool
    }
  }

  package var doubleValue: Double {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    case .bool(let value): value ? 1 : 0
    }
  }

  /// The value truncated to an integer; nil for NaN and values out of range.
  package var intValue: Int64? {
    switch self {
    case .int(let value): value
    case .double(let value): Int64(exactly: value.rounded(.towardZero))
    case .bool(let value): value ? 1 : 0
    }
  }

  package var boolValue: Bool {
    switch self {
    case .int(let value): value != 0
    case .double(let value): value != 0
    case .bool(let value): value
    }
  }

  /// The 64-bit representation in a scalar slot: two's complement, IEEE 754 or 0/1.
  package var bits: UInt64 {
    switch self {
    case .int(let value): UInt64(bitPattern: value)
    case .double(let value): value.bitPattern
    case .bool(let value): value ? 1 : 0
    }
  }

  package init(kind: ScalarKind, bits: UInt64) {
    switch kind {
    case .int: self = .int(Int64(bitPattern: bits))
    case .double: self = .double(Double(bitPattern: bits))
    case .bool: self = .bool(bits != 0)
    }
  }
}

extension Scalar: CustomStringConvertible {
  package var description: String {
    switch self {
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .bool(let value): "\(value)"
    }
  }
}
