package import MartletGraph
package import MartletKernels
import MartletTensor

/// A convolution of quantised images with quantised weights over two spatial axes, in groups, with exact 32-bit sums.
/// - Operands: `x` [N, C, H, W]; constant `weight` [O, C/groups, kernel…]; optional constant `bias` [O], real; constant scales of the
///   weights, [O] or [1].
/// - Shapes: result [N, O, spatial…].
/// - DTypes: `x` int8 or uint8, weights int8, the others float32; the result int8 or float32.
/// - Accuracy: sums are exact; quantised results are the sums times one float32 factor, rounded half to even.
/// - Sources: XNNPACK's quantised convolution nodes; `quantized_decomposed` operators around `aten::convolution`.
package struct QuantizedConvolution: PlannedOperator {
  package var stride: [Int]
  package var padding: [(before: Int, after: Int)]
  package var dilation: [Int]
  package var groups: Int
  /// Scale and zero point of `x`.
  package var input: IntegerRange
  package var output: IntegerOutput
  package var name: String { "quantized_conv" }

  package init(_ convolution: Convolution, input: IntegerRange, output: IntegerOutput) {
    stride = convolution.stride
    padding = convolution.padding
    dilation = convolution.dilation
    groups = convolution.groups
    self.input = input
    self.output = output
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let weight = try operands.tensor(1)
    guard x.rank == 4, weight.rank == 4, x.dtype == .int8 || x.dtype == .uint8, weight.dtype == .int8 else {
      throw .unsupported("\(name) of \(x) with \(weight)")
    }
    guard weight.shape.dropFirst().reduce(1, *) <= IntegerWeights.greatestDepth, weight.shape.dropFirst().allSatisfy({ $0 > 0 }) else {
      throw .unsupported("sums of \(weight.shape.dropFirst()) products")
    }
    let real = Convolution(
      stride: stride, padding: padding, dilation: dilation, outputPadding: [0, 0], groups: groups, dtype: output.dtype)
    return try real.infer(Operands([operands.all[0], operands.all[1], operands.count > 2 ? operands.all[2] : nil]))
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? { Shape.channelsLastOrder(rank: 4) }

  package func packs(operand: Int) -> Bool { operand > 0 }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let result = node.outputs[0]
    if result.isEmpty { return }
    let order = Shape.channelsLastOrder(rank: 4)
    let isDirect = result.isDense(inOrder: order)
    let y = isDirect ? result : node.builder.temporary(result.type, order: order)
    let x = node.channelsLast(0)
    guard let weight = node.constant(1) else { throw .unsupported("weights that are no constant") }
    let shape = weight.type.shape
    let strides = weight.strides
    let form = IntegerWeights(
      strides: (strides[0], strides[1], strides[2], strides[3]), groups: groups, outputChannels: shape[0] / groups,
      inputChannels: shape[1], kernel: (shape[2], shape[3]))
    let weights = try node.integerWeights(form, inputScale: input.scale, output: output)
    var convolution = IntegerConvolution(
      input: .init(x), inputExtents: (x.shape[2], x.shape[3]), inputZeroPoint: input.zeroPoint, output: .init(y),
      outputExtents: (y.shape[2], y.shape[3]), images: x.shape[0], weights: form, packed: weights.packed,
      parameters: weights.parameters, hasRealBias: weights.hasRealBias, result: output.result)
    convolution.stride = (stride[0], stride[1])
    convolution.dilation = (dilation[0], dilation[1])
    convolution.padding = (padding[0].before, padding[1].before)
    let bytes = convolution.scratchByteCount
    let kind = form.isDepthwise ? "quantized depthwise" : name
    let step = stride.contains { $0 != 1 } ? " s\(stride.map(String.init).joined(separator: "x"))" : ""
    node.emit(
      "\(kind) \(shape[2])x\(shape[3])\(step) \(y.shape)", flops: convolution.operations,
      convolution.kernel(scratch: bytes > 0 ? node.workerScratch(byteCount: bytes) : nil))
    if !isDirect { node.builder.emitCopy(from: y, to: result, source: node.source) }
  }
}
