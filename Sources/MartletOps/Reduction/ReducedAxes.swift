import MartletGraph
import MartletTensor

/// The axes of a reduction, and their effect on a shape.
package struct ReducedAxes: Sendable, Hashable {
  /// Axes to reduce; negative axes count from the end. Nil for all axes.
  package var axes: [Int]?
  /// Whether reduced axes are kept with extent 1.
  package var keepsAxes: Bool

  package init(_ axes: [Int]?, keepsAxes: Bool) {
    self.axes = axes
    self.keepsAxes = keepsAxes
  }

  /// The axes for an operand of this rank, in ascending order. As in ATen, a rank-0 tensor is treated as having one axis.
  func normalized(rank: Int) throws(OperatorError) -> [Int] {
    guard let axes else { return Array(0..<rank) }
    var result: [Int] = []
    for axis in axes {
      guard let normal = Shape.normalizedAxis(axis, rank: rank) else {
        throw .invalid("axis \(axis) does not fit rank \(rank)")
      }
      if result.contains(normal) { throw .invalid("axis \(axis) is listed twice") }
      result.append(normal)
    }
    return rank == 0 ? [] : result.sorted()
  }

  /// The result's shape.
  func reducing(_ shape: [Int]) throws(OperatorError) -> [Int] {
    let axes = try normalized(rank: shape.count)
    if keepsAxes { return shape.indices.map { axes.contains($0) ? 1 : shape[$0] } }
    return shape.indices.filter { !axes.contains($0) }.map { shape[$0] }
  }
}
