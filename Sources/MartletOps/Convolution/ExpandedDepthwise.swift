package import MartletGraph
import MartletKernels
import MartletTensor
import MartletVocabulary

/// A pointwise convolution followed by a depthwise convolution, as at the start of an inverted residual block. Computed in strips of
/// rows, so that the intermediate image, the largest of the block, stays in the caches.
/// - Operands: `x` [1, C, H, W]; the expansion's `weight` [M, C, 1, 1] and optional `bias` [M]; the depthwise `weight` [M, 1, kernel…]
///   and optional `bias` [M].
/// - Shapes: result [1, M, H', W'].
/// - DTypes: float32, float16, bfloat16; the image, both convolutions and the result have the same.
/// - Accuracy: that of the two convolutions.
/// - Sources: made by the compiler.
package struct ExpandedDepthwise: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .half), .init("expansion", .weight, .real), .init("expansionBias", .parameter, .real, isOptional: true),
      .init("depthwise", .weight, .real), .init("depthwiseBias", .parameter, .real, isOptional: true),
    ], accuracy: .lengthScaled)

  package var expansion: Convolution
  package var depthwise: Convolution

  package var name: String { "conv_depthwise" }

  package init(expansion: Convolution, depthwise: Convolution) {
    self.expansion = expansion
    self.depthwise = depthwise
  }

  /// Type of the intermediate image.
  private func middle(_ operands: Operands) throws(OperatorError) -> TensorType {
    guard operands.all.count == 5, case .tensor(let type) = try expansion.infer(Operands(Array(operands.all[0..<3])))[0] else {
      throw .invalid("an expansion takes an image, a weight and a bias")
    }
    return type
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let type = try middle(operands)
    guard type.rank == 4, type.shape[0] == 1, [.float32, .float16, .bfloat16].contains(type.dtype), depthwise.dtype == type.dtype,
      try operands.tensor(0).dtype == type.dtype
    else {
      throw .unsupported("an expanded depthwise convolution of \(type)")
    }
    return try depthwise.infer(Operands([.tensor(type)] + operands.all[3...]))
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.leading(1, of: 0, [nil, nil, nil])
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? { Shape.channelsLastOrder(rank: 4) }

  package func packs(operand: Int) -> Bool { operand > 0 }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.operandType(0).shape
    let type = TensorType(expansion.dtype, [1, node.operandType(1).shape[0], x[2], x[3]])
    let order = Shape.channelsLastOrder(rank: 4)
    let result = node.outputs[0]
    // These checks depend only on extents and weights.
    let shape = TensorView(
      buffer: result.buffer, dtype: type.dtype, shape: type.shape, strides: Shape.strides(type.shape, dimOrder: order))
    var first = node.part(Array(node.operands[0..<3]), to: shape)
    let second = node.part([.tensor(shape, nil)] + node.operands[3...], to: result)
    // Strips save more time than split factors do, and are more precise.
    let precision = node.builder.precision
    let prefersStrips = precision.level == .near && precision.kernels == .tilesThatGain
    let arithmetic = expansion.arithmetic(first)
    if prefersStrips || arithmetic.isSingle, result.isDense(inOrder: order), expansion.packedConstant(first) != nil,
      depthwise.packedConstant(second) != nil, !result.isEmpty, !shape.isEmpty, x[1] > 0
    {
      return try planStrips(node, first, second, middle: shape, arithmetic.isSingle ? arithmetic : .single)
    }
    let middle = node.builder.temporary(type, order: order)
    first = node.part(Array(node.operands[0..<3]), to: middle)
    try expansion.plan(first)
    try depthwise.plan(node.part([.tensor(middle, nil)] + node.operands[3...], to: result))
  }

  private func planStrips(
    _ node: NodePlan, _ first: NodePlan, _ second: NodePlan, middle: TensorView, _ arithmetic: ProductArithmetic
  ) throws(OperatorError) {
    let image = node.channelsLast(0, as: middle.dtype)
    var pixels = image
    // In range: extents of one tensor.
    pixels.shape = [image.shape[2] * image.shape[3], image.shape[1]]
    pixels.strides = [image.shape[1], 1]
    let result = node.outputs[0]
    let form = depthwise.weightForm(second)
    var convolution = ImageConvolution(
      input: .init(middle), inputExtents: (middle.shape[2], middle.shape[3]), output: .init(result),
      outputExtents: (result.shape[2], result.shape[3]), images: 1, inputChannels: 1, outputChannels: 1, groups: depthwise.groups,
      kernel: form.kernel, stride: (depthwise.stride[0], depthwise.stride[1]),
      dilation: (depthwise.dilation[0], depthwise.dilation[1]),
      padding: (depthwise.padding[0].before, depthwise.padding[1].before),
      weights: try depthwise.weights(second, form, layout: "conv"))
    convolution.bias = second.has(2) ? try second.parameter(2, as: .float32) : nil
    convolution.activation = depthwise.activation
    var expansionForm = expansion.weightForm(first)
    expansionForm.arithmetic = arithmetic
    var kernel = ExpandedDepthwiseKernel(
      pixels: pixels, expansion: try expansion.weights(first, expansionForm, layout: "conv"),
      expansionBias: first.has(2) ? try first.parameter(2, as: .float32) : nil, expansionActivation: expansion.activation,
      depthwise: convolution)
    kernel.arithmetic = arithmetic
    let window = "\(form.kernel.height)x\(form.kernel.width)"
    let step = depthwise.stride == [1, 1] ? "" : " s\(depthwise.stride[0])x\(depthwise.stride[1])"
    node.emit(
      "conv 1x1 \(middle.shape) depthwise \(window)\(step) \(result.shape)", flops: kernel.flops, work: .expansion,
      kernel.kernel(scratch: node.workerScratch(byteCount: kernel.scratchByteCount)))
  }
}
