import MartletGraph
import MartletKernels
import MartletTensor

/// How index tensors for some axes of a tensor lie in what they choose (NumPy's advanced indexing).
///
/// The indices are broadcast against each other. Their axes stand where the indexed axes stood if those are neighbours, else
/// in front.
struct IndexLayout {
  /// The indices' common shape.
  let indexShape: [Int]
  /// Axes that are not indexed, before and behind the indices' axes in the result.
  let outer: [Int]
  let inner: [Int]
  let resultShape: [Int]

  init(_ x: TensorType, axes: [Int], indices: [TensorType]) throws(OperatorError) {
    guard axes.count == indices.count, axes.allSatisfy({ $0 >= 0 && $0 < x.rank }), Set(axes).count == axes.count else {
      throw .invalid("indices for axes \(axes) of a tensor of rank \(x.rank)")
    }
    var shape: [Int] = []
    for index in indices {
      guard index.dtype.isInteger, index.dtype != .uint64 else { throw .invalid("indices of \(index.dtype)") }
      guard let common = Shape.broadcast(shape, index.shape) else {
        throw .invalid("indices of shapes \(indices.map(\.shape)) do not fit each other")
      }
      shape = common
    }
    let first = axes.min() ?? 0
    let areNeighbours = axes.sorted() == Array(first..<first + axes.count)
    let free = (0..<x.rank).filter { !axes.contains($0) }
    outer = areNeighbours ? free.filter { $0 < first } : []
    inner = areNeighbours ? free.filter { $0 >= first } : free
    indexShape = shape
    resultShape = outer.map { x.shape[$0] } + shape + inner.map { x.shape[$0] }
  }

  /// The result's shape with one axis for all positions of the indices.
  func flatShape(_ x: TensorType) throws(OperatorError) -> [Int] {
    guard let positions = Shape.elementCount(indexShape) else { throw .invalid("too many indices") }
    return outer.map { x.shape[$0] } + [positions] + inner.map { x.shape[$0] }
  }

  /// The kernels' description of blocks of `x`, and `y`, which has the result's shape with flat positions.
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
