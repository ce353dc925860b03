import Martlet

/// An expression that selects a part of a dimension: an `Int`, a range, or one of the static members.
public protocol MLTensorRangeExpression: Sendable {
  var _tensorRange: _TensorRange { get }
}

/// A part of a dimension, or a change of the dimensions.
public struct _TensorRange: MLTensorRangeExpression {
  enum Kind {
    /// All dimensions that no other range selects from.
    case rest
    case newAxis
    case squeezeAxis
    case index(Int)
    /// Positions from `start` to `end`, including `end` or not. Nil stands for the end of the dimension.
    case stretch(start: Int?, end: Int?, includesEnd: Bool, stride: Int)
  }

  let kind: Kind
  public var _tensorRange: _TensorRange { self }
}

extension Int: MLTensorRangeExpression {
  public var _tensorRange: _TensorRange { _TensorRange(kind: .index(self)) }
}

extension Range: MLTensorRangeExpression where Bound == Int {
  public var _tensorRange: _TensorRange {
    _TensorRange(kind: .stretch(start: lowerBound, end: upperBound, includesEnd: false, stride: 1))
  }
}

extension ClosedRange: MLTensorRangeExpression where Bound == Int {
  public var _tensorRange: _TensorRange {
    _TensorRange(kind: .stretch(start: lowerBound, end: upperBound, includesEnd: true, stride: 1))
  }
}

extension PartialRangeFrom: MLTensorRangeExpression where Bound == Int {
  public var _tensorRange: _TensorRange { _TensorRange(kind: .stretch(start: lowerBound, end: nil, includesEnd: false, stride: 1)) }
}

extension PartialRangeUpTo: MLTensorRangeExpression where Bound == Int {
  public var _tensorRange: _TensorRange { _TensorRange(kind: .stretch(start: nil, end: upperBound, includesEnd: false, stride: 1)) }
}

extension PartialRangeThrough: MLTensorRangeExpression where Bound == Int {
  public var _tensorRange: _TensorRange { _TensorRange(kind: .stretch(start: nil, end: upperBound, includesEnd: true, stride: 1)) }
}

extension MLTensorRangeExpression where Self == _TensorRange {
  /// All dimensions that no other range selects from, as `...` does.
  public static var fillAll: any MLTensorRangeExpression { _TensorRange(kind: .rest) }

  /// A new dimension of extent 1.
  public static var newAxis: any MLTensorRangeExpression { _TensorRange(kind: .newAxis) }

  /// Removes a dimension of extent 1.
  public static var squeezeAxis: any MLTensorRangeExpression { _TensorRange(kind: .squeezeAxis) }

  /// Selects one position and removes the dimension.
  public static func index(_ index: Int) -> any MLTensorRangeExpression { _TensorRange(kind: .index(index)) }

  /// Every `stride`-th position of a range.
  public static func range(_ range: Range<Int>, stride: Int = 1) -> any MLTensorRangeExpression {
    _TensorRange(kind: .stretch(start: range.lowerBound, end: range.upperBound, includesEnd: false, stride: stride))
  }

  /// Every `stride`-th position of a range.
  public static func closedRange(_ range: ClosedRange<Int>, stride: Int = 1) -> any MLTensorRangeExpression {
    _TensorRange(kind: .stretch(start: range.lowerBound, end: range.upperBound, includesEnd: true, stride: stride))
  }

  /// Every `stride`-th position from the lower bound.
  public static func partialRangeFrom(_ range: PartialRangeFrom<Int>, stride: Int = 1) -> any MLTensorRangeExpression {
    _TensorRange(kind: .stretch(start: range.lowerBound, end: nil, includesEnd: false, stride: stride))
  }

  /// Every `stride`-th position below the upper bound.
  public static func partialRangeUpTo(_ range: PartialRangeUpTo<Int>, stride: Int = 1) -> any MLTensorRangeExpression {
    _TensorRange(kind: .stretch(start: nil, end: range.upperBound, includesEnd: false, stride: stride))
  }

  /// Every `stride`-th position through the upper bound.
  public static func partialRangeUpTo(_ range: PartialRangeThrough<Int>, stride: Int = 1) -> any MLTensorRangeExpression {
    _TensorRange(kind: .stretch(start: nil, end: range.upperBound, includesEnd: true, stride: stride))
  }
}

extension MLTensor {
  /// Selects a part of the first dimensions. Nil selects a whole dimension, and negative positions count from the end.
  /// - Precondition: there are not more ranges than dimensions, and indices are in range.
  public subscript(ranges: (any MLTensorRangeExpression)?...) -> MLTensor { sliced(ranges) }

  /// Selects a part of the last dimensions.
  public subscript(firstRange: UnboundedRange, trailingRanges: (any MLTensorRangeExpression)?...) -> MLTensor {
    sliced([.fillAll] + trailingRanges)
  }

  /// Selects a part of the first and the last dimensions.
  public subscript(
    firstRange: (any MLTensorRangeExpression)?, secondRange: UnboundedRange, trailingRanges: (any MLTensorRangeExpression)?...
  ) -> MLTensor { sliced([firstRange, .fillAll] + trailingRanges) }

  /// Selects a part of the first and the last dimensions.
  public subscript(
    firstRange: (any MLTensorRangeExpression)?, secondRange: (any MLTensorRangeExpression)?, thirdRange: UnboundedRange,
    trailingRanges: (any MLTensorRangeExpression)?...
  ) -> MLTensor { sliced([firstRange, secondRange, .fillAll] + trailingRanges) }

  /// Selects a part of the first and the last dimensions.
  public subscript(
    firstRange: (any MLTensorRangeExpression)?, secondRange: (any MLTensorRangeExpression)?,
    thirdRange: (any MLTensorRangeExpression)?, fourthRange: UnboundedRange, trailingRanges: (any MLTensorRangeExpression)?...
  ) -> MLTensor { sliced([firstRange, secondRange, thirdRange, .fillAll] + trailingRanges) }

  private func sliced(_ ranges: [(any MLTensorRangeExpression)?]) -> MLTensor {
    let kinds = ranges.map { $0?._tensorRange.kind ?? .stretch(start: nil, end: nil, includesEnd: false, stride: 1) }
    let used = kinds.count { kind in
      switch kind {
      case .rest, .newAxis: false
      case .squeezeAxis, .index, .stretch: true
      }
    }
    require(used <= rank, "MLTensor.subscript: \(used) ranges for the shape \(shape)")
    require(
      kinds.count { if case .rest = $0 { true } else { false } } <= 1,
      "MLTensor.subscript: more than one range stands for all other dimensions")
    var result = self
    var axis = 0
    for kind in kinds {
      switch kind {
      case .rest: axis += rank - used
      case .newAxis:
        result = result.expandingShape(at: axis)
        axis += 1
      case .squeezeAxis:
        require(result.shape[axis] == 1, "MLTensor.subscript: axis \(axis) of the shape \(result.shape) is not of extent 1")
        result = result.squeezingShape(at: axis)
      case .index(let index):
        let extent = result.shape[axis]
        require(
          index >= -extent && index < extent, "MLTensor.subscript: index \(index) is out of range for an extent of \(extent)")
        let part = result.expression
        result = .result("subscript") { try part.selected(axis: axis, index: index < 0 ? index + extent : index) }
      case .stretch(let start, let end, let includesEnd, let stride):
        result = result.stretch(axis, start, end, includesEnd, stride)
        axis += 1
      }
    }
    return result
  }

  /// Every `stride`-th position of a range of an axis. The ends of the range are clamped to the axis. A negative stride runs backward
  /// from the end of the range.
  private func stretch(_ axis: Int, _ start: Int?, _ end: Int?, _ includesEnd: Bool, _ stride: Int) -> MLTensor {
    require(stride != 0, "MLTensor.subscript: a stride of 0")
    let extent = shape[axis]
    func place(_ position: Int) -> Int { Swift.min(Swift.max(position < 0 ? position + extent : position, 0), extent) }
    let first = start.map(place) ?? 0
    var last = extent
    // The position after the last one is the end. As -1 denotes the last position, -1 + 1 would denote the first.
    if let end { last = !includesEnd ? place(end) : end == -1 || end >= extent ? extent : place(end + 1) }
    let length = Swift.max(last - first, 0)
    guard stride < 0 else {
      return part(axis, first, (length + stride - 1) / stride, step: stride, "subscript")
    }
    let whole = part(axis, first, length, "subscript").reversed(alongAxes: [axis])
    return whole.part(axis, 0, (length - stride - 1) / -stride, step: -stride, "subscript")
  }
}
