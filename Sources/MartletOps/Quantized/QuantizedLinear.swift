package import MartletGraph
import MartletKernels
package import MartletTensor
package import MartletVocabulary

/// Product of quantised rows with the transpose of a quantised matrix, with exact 32-bit sums.
/// - Operands: `x` […, K]; constant `weight` [N, K]; optional constant `bias` [N], real; constant scales of the weights, [N] or [1].
/// - Shapes: result […, N].
/// - DTypes: `x` int8 or uint8, weights int8, others float32; the result is int8 or float32.
/// - Accuracy: as for `QuantizedConvolution`.
/// - Sources: XNNPACK's quantised fully connected nodes; `quantized_decomposed` operators around `aten::addmm`, `aten::linear`.
package struct QuantizedLinear: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .eightBit), .init("weight", .weight, .int8), .init("bias", .parameter, .floating, isOptional: true),
      .init("scales", .parameter, .float32),
    ], accuracy: .quantizationStep)

  /// Scale and zero point of `x`.
  package var input: IntegerRange
  package var output: IntegerOutput
  package var name: String { "quantized_linear" }

  package init(input: IntegerRange, output: IntegerOutput) {
    self.input = input
    self.output = output
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let weight = try operands.tensor(1)
    guard x.rank >= 1, weight.rank == 2, x.shape.last == weight.shape[1] else { throw .invalid("\(x) does not fit \(weight)") }
    guard x.dtype == .int8 || x.dtype == .uint8, weight.dtype == .int8, (1...IntegerWeights.greatestDepth).contains(weight.shape[1])
    else { throw .unsupported("\(name) of \(x) with \(weight)") }
    return [.tensor(TensorType(output.dtype, x.shape.dropLast() + [weight.shape[0]]))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0, replacingLast: [operands.extent(1, axis: 0)])
  }

  package func fusing(_ activation: Activation, _ dtype: DType, hasResidual: Bool) -> (any PlannedOperator)? {
    guard output == .real(.none), dtype == .float32 else { return nil }
    var fused = self
    fused.output = .real(activation)
    return fused
  }

  package func packs(operand: Int) -> Bool { operand > 0 }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let y = node.staging(0, as: output.dtype)
    if y.isEmpty { return }
    let x = node.contiguous(0)
    guard let weight = node.constant(1) else { throw .unsupported("weights that are not constant") }
    let (columns, depth) = (weight.type.shape[0], weight.type.shape[1])
    let form = IntegerWeights(
      strides: (weight.strides[0], weight.strides[1], 0, 0), groups: 1, outputChannels: columns, inputChannels: depth, kernel: (1, 1))
    let weights = try node.integerWeights(form, inputScale: input.scale, output: output)
    let product = IntegerConvolution(
      rows: y.elementCount / columns, of: x, rowStride: depth, inputZeroPoint: input.zeroPoint, output: y, weights: form,
      packed: weights.packed, parameters: weights.parameters, hasRealBias: weights.hasRealBias, result: output.result)
    node.emit(
      "\(name) \(y.shape) k \(depth)", flops: product.operations, work: .integerProduct,
      product.kernel(scratch: node.workerScratch(byteCount: product.scratchByteCount)))
    node.finish(0, from: y)
  }
}
