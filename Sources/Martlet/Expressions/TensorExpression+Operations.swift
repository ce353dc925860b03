import MartletGraph
import MartletKernels
import MartletOps
package import MartletTensor

extension TensorExpression {
  // MARK: Constants

  /// A tensor of one number, made when it is needed.
  package static func repeating(_ number: Scalar, type: TensorType) throws(ExpressionError) -> TensorExpression {
    try result(.full(type.shape, type.dtype), [.number(number)])
  }

  // MARK: Products and normalisation

  /// The products of matrices, which are the last two dimensions; the others broadcast. Both operands have the result's type.
  package func matrixProduct(_ other: TensorExpression) throws(ExpressionError) -> TensorExpression {
    try Self.result(.matMul(type.dtype), [operand, other.operand])
  }

  /// The exponentials of the elements, divided by their sum along the axis.
  package func softmax(axis: Int) throws(ExpressionError) -> TensorExpression { try applying(.softmax(axis: axis, type.dtype)) }

  // MARK: Reductions

  /// What elements are reduced to.
  package enum Reduction: Sendable {
    case sum, mean, product, max, min, any, all
  }

  /// The elements along axes, or all of them if `axes` is nil, reduced to one, of type `result`.
  /// - Parameters:
  ///   - axes: in rising order, at least one.
  ///   - keepsAxes: whether reduced axes stay, with extent 1.
  package func reduced(
    _ reduction: Reduction, axes: [Int]?, keepsAxes: Bool, result: DType
  ) throws(ExpressionError) -> TensorExpression {
    try applying(.reduce(reduction.function, ReducedAxes(axes, keepsAxes: keepsAxes), result))
  }

  /// The positions, as `int64`, of the greatest or smallest elements along an axis, or in row-major order if `axis` is nil: of several
  /// the first, and of the first NaN if there is one.
  package func position(ofMaximum isMaximum: Bool, axis: Int?, keepsAxes: Bool) throws(ExpressionError) -> TensorExpression {
    try applying(.position(ofMaximum: isMaximum, axis: axis, keepsAxes: keepsAxes))
  }

  // MARK: Order

  /// The first `count` elements along an axis, or all if it is nil, in falling or rising order, and their positions, as `int64`. Equal
  /// ones stay in order of position; NaN is greater than any number.
  package func sorted(
    count: Int?, axis: Int, descending: Bool
  ) throws(ExpressionError) -> (elements: TensorExpression, positions: TensorExpression) {
    let results = try Self.results(.top(count: count, axis: axis, largest: descending), [operand])
    return (results[0], results[1])
  }

  /// The sums of the elements up to each along an axis, of type `result`.
  package func runningSum(axis: Int, result: DType) throws(ExpressionError) -> TensorExpression {
    try applying(.runningSum(axis: axis, result))
  }

  // MARK: Indexing

  /// The slices that indices name: along an axis, whose place the indices' shape takes; if `axis` is nil those of index vectors, which are
  /// the last dimension of `indices`.
  package func gathered(_ indices: TensorExpression, axis: Int?) throws(ExpressionError) -> TensorExpression {
    try Self.result(.gather(SliceIndexing(axis: axis)), [operand, indices.operand])
  }

  /// The elements that indices name along an axis replaced by those of the same places in `source`, of this type.
  package func scattered(_ source: TensorExpression, at indices: TensorExpression, axis: Int) throws(ExpressionError) -> TensorExpression {
    try Self.result(.scatter(axis: axis), [operand, indices.operand, source.operand])
  }

  /// The elements that indices name along an axis replaced by a number.
  package func scattered(_ number: Scalar, at indices: TensorExpression, axis: Int) throws(ExpressionError) -> TensorExpression {
    try Self.result(.scatter(axis: axis), [operand, indices.operand, .number(number)])
  }

  /// `count` positions of an axis from `start` on, at distances of `step`.
  package func sliced(axis: Int, start: Int, count: Int, step: Int) throws(ExpressionError) -> TensorExpression {
    try applying(.slice(axis: axis, SliceRange(start: .constant(start), end: .count(.constant(count)), step: step)))
  }

  /// One position of an axis, which vanishes.
  package func selected(axis: Int, index: Int) throws(ExpressionError) -> TensorExpression {
    try applying(.select(axis: axis, index: index))
  }

  // MARK: Shape

  /// The elements in row-major order with another shape, one extent of which may be -1 and stands for what is left.
  package func reshaped(to shape: [Int]) throws(ExpressionError) -> TensorExpression {
    let result = try applying(.reshape(shape))
    // Elements in memory lie there in the same order.
    guard case .stored(let storage) = value.currentContent else { return result }
    return TensorExpression(storage, result.type)
  }

  /// The elements repeated along dimensions of extent 1, and along new ones in front.
  package func expanded(to shape: [Int]) throws(ExpressionError) -> TensorExpression { try applying(.expand(shape)) }

  /// The dimensions in another order: that of each of the result's dimensions in this tensor.
  package func permuted(_ axes: [Int]) throws(ExpressionError) -> TensorExpression { try applying(.permute(axes)) }

  /// The elements of dimensions in reverse order.
  package func reversed(axes: [Int]) throws(ExpressionError) -> TensorExpression { try applying(.flip(axes)) }

  /// Copies side by side, so many along each dimension.
  package func tiled(_ counts: [Int]) throws(ExpressionError) -> TensorExpression { try applying(.tile(counts)) }

  /// Tensors of one type, one after the other along an axis.
  /// - Precondition: there are any.
  package static func concatenated(_ parts: [TensorExpression], axis: Int) throws(ExpressionError) -> TensorExpression {
    try result(.concat(axis: axis, parts[0].type.dtype), parts.map(\.operand))
  }

  /// The matrices of the last two dimensions with the elements below a diagonal, or above it, set to 0. Diagonals count from the main one
  /// upwards.
  package func triangle(keepsUpper: Bool, diagonal: Int) throws(ExpressionError) -> TensorExpression {
    try applying(.triangle(keepsUpper: keepsUpper, diagonal: diagonal))
  }

  // MARK: Padding

  /// More elements at the ends of each dimension, which are a number; less where a size is negative.
  package func padded(before: [Int], after: [Int], with number: Scalar) throws(ExpressionError) -> TensorExpression {
    try Self.result(.pad(.constant, before: before, after: after), [operand, .number(number)])
  }

  /// More elements at the ends of each dimension: the mirrored tensor without the element at the edge.
  package func reflected(before: [Int], after: [Int]) throws(ExpressionError) -> TensorExpression {
    try applying(.pad(.reflect, before: before, after: after))
  }

  // MARK: Images

  /// Images, which are the last two dimensions, of another size: of the pixels that new ones fall into.
  package func resizedToNearest(height: Int, width: Int) throws(ExpressionError) -> TensorExpression {
    try applying(.resizeNearest(height: height, width: width))
  }

  /// Images, which are the last two dimensions, of another size, interpolated linearly: the centres of pixels in the corners stay where
  /// they are if corners are aligned, otherwise the images' edges.
  package func resizedLinearly(height: Int, width: Int, alignsCorners: Bool) throws(ExpressionError) -> TensorExpression {
    try applying(.resizeBilinear(height: height, width: width, alignCorners: alignsCorners))
  }
}

extension TensorExpression.Reduction {
  /// The operator's function.
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
