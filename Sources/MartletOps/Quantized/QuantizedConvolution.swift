package import MartletGraph
import MartletKernels
package import MartletTensor
package import MartletVocabulary

/// Quantised convolution over one to three spatial axes, grouped or transposed, with exact 32-bit sums.
/// - Operands: `x` [N, C, spatial…]; constant `weight` [O, C/groups, kernel…], also for a transposed convolution; optional constant
///   `bias` [O], real; constant scales of the weights, [O] or [1].
/// - Shapes: result [N, O, spatial…]. At most two spatial axes and one group if transposed.
/// - DTypes: `x` int8 or uint8, weights int8, others float32; the result is int8 or float32.
/// - Accuracy: sums are exact; quantised results are the sums times one float32 factor, rounded half to even.
/// - Sources: XNNPACK's quantised convolution nodes; `quantized_decomposed` operators around `aten::convolution`.
package struct QuantizedConvolution: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .eightBit), .init("weight", .weight, .int8), .init("bias", .parameter, .floating, isOptional: true),
      .init("scales", .parameter, .float32),
    ], accuracy: .quantizationStep)

  package var stride: [Int]
  package var padding: [(before: Int, after: Int)]
  package var dilation: [Int]
  package var isTransposed: Bool
  package var outputPadding: [Int]
  package var groups: Int
  /// Scale and zero point of `x`.
  package var input: IntegerRange
  package var output: IntegerOutput
  package var name: String { "quantized_conv" }

  package init(_ convolution: Convolution, input: IntegerRange, output: IntegerOutput) {
    stride = convolution.stride
    padding = convolution.padding
    dilation = convolution.dilation
    isTransposed = convolution.isTransposed
    outputPadding = convolution.outputPadding
    groups = convolution.groups
    self.input = input
    self.output = output
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    var weight = try operands.tensor(1)
    guard (3...5).contains(x.rank), weight.rank == x.rank, x.dtype == .int8 || x.dtype == .uint8, weight.dtype == .int8,
      !isTransposed || groups == 1 && x.rank <= 4
    else { throw .unsupported("\(name) of \(x) with \(weight)") }
    guard Extent.product(weight.shape.dropFirst()).fits(IntegerWeights.greatestDepth), weight.shape.dropFirst().allSatisfy({ $0 > 0 })
    else {
      throw .unsupported("sums over \(weight.shape.dropFirst()) products")
    }
    if isTransposed { weight = TensorType(.int8, [weight.shape[1], weight.shape[0]] + weight.shape.dropFirst(2)) }
    let real = Convolution(
      stride: stride, padding: padding, dilation: dilation, isTransposed: isTransposed, outputPadding: outputPadding, groups: groups,
      dtype: output.dtype)
    return try real.infer(Operands([operands.all[0], .tensor(weight), operands.count > 2 ? operands.all[2] : nil]))
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0).flatMap { operands.leading(1, of: 0, Array(repeating: nil, count: max($0.count - 1, 0))) }
  }

  package func fusing(_ activation: Activation, _ dtype: DType, hasResidual: Bool) -> (any PlannedOperator)? {
    guard output == .real(.none), dtype == .float32 else { return nil }
    var fused = self
    fused.output = .real(activation)
    return fused
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? { Shape.channelsLastOrder(rank: node.outputType(0).rank) }

  package func packs(operand: Int) -> Bool { operand > 0 }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let result = node.outputs[0]
    if result.isEmpty { return }
    let order = Shape.channelsLastOrder(rank: result.rank)
    let isDirect = result.isDense(inOrder: order)
    let y = isDirect ? result : node.builder.temporary(result.type, order: order)
    let x = node.channelsLast(0)
    if isTransposed {
      try planPhases(node, x.asImages, y.asImages, form(of: try weight(node)))
    } else if stride.count == 3 {
      try planVolume(node, x, y, try weight(node))
    } else {
      try emit(node, try imageConvolution(node, x.asImages, y.asImages), y)
    }
    if !isDirect { node.builder.emitCopy(from: y, to: result, source: node.source) }
  }

  /// Layout of the weight. A convolution over one axis gets a leading spatial axis of extent 1.
  private func form(of weight: Constant) -> IntegerWeights {
    let (shape, strides) = (weight.type.shape, weight.strides)
    let last = shape.count - 1
    let isLine = shape.count == 3
    return IntegerWeights(
      strides: (strides[0], strides[1], isLine ? 0 : strides[last - 1], strides[last]), groups: groups,
      outputChannels: shape[0] / groups, inputChannels: shape[1], kernel: (isLine ? 1 : shape[last - 1], shape[last]))
  }

  /// The convolution of [N, C, H, W] images, with the strides of the last two axes.
  private func convolution(
    _ node: NodePlan, _ x: TensorView, _ y: TensorView, _ form: IntegerWeights
  ) throws(OperatorError) -> IntegerConvolution {
    let weights = try node.integerWeights(form, inputScale: input.scale, output: output)
    var convolution = IntegerConvolution(
      input: .init(x), inputExtents: (x.shape[2], x.shape[3]), inputZeroPoint: input.zeroPoint, output: .init(y),
      outputExtents: (y.shape[2], y.shape[3]), images: x.shape[0], weights: form, packed: weights.packed,
      parameters: weights.parameters, hasRealBias: weights.hasRealBias, result: output.result)
    let last = stride.count - 1
    let isLine = last == 0
    convolution.stride = (isLine ? 1 : stride[last - 1], stride[last])
    convolution.dilation = (isLine ? 1 : dilation[last - 1], dilation[last])
    convolution.padding = (isLine ? 0 : padding[last - 1].before, padding[last].before)
    return convolution
  }

  /// The convolution of image `x` to image `y`, both channels-last.
  func imageConvolution(_ node: NodePlan, _ x: TensorView, _ y: TensorView) throws(OperatorError) -> IntegerConvolution {
    var form = form(of: try weight(node))
    let last = stride.count - 1
    let isLine = last == 0
    form.chooseWinograd(
      stride: (isLine ? 1 : stride[last - 1], stride[last]), dilation: (isLine ? 1 : dilation[last - 1], dilation[last]),
      images: x.shape[0], outputExtents: (y.shape[2], y.shape[3]))
    return try convolution(node, x, y, form)
  }

  private func weight(_ node: NodePlan) throws(OperatorError) -> Constant {
    guard let weight = node.constant(1) else { throw .unsupported("weights that are not constant") }
    return weight
  }

  private func emit(_ node: NodePlan, _ convolution: IntegerConvolution, _ y: TensorView, suffix: String = "") throws(OperatorError) {
    let bytes = convolution.scratchByteCount
    let kind = convolution.weights.isDepthwise ? "quantized depthwise" : isTransposed ? "quantized_conv_transpose" : name
    let kernel = node.operandType(1).shape.dropFirst(2).map(String.init).joined(separator: "x")
    let step = stride.contains { $0 != 1 } ? " s\(stride.map(String.init).joined(separator: "x"))" : ""
    node.emit(
      "\(kind) \(kernel)\(step) \(y.shape)\(suffix)", flops: convolution.operations,
      work: convolution.weights.isDepthwise ? .depthwise : .integerProduct,
      convolution.kernel(scratch: bytes > 0 ? node.workerScratch(byteCount: bytes) : nil))
  }

  /// Plans a transposed convolution as ordinary ones: results a stride apart use the same taps of the kernel.
  private func planPhases(_ node: NodePlan, _ x: TensorView, _ y: TensorView, _ form: IntegerWeights) throws(OperatorError) {
    guard !TransposedPhase.areTooMany(stride: stride, node.outputType(0)) else {
      throw .unsupported("a quantised transposed convolution with strides \(stride), which has more than \(TransposedPhase.most) phases")
    }
    let isLine = stride.count == 1
    let steps = (y: isLine ? 1 : stride[0], x: stride[stride.count - 1])
    let dilations = (y: isLine ? 1 : dilation[0], x: dilation[dilation.count - 1])
    let pads = (top: isLine ? 0 : padding[0].before, left: padding[padding.count - 1].before)
    for phaseY in 0..<min(steps.y, y.shape[2]) {
      for phaseX in 0..<min(steps.x, y.shape[3]) {
        let rows = TransposedPhase(phaseY, stride: steps.y, padding: pads.top, dilation: dilations.y, taps: form.kernel.height)
        let columns = TransposedPhase(phaseX, stride: steps.x, padding: pads.left, dilation: dilations.x, taps: form.kernel.width)
        var phase = form
        // Without taps all results are the bias.
        phase.isBlank = rows.count == 0 || columns.count == 0
        phase.kernel = phase.isBlank ? (1, 1) : (rows.count, columns.count)
        phase.offset = phase.isBlank ? 0 : rows.lastTap * form.strides.y + columns.lastTap * form.strides.x
        phase.strides.y = -rows.tapStep * form.strides.y
        phase.strides.x = -columns.tapStep * form.strides.x
        var convolution = try convolution(node, x, y, phase)
        convolution.output = .init(
          y, offset: phaseY * y.strides[2] + phaseX * y.strides[3], imageStride: y.strides[0], rowStride: y.strides[2] * steps.y,
          pixelStride: y.strides[3] * steps.x)
        convolution.outputExtents = (
          (y.shape[2] - phaseY + steps.y - 1) / steps.y, (y.shape[3] - phaseX + steps.x - 1) / steps.x
        )
        convolution.stride = (1, 1)
        convolution.dilation = (rows.dilation, columns.dilation)
        convolution.padding = phase.isBlank ? (0, 0) : (rows.padding, columns.padding)
        convolution.normalizePadding()
        try emit(node, convolution, y, suffix: steps.y * steps.x > 1 ? " phase \(phaseY),\(phaseX)" : "")
      }
    }
  }

  /// Three spatial axes: gathers the pixels along depth that the taps of a kernel meet, as channels of 2-D images.
  private func planVolume(_ node: NodePlan, _ x: TensorView, _ y: TensorView, _ weight: Constant) throws(OperatorError) {
    let (shape, strides) = (weight.type.shape, weight.strides)
    var form = form(of: weight)
    form.inputChannels = shape[1] * shape[2]
    form.depthTaps = (shape[2], strides[2])
    let images = x.shape[0] * y.shape[2]
    let channels = form.inputChannels * groups
    let order = Shape.channelsLastOrder(rank: 4)
    let gathered = node.builder.temporary(TensorType(x.dtype, [images, channels, x.shape[3], x.shape[4]]), order: order)
    node.emit(
      "gather depth \(gathered.shape)", bytes: Double(2 * gathered.elementCount),
      DepthGathering(
        taps: shape[2], stride: stride[0], dilation: dilation[0], padding: padding[0].before, groups: groups, fill: input.zeroPoint
      ).kernel(x, to: gathered, depth: y.shape[2]))
    var result = y
    result.shape = [images, y.shape[1], y.shape[3], y.shape[4]]
    result.strides = [y.strides[2], y.strides[1], y.strides[3], y.strides[4]]
    try emit(node, try convolution(node, gathered, result, form), y)
  }
}
