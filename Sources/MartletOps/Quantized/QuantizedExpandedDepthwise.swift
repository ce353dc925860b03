package import MartletGraph
import MartletKernels
import MartletTensor

/// A quantised pointwise convolution followed by a quantised depthwise convolution. Computed in strips of rows, so that the intermediate
/// image, the largest of an inverted residual block, needs no memory of its own.
/// - Operands: `x` [1, C, H, W]; the expansion's constant `weight` [M, C, 1, 1], optional `bias` [M] and scales of the weights; the
///   depthwise convolution's `weight` [M, 1, kernel…], optional `bias` and scales.
/// - Shapes: result [1, M, H', W'].
/// - DTypes: `x` int8 or uint8; the result is int8 or float32.
/// - Accuracy: results are those of the two convolutions.
/// - Sources: made by the compiler.
package struct QuantizedExpandedDepthwise: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .eightBit), .init("expansion", .weight, .int8), .init("expansionBias", .parameter, .floating, isOptional: true),
      .init("expansionScales", .parameter, .float32), .init("depthwise", .weight, .int8),
      .init("depthwiseBias", .parameter, .floating, isOptional: true), .init("depthwiseScales", .parameter, .float32),
    ], accuracy: .quantizationStep)

  package var expansion: QuantizedConvolution
  package var depthwise: QuantizedConvolution

  package var name: String { "quantized_conv_depthwise" }

  package init(expansion: QuantizedConvolution, depthwise: QuantizedConvolution) {
    self.expansion = expansion
    self.depthwise = depthwise
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    guard operands.all.count == 7, case .tensor(let type) = try expansion.infer(Operands(Array(operands.all[0..<4])))[0],
      type.rank == 4, type.shape[0] == 1, type.dtype == .int8 || type.dtype == .uint8
    else { throw .invalid("\(name) takes an image, and weight, bias and scales of both convolutions") }
    return try depthwise.infer(Operands([.tensor(type)] + operands.all[4...]))
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.leading(1, of: 0, [nil, nil, nil])
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? { Shape.channelsLastOrder(rank: 4) }

  package func packs(operand: Int) -> Bool { operand > 0 }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let result = node.outputs[0]
    if result.isEmpty { return }
    let x = node.channelsLast(0)
    let order = Shape.channelsLastOrder(rank: 4)
    let shape = [1, node.operandType(1).shape[0], x.shape[2], x.shape[3]]
    let isDirect = result.isDense(inOrder: order)
    let y = isDirect ? result : node.builder.temporary(result.type, order: order)
    // These checks depend only on extents and weights.
    let middle = TensorView(
      buffer: y.buffer, dtype: expansion.output.dtype, shape: shape, strides: Shape.strides(shape, dimOrder: order))
    let kernel = ExpandedIntegerDepthwise(
      expansion: try expansion.imageConvolution(node.part(Array(node.operands[0..<4]), to: middle), x, middle),
      depthwise: try depthwise.imageConvolution(node.part([.tensor(middle, nil)] + node.operands[4...], to: y), middle, y))
    node.emit(
      "quantized conv 1x1 \(shape) depthwise \(y.shape)", flops: kernel.operations, work: .integerProduct,
      kernel.kernel(scratch: node.workerScratch(byteCount: kernel.scratchByteCount)))
    if !isDirect { node.builder.emitCopy(from: y, to: result, source: node.source) }
  }
}
