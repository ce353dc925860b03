import MartletVocabulary

/// An element type that supports in-place combination with another value of the type.
protocol Combinable: BitwiseCopyable {
  /// The result in the type's own precision; integers wrap around. Nil for an integer division by zero.
  static func combined(_ a: Self, _ b: Self, _ combination: Combination) -> Self?
}

extension Combinable where Self: FixedWidthInteger {
  @inline(__always)
  static func combined(_ a: Self, _ b: Self, _ combination: Combination) -> Self? {
    switch combination {
    case .update: return b
    case .add: return a &+ b
    case .subtract: return a &- b
    case .multiply: return a &* b
    case .divide: return b == 0 ? nil : a.dividedReportingOverflow(by: b).partialValue
    case .maximum: return a > b ? a : b
    case .minimum: return a < b ? a : b
    }
  }
}

extension Combinable where Self: BinaryFloatingPoint {
  @inline(__always)
  static func combined(_ a: Self, _ b: Self, _ combination: Combination) -> Self? {
    switch combination {
    case .update: b
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    case .maximum: a.isNaN || a > b ? a : b
    case .minimum: a.isNaN || a < b ? a : b
    }
  }
}

extension Float: Combinable {}
extension Double: Combinable {}
extension Float16: Combinable {}
extension Int8: Combinable {}
extension Int16: Combinable {}
extension Int32: Combinable {}
extension Int64: Combinable {}
extension UInt8: Combinable {}
extension UInt16: Combinable {}
extension UInt32: Combinable {}
extension UInt64: Combinable {}
