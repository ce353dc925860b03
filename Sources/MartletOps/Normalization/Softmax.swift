package import MartletGraph
import MartletKernels
package import MartletTensor

/// `exp(x) / sum(exp(x))` along an axis, or its logarithm.
/// - Shapes: any. - DTypes: floating point; float16 and bfloat16 are computed in float32.
/// - Special values: a line with NaN, with +inf, or with nothing but -inf gives NaN, as in PyTorch.
/// - Sources: ATen `_softmax.out`, `_log_softmax.out`; MIL `softmax`; XNNPACK `softmax`.
package struct Softmax: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .floating)], accuracy: .lengthScaled)

  package var axis: Int
  package var isLogarithm: Bool
  /// Dtype of the result.
  package var dtype: DType
  package var name: String { isLogarithm ? "log_softmax" : "softmax" }

  package init(axis: Int, isLogarithm: Bool = false, dtype: DType) {
    self.axis = axis
    self.isLogarithm = isLogarithm
    self.dtype = dtype
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard Shape.normalizedAxis(axis, rank: x.rank) != nil else { throw .invalid("axis \(axis) does not fit rank \(x.rank)") }
    _ = try normalizationType(x.dtype, dtype)
    return [.tensor(TensorType(dtype, x.shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package var inPlaceOperands: [Int] { [0] }

  package func outputOrder(_ node: NodePlan) -> [Int]? { node.input(0).denseOrder }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let shape = node.outputs[0].shape
    let order = node.resultOrder()
    let type = try normalizationType(node.operandType(0).dtype, dtype)
    let x = node.dense(0, as: type, inOrder: order)
    let y = node.staging(as: type, inOrder: order)
    // Position of the axis in memory order.
    let position = Shape.normalizedAxis(axis, rank: shape.count).flatMap { order.firstIndex(of: $0) }
    let extents = order.map { shape[$0] }
    node.emit(
      "\(name) \(shape)", flops: Double(5 * x.elementCount),
      SoftmaxKernel.kernel(
        outer: extents.prefix(position ?? 0).reduce(1, *), count: position.map { extents[$0] } ?? 1,
        inner: position.map { extents.dropFirst($0 + 1).reduce(1, *) } ?? 1, from: x, to: y, isLogarithm: isLogarithm))
    node.finish(0, from: y)
  }
}
