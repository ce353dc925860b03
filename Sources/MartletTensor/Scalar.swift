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

extension Scalar {
  /// Whether an element of the type can hold the number, up to rounding. A negative integer fits an unsigned type that holds its magnitude;
  /// infinities and NaN fit every floating-point type.
  package func fits(_ dtype: DType) -> Bool {
    switch (self, dtype) {
    case (.bool, _), (_, .bool), (_, .complex64), (_, .complex128): true
    case (.int(let value), .int8): Int8(exactly: value) != nil
    case (.int(let value), .int16): Int16(exactly: value) != nil
    case (.int(let value), .int32): Int32(exactly: value) != nil
    case (.int(let value), .uint8): UInt8(exactly: value.magnitude) != nil
    case (.int(let value), .uint16): UInt16(exactly: value.magnitude) != nil
    case (.int(let value), .uint32): UInt32(exactly: value.magnitude) != nil
    case (.int(let value), .float16): value.magnitude <= 65504
    case (.int, .int64), (.int, .uint64), (.int, .float32), (.int, .float64), (.int, .bfloat16): true
    case (.double(let value), .float32): !(value.magnitude.isFinite && value.magnitude > Double(Float.greatestFiniteMagnitude))
    case (.double(let value), .float16): !(value.magnitude.isFinite && value.magnitude > 65504)
    case (.double(let value), .bfloat16): !(value.magnitude.isFinite && value.magnitude > 0x1.fep127)
    case (.double, .float64): true
    case (.double(let value), .uint64): UInt64(exactly: value.magnitude.rounded(.towardZero)) != nil
    case (.double, _): intValue.map { Scalar.int($0).fits(dtype) } ?? false
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
