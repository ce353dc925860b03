package import MartletGraph
import MartletKernels
import MartletTensor
package import MartletVocabulary

/// Maximum or average over windows of quantised images, or over all of their pixels.
/// - Operands: `x` [N, C, H, W]. - DTypes: int8.
/// - Accuracy: sums are exact; averages are rounded once, half to even.
/// - Sources: XNNPACK's quantised pooling nodes; `quantized_decomposed` operators around `aten::max_pool2d_with_indices`,
///   `aten::avg_pool2d`, `aten::mean`.
package struct QuantizedPool: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .int8)], accuracy: .quantizationStep)

  /// Pooling window; nil to pool over all pixels.
  package var window: Pool.Window?
  package var reduction: IntegerPoolReduction
  package var name: String { reduction == .maximum ? "quantized_max_pool" : "quantized_average_pool" }

  package init(_ window: Pool.Window?, reduction: IntegerPoolReduction) {
    self.window = window
    self.reduction = reduction
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.rank == 4, x.dtype == .int8 else { throw .unsupported("\(name) of \(x)") }
    guard let window else { return [.tensor(TensorType(.int8, [x.shape[0], x.shape[1], 1, 1]))] }
    guard case .sliding = window else { throw .unsupported("\(name) with adaptive windows") }
    return try Pool(window, reduction: .maximum).infer(operands)
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0, replacingLast: window == nil ? [.fixed(1), .fixed(1)] : [nil, nil])
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? { Shape.channelsLastOrder(rank: 4) }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let y = node.outputs[0]
    let x = node.channelsLast(0)
    var pool = IntegerPool(
      reduction, kernel: (x.shape[2], x.shape[3]), stride: (1, 1), dilation: (1, 1), padding: (0, 0))
    if case .sliding(let kernel, let stride, let before, _, let dilation, _) = window {
      pool = IntegerPool(
        reduction, kernel: (kernel[0], kernel[1]), stride: (stride[0], stride[1]), dilation: (dilation[0], dilation[1]),
        padding: (before[0], before[1]))
    }
    node.emitDense(order: Shape.channelsLastOrder(rank: 4)) { node.emit("\(name) \(y.shape)", pool.kernel(x, to: $0)) }
  }
}
