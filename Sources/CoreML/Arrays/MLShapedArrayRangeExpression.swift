/// Selects elements along one axis of a shaped array: an index, which removes the axis, or a range, which keeps it.
public protocol MLShapedArrayRangeExpression {}

extension Int: MLShapedArrayRangeExpression {}
extension Range: MLShapedArrayRangeExpression where Bound == Int {}
extension ClosedRange: MLShapedArrayRangeExpression where Bound == Int {}
extension PartialRangeFrom: MLShapedArrayRangeExpression where Bound == Int {}
extension PartialRangeUpTo: MLShapedArrayRangeExpression where Bound == Int {}
extension PartialRangeThrough: MLShapedArrayRangeExpression where Bound == Int {}

extension AxisRange {
  /// - Precondition: the expression is an integer or a range of integers.
  init(_ expression: any MLShapedArrayRangeExpression) {
    switch expression {
    case let index as Int: self = .index(index)
    case let range as Range<Int>: self = .range(range)
    case let range as ClosedRange<Int>: self = .range(Range(range))
    case let range as PartialRangeFrom<Int>: self = .from(range.lowerBound)
    case let range as PartialRangeUpTo<Int>: self = .range(0..<range.upperBound)
    case let range as PartialRangeThrough<Int>: self = .range(0..<range.upperBound + 1)
    default: preconditionFailure("\(expression) is not an index or range of integers")
    }
  }
}
