import MartletGraph
import MartletKernels
import MartletTensor

/// Placement of index axes in the result of NumPy-style advanced indexing.
///
/// The indices broadcast against each other. Their axes replace the indexed axes if those are adjacent, and come first otherwise.
struct IndexLayout {
  /// Common shape of the indices after broadcasting.
  let indexShape: [Int]
  /// Axes that are not indexed, before and after the index axes of the result.
  let outer: [Int]
  let inner: [Int]
  let resultShape: [Int]

  init(_ x: TensorType, axes: [Int], indices: [TensorType]) throws(OperatorError) {
    guard axes.count == indices.count, axes.allSatisfy({ $0 >= 0 && $0 < x.rank }), Set(axes).count == axes.count else {
      throw .invalid("indices for axes \(axes) do not fit a tensor of rank \(x.rank)")
    }
    var shape: [Int] = []
    for index in indices {
      guard index.dtype.isInteger, index.dtype != .uint64 else { throw .invalid("indices of type \(index.dtype)") }
      guard let common = Shape.broadcast(shape, index.shape) else {
        throw .invalid("indices of shapes \(indices.map(\.shape)) do not broadcast")
      }
      shape = common
    }
    let first = axes.min() ?? 0
    let areNeighbours = axes.sorted() == Array(first..<first + axes.count)
    let free = (0..<x.rank).filter { !axes.contains($0) }
    outer = areNeighbours ? free.filter { $0 < first } : []
    inner = areNeighbours ? free.filter { $0 >= first } : free
    indexShape = shape
    // In range: lists.
    resultShape = outer.map { x.shape[$0] } + shape + inner.map { x.shape[$0] }
  }

  /// The shape of the result with the index axes flattened to one.
  func flatShape(_ x: TensorType) throws(OperatorError) -> [Int] {
    guard let positions = Shape.elementCount(indexShape) else { throw .invalid("too many indices") }
    return outer.map { x.shape[$0] } + [positions] + inner.map { x.shape[$0] }
  }

  /// The kernel's description of the blocks of `x` and of `y`, which has the result's shape with flattened index axes.
  func blocks(
    _ x: TensorView, _ y: TensorView, axes: [Int], indices: [TensorView], node: NodePlan, allowsNegative: Bool
  ) -> IndexedBlocks {
    IndexedBlocks(
      x, outer: outer, inner: inner, y,
      axes: zip(axes, indices).map { axis, indices in
        IndexedBlocks.Axis(indices: indices, extent: x.shape[axis], stride: x.strides[axis])
      },
      offsets: node.temporary(.int64, [max(y.shape[outer.count], 1)]), allowsNegative: allowsNegative)
  }
}
