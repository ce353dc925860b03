import MartletGraph
import MartletOps
package import MartletTensor
import MartletVocabulary

extension TensorExpression {
  // MARK: Constants

  /// A tensor with all elements equal to `number`, materialised only when needed.
  package static func repeating(_ number: Scalar, type: TensorType) throws(ExpressionError) -> TensorExpression {
    try result(.full(type.shape, type.dtype), [.number(number)])
  }

  // MARK: Products and normalisation

  /// Batched matrix product over the last two axes; the other axes broadcast. Both operands have the result's type.
  package func matrixProduct(_ other: TensorExpression) throws(ExpressionError) -> TensorExpression {
    try Self.result(.matMul(type.dtype), [operand, other.operand])
  }

  /// Softmax along an axis.
  package func softmax(axis: Int) throws(ExpressionError) -> TensorExpression { try applying(.softmax(axis: axis, type.dtype)) }

  // MARK: Reductions

  /// The reduction functions.
  package enum Reduction: Sendable {
    case sum, mean, product, max, min, any, all
  }

  /// Reduces the elements along `axes`, or all elements if `axes` is nil, to a result of type `result`.
  /// - Parameters:
  ///   - axes: in ascending order, at least one.
  ///   - keepsAxes: keep reduced axes with extent 1.
  package func reduced(
    _ reduction: Reduction, axes: [Int]?, keepsAxes: Bool, result: DType
  ) throws(ExpressionError) -> TensorExpression {
    try applying(.reduce(reduction.function, ReducedAxes(axes, keepsAxes: keepsAxes), result))
  }

  /// Argmax or argmin along an axis, or over all elements in row-major order if `axis` is nil, as `int64`. The first of equal elements
  /// wins; the first NaN wins over all.
  package func position(ofMaximum isMaximum: Bool, axis: Int?, keepsAxes: Bool) throws(ExpressionError) -> TensorExpression {
    try applying(.position(ofMaximum: isMaximum, axis: axis, keepsAxes: keepsAxes))
  }

  // MARK: Order

  /// The first `count` elements along an axis (all if nil) in descending or ascending order, with their positions as `int64`. The sort is
  /// stable; NaN is greater than any number.
  package func sorted(
    count: Int?, axis: Int, descending: Bool
  ) throws(ExpressionError) -> (elements: TensorExpression, positions: TensorExpression) {
    let results = try Self.results(.top(count: count, axis: axis, largest: descending), [operand])
    return (results[0], results[1])
  }

  /// Cumulative sum along an axis, of type `result`.
  package func runningSum(axis: Int, result: DType) throws(ExpressionError) -> TensorExpression {
    try applying(.runningSum(axis: axis, result))
  }

  // MARK: Indexing

  /// Gathers slices. With an axis, the indices' shape takes the place of that axis. If `axis` is nil, the last axis of `indices` holds
  /// index vectors.
  package func gathered(_ indices: TensorExpression, axis: Int?) throws(ExpressionError) -> TensorExpression {
    try Self.result(.gather(SliceIndexing(axis: axis)), [operand, indices.operand])
  }

  /// Replaces the elements that `indices` selects along an axis by the elements at the same positions in `source`, which has this
  /// tensor's type.
  package func scattered(_ source: TensorExpression, at indices: TensorExpression, axis: Int) throws(ExpressionError) -> TensorExpression {
    try Self.result(.scatter(axis: axis), [operand, indices.operand, source.operand])
  }

  /// Replaces the elements that `indices` selects along an axis by a scalar.
  package func scattered(_ number: Scalar, at indices: TensorExpression, axis: Int) throws(ExpressionError) -> TensorExpression {
    try Self.result(.scatter(axis: axis), [operand, indices.operand, .number(number)])
  }

  /// `count` positions along an axis, from `start` on, with stride `step`.
  package func sliced(axis: Int, start: Int, count: Int, step: Int) throws(ExpressionError) -> TensorExpression {
    try applying(.slice(axis: axis, SliceRange(start: .constant(start), end: .count(.constant(count)), step: step)))
  }

  /// Selects one index of an axis and removes that axis.
  package func selected(axis: Int, index: Int) throws(ExpressionError) -> TensorExpression {
    try applying(.select(axis: axis, index: index))
  }

  // MARK: Shape

  /// The elements in row-major order with another shape. One extent may be -1 and is inferred.
  package func reshaped(to shape: [Int]) throws(ExpressionError) -> TensorExpression {
    let result = try applying(.reshape(shape))
    // Stored elements stay where they are; only the shape changes.
    guard case .stored(let storage) = value.currentContent else { return result }
    return TensorExpression(storage, result.type)
  }

  /// Broadcasts axes of extent 1 and adds leading axes.
  package func expanded(to shape: [Int]) throws(ExpressionError) -> TensorExpression { try applying(.expand(shape)) }

  /// Permutes the axes: `axes[i]` is the source axis of axis i of the result.
  package func permuted(_ axes: [Int]) throws(ExpressionError) -> TensorExpression { try applying(.permute(axes)) }

  /// Reverses the elements along the given axes.
  package func reversed(axes: [Int]) throws(ExpressionError) -> TensorExpression { try applying(.flip(axes)) }

  /// Repeats the tensor the given number of times along each axis.
  package func tiled(_ counts: [Int]) throws(ExpressionError) -> TensorExpression { try applying(.tile(counts)) }

  /// Concatenates tensors of one type along an axis.
  /// - Precondition: `parts` is not empty.
  package static func concatenated(_ parts: [TensorExpression], axis: Int) throws(ExpressionError) -> TensorExpression {
    try result(.concat(axis: axis, parts[0].type.dtype), parts.map(\.operand))
  }

  /// Sets the elements above or below a diagonal of the matrices in the last two axes to 0. Diagonal 0 is the main one; positive
  /// diagonals lie above it.
  package func triangle(keepsUpper: Bool, diagonal: Int) throws(ExpressionError) -> TensorExpression {
    try applying(.triangle(keepsUpper: keepsUpper, diagonal: diagonal))
  }

  // MARK: Padding

  /// Pads each axis with a constant; a negative size crops.
  package func padded(before: [Int], after: [Int], with number: Scalar) throws(ExpressionError) -> TensorExpression {
    try Self.result(.pad(.constant, before: before, after: after), [operand, .number(number)])
  }

  /// Pads each axis by reflection, without repeating the element at the edge.
  package func reflected(before: [Int], after: [Int]) throws(ExpressionError) -> TensorExpression {
    try applying(.pad(.reflect, before: before, after: after))
  }

  // MARK: Images

  /// Nearest-neighbour resize of images, which are the last two axes.
  package func resizedToNearest(height: Int, width: Int) throws(ExpressionError) -> TensorExpression {
    try applying(.resizeNearest(height: height, width: width))
  }

  /// Bilinear resize of images, which are the last two axes. With aligned corners the centres of the corner pixels coincide, otherwise
  /// the edges of the images.
  package func resizedLinearly(height: Int, width: Int, alignsCorners: Bool) throws(ExpressionError) -> TensorExpression {
    try applying(.resizeBilinear(height: height, width: width, alignCorners: alignsCorners))
  }
}

extension TensorExpression.Reduction {
  /// The operator's reduction function.
  fileprivate var function: Reduce.Function {
    switch self {
    case .sum: .sum
    case .mean: .mean
    case .product: .prod
    case .max: .max
    case .min: .min
    case .any: .any
    case .all: .all
    }
  }
}
