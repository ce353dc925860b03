import MartletGraph
import MartletKernels
import MartletTensor
import MartletVocabulary

extension Convolution {
  /// Plans the vector kernels with float32 sums. Returns false if they do not support this convolution.
  func planVector(_ node: NodePlan) throws(OperatorError) -> Bool {
    let spatial = stride.count
    let weightType = node.operandType(1)
    if node.outputs[0].isEmpty { return true }
    if spatial == 3 && isTransposed { return false }
    let order = Shape.channelsLastOrder(rank: spatial + 2)
    let types = (node.operandType(0).dtype, weightType.dtype)
    let arithmetic = arithmetic(node)
    let result = node.outputs[0]
    let isDepthwise = isDepthwise(weightType)
    let isPlanar = isPlanar(node, arithmetic)
    let taps = (isPlanar ? weightType.shape[1...2] : weightType.shape.dropFirst(2)).reduce(1, *)
    let storesHalf =
      spatial < 3 && [.float16, .bfloat16].contains(result.dtype)
      && (isDepthwise || !arithmetic.isSingle || ImageConvolution.storesHalves(taps: taps))
    let stored = storesHalf ? result.dtype : .float32
    let read = isDepthwise ? stored : spatial < 3 && arithmetic.reads(types.0) ? types.0 : .float32
    let x = isPlanar ? node.input(0) : node.channelsLast(0, as: read)
    let direct = result.dtype == stored && (result.isDense(inOrder: order) || result.hasEvenPixels)
    let y = direct ? result : node.builder.temporary(TensorType(stored, result.shape), order: order)
    let bias = node.has(2) ? try node.parameter(2, as: .float32) : nil
    let residual = node.has(3) ? node.channelsLast(3, as: stored) : nil
    if x.isEmpty {
      try planExact(node, as: .float64)
      return true
    }
    let isProduct = isProduct(weightType)
    let factors = node.has(4) ? node.contiguous(4, as: .float32) : nil
    if spatial == 3 {
      try planVolume(node, x, y, bias, residual)
    } else if isTransposed {
      try planPhases(node, x.asImages, y.asImages, bias, residual?.asImages, arithmetic)
    } else if isProduct {
      try planProduct(node, x, y, bias, residual, arithmetic, factors: factors)
    } else {
      var convolution = try image(node, x.asImages, y.asImages, arithmetic, isPlanar: isPlanar)
      convolution.bias = bias
      convolution.residual = residual.map { ImageConvolution.Images($0.asImages) }
      convolution.activation = activation
      emit(node, convolution, y)
    }
    if !direct { node.builder.emitCopy(from: y, to: result, source: node.source) }
    return true
  }

  /// Whether the convolution is a product of all pixels with one matrix.
  func isProduct(_ weight: TensorType) -> Bool {
    stride.count < 3 && !isTransposed && groups == 1 && weight.shape.dropFirst(2).allSatisfy { $0 == 1 }
      && stride.allSatisfy { $0 == 1 } && padding.allSatisfy { $0.before == 0 && $0.after == 0 }
  }

  /// Whether the convolution is depthwise, over one or two spatial axes and not transposed.
  private func isDepthwise(_ weight: TensorType) -> Bool {
    weight.shape[1] == 1 && weight.shape[0] == groups && groups > 1 && !isTransposed && stride.count < 3
  }

  /// Whether to read the input in place, as planes: for images with few channels.
  private func isPlanar(_ node: NodePlan, _ arithmetic: ProductArithmetic) -> Bool {
    let weight = node.operandType(1).shape
    guard arithmetic.isSingle || arithmetic == .bfloat16 && usesVectors(node), stride.count == 2, !isTransposed, groups == 1,
      dilation[1] == 1, weight.count == 4, (2...4).contains(weight[1]), weight[3] >= 3, packedConstant(node) != nil
    else { return false }
    let x = node.input(0)
    guard x.shape.count == 4, x.strides[3] == 1, x.strides[1] != 1, !x.isEmpty else { return false }
    return arithmetic.isSingle ? arithmetic.reads(x.dtype) : x.dtype == .float32
  }

  /// Arithmetic of the products. Depthwise and 3-D convolutions use single precision.
  func arithmetic(_ node: NodePlan) -> ProductArithmetic {
    let weight = node.operandType(1)
    let precision = node.builder.precision
    // Half-precision weights that a normalisation was folded into are float32. They are not rounded values of the half type, but they do
    // not need all bits of float32 either.
    let isHalf = [.float16, .bfloat16].contains(dtype) && dtype == node.operandType(0).dtype
    let arithmetic = ProductArithmetic(
      precision, node.operandType(0).dtype, isHalf && weight.dtype == .float32 ? .float16 : weight.dtype)
    if stride.count == 3 || isDepthwise(weight) { return .single }
    let output = node.outputs[0].shape
    let left = node.operandType(0).dtype
    let constant = packedConstant(node)?.type.dtype
    if isTransposed {
      // Each phase computes its share of the taps and of the results.
      let phases = stride.reduce(1, *)
      let inner = max(1, weight.shape[0] / groups * weight.shape.dropFirst(2).reduce(1, *) / phases)
      return arithmetic.unlessSlower(
        precision, left: left, constant: constant, rows: output[0] * output.dropFirst(2).reduce(1, *) / phases * groups,
        columns: weight.shape[1], inner: inner, planeInner: weight.shape[0] / groups)
    }
    let taps = weight.shape.dropFirst(2).reduce(1, *)
    let isPlanar = isPlanar(node, arithmetic)
    // Number of rounded values per result: the inputs, or the gathered taps where there are few channels that are not planes.
    let channels = weight.shape[1]
    let inputs = node.operandType(0).elementCount / max(groups * output.reduce(1, *) / max(output[1], 1), 1)
    let rows = output[0] * output.dropFirst(2).reduce(1, *)
    var known: (single: Double?, bfloat16: Double?) = (nil, nil)
    if output.count == 4, groups == 1, weight.shape[2...] == [3, 3], stride == [1, 1], dilation == [1, 1], packedConstant(node) != nil {
      known.single =
        ConvolutionMethod.fastest(
          images: output[0], height: output[2], width: output[3], inputChannels: channels, outputChannels: output[1]
        ).nanoseconds
      if BFloat16Unit.current == .vectors, left != .float16 {
        known.bfloat16 =
          ConvolutionMethod.fastestOfVectors(
            images: output[0], height: output[2], width: output[3], inputChannels: channels, outputChannels: output[1]
          ).nanoseconds
      }
    }
    return arithmetic.unlessSlower(
      precision, left: left, constant: constant, rows: rows * groups, columns: weight.shape[0] / groups, inner: channels * taps,
      planeInner: channels < 32 && !isPlanar ? channels * taps : inputs, isPlanar: isPlanar, known: known)
  }

  private func emit(_ node: NodePlan, _ convolution: ImageConvolution, _ y: TensorView, suffix: String = "") {
    let scratch = node.scratch(convolution.scratch)
    let kind = convolution.isDepthwise ? "depthwise" : isTransposed ? "conv_transpose" : "conv"
    let window = "\(convolution.kernel.height)x\(convolution.kernel.width)"
    let step = stride.contains { $0 != 1 } ? " s\(stride.map(String.init).joined(separator: "x"))" : ""
    let tail = activation == .none ? "" : " \(activation)"
    let work: KernelWork =
      switch convolution.method {
      case .direct, .planar: convolution.isDepthwise ? .depthwise : .product
      case .winograd(let side): .winograd(side: side)
      }
    node.emit(
      "\(kind) \(window)\(step) \(y.shape)\(tail)\(suffix)\(convolution.method.suffix)", flops: convolution.flops, work: work,
      convolution.kernel(scratch: scratch))
  }

  /// Packed weights: made once per program if the weight is constant, otherwise in every run.
  func weights(_ node: NodePlan, _ form: ConvolutionWeights, layout: String) throws(OperatorError) -> TensorView {
    if let constant = packedConstant(node) {
      let scaling = form.takesFactors && !isTransposed ? constant.scaling : nil
      return try node.packed([constant], layout: layout, parameters: form.parameters, byteCount: form.packedCount * 4) { storage in
        let bytes = try (scaling?.weight ?? constant).bytesAtAnyAddress()
        unsafe form.pack(
          bytes.pointer, constant.type.dtype, factors: scaling?.factors,
          into: storage.pointer.assumingMemoryBound(to: Float.self))
        withExtendedLifetime(bytes.owner) {}
      }
    }
    let source = try node.parameter(1, as: .float32)
    let packed = node.temporary(.float32, [form.packedCount])
    node.emit("pack weights") { context in
      unsafe form.pack(context.address(source), .float32, into: context.pointer(packed, as: Float.self))
    }
    return packed
  }

  /// The weight if it is a constant, which is packed from its own strides.
  func packedConstant(_ node: NodePlan) -> Constant? {
    guard let constant = node.constant(1), constant.type.dtype.isFloatingPoint else { return nil }
    return constant
  }

  /// Strides of the weight: a constant's own strides, otherwise row-major ones.
  private func weightStrides(_ node: NodePlan) -> [Int] {
    packedConstant(node)?.strides ?? Shape.contiguousStrides(node.operandType(1).shape)
  }

  /// Layout of the weight. A convolution over one axis gets a leading spatial axis of extent 1.
  func weightForm(_ node: NodePlan) -> ConvolutionWeights {
    let shape = node.operandType(1).shape
    let strides = weightStrides(node)
    let isLine = shape.count == 3
    let kernel = (height: isLine ? 1 : shape[2], width: shape[shape.count - 1])
    let taps = (y: isLine ? 0 : strides[2], x: strides[shape.count - 1])
    if isTransposed {
      var form = ConvolutionWeights(
        strides: (strides[1], strides[0], taps.y, taps.x), groups: groups, outputChannels: shape[1],
        inputChannels: shape[0] / groups, kernel: kernel)
      form.groupStride = shape[0] / groups * strides[0]
      return form
    }
    return ConvolutionWeights(
      strides: (strides[0], strides[1], taps.y, taps.x), groups: groups, outputChannels: shape[0] / groups, inputChannels: shape[1],
      kernel: kernel)
  }

  /// Whether products of bfloat16 are computed by vectors.
  private func usesVectors(_ node: NodePlan) -> Bool { node.builder.precision.kernels != .portable && BFloat16Unit.current == .vectors }

  /// The convolution of images, without bias and epilogue.
  private func image(
    _ node: NodePlan, _ x: TensorView, _ y: TensorView, _ arithmetic: ProductArithmetic, isPlanar: Bool
  ) throws(OperatorError) -> ImageConvolution {
    var form = weightForm(node)
    form.arithmetic = arithmetic
    let isLine = stride.count == 1
    if isPlanar { form.method = .planar }
    // Weights computed in each run are not worth a transformation.
    if form.method == .direct, groups == 1, form.kernel == (3, 3), stride == [1, 1], dilation == [1, 1], packedConstant(node) != nil {
      if arithmetic.isSingle {
        let choice = ConvolutionMethod.fastest(
          images: x.shape[0], height: y.shape[2], width: y.shape[3], inputChannels: form.inputChannels,
          outputChannels: form.outputChannels, areHalves: arithmetic == .singleOfHalves)
        form.method = choice.method
        if !choice.keepsHalves { form.arithmetic = .single }
      } else if arithmetic == .bfloat16, node.builder.precision.level == .fast, usesVectors(node),
        [.float32, .bfloat16].contains(x.dtype), [.float32, .bfloat16].contains(y.dtype)
      {
        form.method =
          ConvolutionMethod.fastestOfVectors(
            images: x.shape[0], height: y.shape[2], width: y.shape[3], inputChannels: form.inputChannels,
            outputChannels: form.outputChannels
          ).method
      }
    }
    var convolution = ImageConvolution(
      input: .init(x), inputExtents: (x.shape[2], x.shape[3]), output: .init(y), outputExtents: (y.shape[2], y.shape[3]),
      images: x.shape[0], inputChannels: form.inputChannels, outputChannels: form.outputChannels, groups: groups,
      kernel: form.kernel, stride: (isLine ? 1 : stride[0], stride[stride.count - 1]),
      dilation: (isLine ? 1 : dilation[0], dilation[dilation.count - 1]),
      padding: (isLine ? 0 : padding[0].before, padding[padding.count - 1].before),
      weights: try weights(node, form, layout: "conv"))
    convolution.arithmetic = form.arithmetic
    convolution.workers = node.workers
    convolution.method = form.method
    convolution.isPortable = node.builder.precision.kernels == .portable
    return convolution
  }

  /// A pointwise convolution: a product of all pixels with the weights.
  private func planProduct(
    _ node: NodePlan, _ x: TensorView, _ y: TensorView, _ bias: TensorView?, _ residual: TensorView?,
    _ arithmetic: ProductArithmetic, factors: TensorView?
  ) throws(OperatorError) {
    func pixels(_ view: TensorView) -> TensorView {
      let channels = view.shape[1]
      let count = view.elementCount / channels
      var matrix = view
      matrix.shape = [count, channels]
      matrix.strides = [view.isChannelsLast ? channels : view.strides[view.rank - 1], 1]
      return matrix
    }
    var form = weightForm(node)
    form.arithmetic = arithmetic
    if factors == nil, let matrix = try vectorMatrix(node, form, rows: y.elementCount / y.shape[1]) {
      node.emitProduct(
        "conv 1x1 \(y.shape)" + (activation == .none ? "" : " \(activation)"), of: pixels(x), matrix, bias: bias,
        residual: residual.map(pixels), to: pixels(y), activation: activation)
      return
    }
    var product = MatrixProduct(a: pixels(x), b: .packed(try weights(node, form, layout: "conv")), c: pixels(y))
    product.arithmetic = arithmetic
    product.workers = node.workers
    product.follow(node.builder.precision)
    product.bias = bias
    product.residual = residual.map(pixels)
    product.activation = activation
    product.scale = factors
    let tail = (product.scale == nil ? "" : " of scaled") + (activation == .none ? "" : " \(activation)")
    node.emit(
      "conv 1x1 \(y.shape)\(tail)", flops: product.flops, work: .product, product.kernel(scratch: node.scratch(product.scratch)))
  }

  /// The weights of a pointwise convolution with a single pixel, used in place; nil if packing them is better.
  private func vectorMatrix(_ node: NodePlan, _ form: ConvolutionWeights, rows: Int) throws(OperatorError) -> StoredMatrix? {
    let (shape, strides) = ([form.outputChannels, form.inputChannels], [form.strides.output, form.strides.input])
    guard rows == 1, form.arithmetic.isSingle, let constant = packedConstant(node),
      node.readsInPlace(constant, shape: shape, strides: strides, rows: rows),
      !node.builder.packed.holds([constant], layout: "conv", parameters: form.parameters)
    else { return nil }
    return try node.matrixInPlace(constant, shape: shape, strides: strides, rows: rows)
  }

  /// Plans a transposed convolution as ordinary ones. Results a stride apart use the same taps of the kernel, so that each phase of the
  /// stride is a convolution with these taps in reverse order.
  private func planPhases(
    _ node: NodePlan, _ x: TensorView, _ y: TensorView, _ bias: TensorView?, _ residual: TensorView?,
    _ arithmetic: ProductArithmetic
  ) throws(OperatorError) {
    var form = weightForm(node)
    form.arithmetic = arithmetic
    let isLine = stride.count == 1
    let steps = (y: isLine ? 1 : stride[0], x: stride[stride.count - 1])
    let dilations = (y: isLine ? 1 : dilation[0], x: dilation[dilation.count - 1])
    let pads = (top: isLine ? 0 : padding[0].before, left: padding[padding.count - 1].before)
    for phaseY in 0..<min(steps.y, y.shape[2]) {
      for phaseX in 0..<min(steps.x, y.shape[3]) {
        let rows = TransposedPhase(phaseY, stride: steps.y, padding: pads.top, dilation: dilations.y, taps: form.kernel.height)
        let columns = TransposedPhase(phaseX, stride: steps.x, padding: pads.left, dilation: dilations.x, taps: form.kernel.width)
        var phase = form
        // A phase without taps is a convolution with zeros; its results are the bias.
        let isBlank = rows.count == 0 || columns.count == 0
        phase.kernel = isBlank ? (1, 1) : (rows.count, columns.count)
        phase.offset = isBlank ? 0 : rows.lastTap * form.strides.y + columns.lastTap * form.strides.x
        phase.strides.y = -rows.tapStep * form.strides.y
        phase.strides.x = -columns.tapStep * form.strides.x
        let packed: TensorView
        if isBlank {
          let count = phase.packedCount
          packed = try node.packed([], layout: "zeros", parameters: [count]) { TensorStorage(zeroedByteCount: count * 4) }
        } else {
          packed = try weights(node, phase, layout: "conv transposed")
        }
        func part(_ view: TensorView) -> ImageConvolution.Images {
          .init(
            view, offset: phaseY * view.strides[2] + phaseX * view.strides[3], imageStride: view.strides[0],
            rowStride: view.strides[2] * steps.y, pixelStride: view.strides[3] * steps.x)
        }
        var convolution = ImageConvolution(
          input: .init(x), inputExtents: (x.shape[2], x.shape[3]), output: part(y),
          outputExtents: ((y.shape[2] - phaseY + steps.y - 1) / steps.y, (y.shape[3] - phaseX + steps.x - 1) / steps.x),
          images: x.shape[0], inputChannels: form.inputChannels, outputChannels: form.outputChannels, groups: groups,
          kernel: phase.kernel, stride: (1, 1), dilation: (rows.dilation, columns.dilation),
          padding: isBlank ? (0, 0) : (rows.padding, columns.padding), weights: packed)
        convolution.arithmetic = arithmetic
        convolution.workers = node.workers
        convolution.isPortable = node.builder.precision.kernels == .portable
        convolution.normalizePadding()
        convolution.bias = bias
        convolution.residual = residual.map(part)
        convolution.activation = activation
        emit(node, convolution, y, suffix: steps.y * steps.x > 1 ? " phase \(phaseY),\(phaseX)" : "")
      }
    }
  }

  /// Three spatial axes: the result is initialised with the bias, and each tap along depth adds a convolution of images.
  private func planVolume(
    _ node: NodePlan, _ x: TensorView, _ y: TensorView, _ bias: TensorView?, _ residual: TensorView?
  ) throws(OperatorError) {
    let shape = node.operandType(1).shape
    let strides = weightStrides(node)
    var start = PointwiseProgram()
    var operands: [PointwiseOperand] = []
    if let bias {
      var channels = bias
      channels.shape = [y.shape[1], 1, 1, 1]
      channels.strides = [1, 0, 0, 0]
      operands.append(.tensor(channels.broadcast(to: y.shape)))
      start.append(.load(operand: 0, as: .float32))
    }
    if let residual {
      operands.append(.tensor(residual))
      let value = start.append(.load(operand: operands.count - 1, as: .float32))
      if bias != nil { start.append(.binary(.add, 0, value)) }
    }
    if operands.isEmpty { start.append(.literal(.double(0), as: .float32)) }
    let fill = PointwiseKernel(start, operands: operands, output: y)
    node.emit("bias \(y.shape)", fill.kernel(scratch: node.workerScratch(byteCount: fill.scratchByteCount)))
    for tap in 0..<shape[2] {
      var form = ConvolutionWeights(
        strides: (strides[0], strides[1], strides[3], strides[4]), groups: groups, outputChannels: shape[0] / groups,
        inputChannels: shape[1], kernel: (shape[3], shape[4]))
      form.offset = tap * strides[2]
      let packed = try weights(node, form, layout: "conv depth")
      let origin = tap * dilation[0] - padding[0].before
      let first = origin < 0 ? (-origin + stride[0] - 1) / stride[0] : 0
      let end = min(y.shape[2], x.shape[2] - 1 - origin < 0 ? 0 : (x.shape[2] - 1 - origin) / stride[0] + 1)
      if first >= end { continue }
      for batch in 0..<x.shape[0] {
        let output = ImageConvolution.Images(
          y, offset: batch * y.strides[0] + first * y.strides[2], imageStride: y.strides[2], rowStride: y.strides[3],
          pixelStride: y.strides[4])
        var convolution = ImageConvolution(
          input: .init(
            x, offset: batch * x.strides[0] + (first * stride[0] + origin) * x.strides[2], imageStride: x.strides[2] * stride[0],
            rowStride: x.strides[3], pixelStride: x.strides[4]),
          inputExtents: (x.shape[3], x.shape[4]), output: output, outputExtents: (y.shape[3], y.shape[4]), images: end - first,
          inputChannels: form.inputChannels, outputChannels: form.outputChannels, groups: groups, kernel: form.kernel,
          stride: (stride[1], stride[2]), dilation: (dilation[1], dilation[2]), padding: (padding[1].before, padding[2].before),
          weights: packed)
        convolution.residual = output
        emit(node, convolution, y, suffix: " tap \(tap)")
      }
    }
    if activation != .none {
      let kernel = PointwiseKernel(activation.program(as: .float32), operands: [.tensor(y)], output: y)
      node.emit("\(activation)", kernel.kernel(scratch: node.workerScratch(byteCount: kernel.scratchByteCount)))
    }
  }
}

extension ConvolutionWeights {
  fileprivate var parameters: [Int] {
    [
      offset, strides.output, strides.input, strides.y, strides.x, groups, kernel.height, kernel.width, groupStride ?? 0,
      arithmetic.rawValue, arithmetic == .singleOfHalves && method != .planar ? ConvolutionMethod.direct.code : method.code,
    ]
  }
}
