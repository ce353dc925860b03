import MartletGraph
import MartletTensor

/// Rules shared by operators.
extension SymbolicOperands {
  /// The extents of an operand with that of `axis` replaced; nil if it has no such axis.
  func shape(_ index: Int, replacing axis: Int, by extent: SymbolicExtent?) -> [SymbolicExtent?]? {
    guard let x = shape(index), let axis = Shape.normalizedAxis(axis, rank: x.count), axis < x.count else { return nil }
    var result: [SymbolicExtent?] = x
    result[axis] = extent
    return result
  }

  /// The first `count` extents of an operand, followed by `last`.
  func leading(_ count: Int, of index: Int, _ last: [SymbolicExtent?]) -> [SymbolicExtent?]? {
    guard let x = shape(index), x.count >= count, count >= 0 else { return nil }
    return x.prefix(count).map(Optional.some) + last
  }

  /// The extents of an operand with the last `last.count` of them replaced by `last`.
  func shape(_ index: Int, replacingLast last: [SymbolicExtent?]) -> [SymbolicExtent?]? {
    shape(index).flatMap { leading($0.count - last.count, of: index, last) }
  }

  /// The extents of an operand, followed by `last`.
  func shape(_ index: Int, appending last: SymbolicExtent?) -> [SymbolicExtent?]? {
    shape(index).flatMap { leading($0.count, of: index, [last]) }
  }

  /// The extent of an operand's axis; nil if it has no such axis.
  func extent(_ index: Int, axis: Int) -> SymbolicExtent? {
    shape(index).flatMap { $0.indices.contains(axis) ? $0[axis] : nil }
  }
}

extension ReducedAxes {
  /// The extents of an operand after the reduction.
  func reducing(_ shape: [SymbolicExtent]?) -> [SymbolicExtent?]? {
    guard let shape else { return nil }
    let reduced = axes.map { $0.map { $0 < 0 ? $0 + shape.count : $0 } } ?? Array(shape.indices)
    if keepsAxes { return shape.enumerated().map { reduced.contains($0) ? .fixed(1) : $1 } }
    return shape.indices.filter { !reduced.contains($0) }.map { shape[$0] }
  }
}
