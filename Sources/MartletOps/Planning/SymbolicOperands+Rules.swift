import MartletGraph
import MartletTensor

/// Rules that several operators have.
extension SymbolicOperands {
  /// An operand's extents with one changed; nil if it has no such axis.
  func shape(_ index: Int, replacing axis: Int, by extent: SymbolicExtent?) -> [SymbolicExtent?]? {
    guard let x = shape(index), let axis = Shape.normalizedAxis(axis, rank: x.count), axis < x.count else { return nil }
    var result: [SymbolicExtent?] = x
    result[axis] = extent
    return result
  }

  /// The first `count` extents of an operand, with `last` behind them.
  func leading(_ count: Int, of index: Int, _ last: [SymbolicExtent?]) -> [SymbolicExtent?]? {
    guard let x = shape(index), x.count >= count, count >= 0 else { return nil }
    return x.prefix(count).map(Optional.some) + last
  }

  /// All but the last extents of an operand, as many as `last` has, with `last` in their place.
  func shape(_ index: Int, replacingLast last: [SymbolicExtent?]) -> [SymbolicExtent?]? {
    shape(index).flatMap { leading($0.count - last.count, of: index, last) }
  }

  /// An operand's extents with `last` behind them.
  func shape(_ index: Int, appending last: SymbolicExtent?) -> [SymbolicExtent?]? {
    shape(index).flatMap { leading($0.count, of: index, [last]) }
  }

  /// The extent of an operand's axis, counted from the front.
  func extent(_ index: Int, axis: Int) -> SymbolicExtent? {
    shape(index).flatMap { $0.indices.contains(axis) ? $0[axis] : nil }
  }
}

extension ReducedAxes {
  /// What the reduction makes of an operand's extents.
  func reducing(_ shape: [SymbolicExtent]?) -> [SymbolicExtent?]? {
    guard let shape else { return nil }
    let reduced = axes.map { $0.map { $0 < 0 ? $0 + shape.count : $0 } } ?? Array(shape.indices)
    if keepsAxes { return shape.enumerated().map { reduced.contains($0) ? .fixed(1) : $1 } }
    return shape.indices.filter { !reduced.contains($0) }.map { shape[$0] }
  }
}
