package import MartletGraph
import MartletKernels
package import MartletTensor
package import MartletVocabulary

/// Grouped convolution or transposed convolution over one to three spatial axes, with bias, residual and activation.
/// - Operands: `x` [N, C, spatial…]; `weight` [O, C/groups, kernel…], transposed [C, O/groups, kernel…]; optional `bias` [O]; optional
///   `residual` with the shape of the result, added before the activation; optional `factors` [1, C, 1…] that multiply `x`, for a batch
///   of one, a dtype up to float32 and a window of one element. The products with `factors` are not rounded to the dtype of `x`.
/// - Shapes: result [N, O, spatial…]. An operand without the batch axis (one rank lower) is treated as a batch of one.
/// - DTypes: floating-point types (half types accumulate in float32) and integers (in int64).
/// - Accuracy: error of a sum of C/groups × kernel products in the accumulation type.
/// - Sources: ATen `convolution.out`; MIL `conv`, `conv_transpose`; XNNPACK's convolution nodes.
package struct Convolution: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .real), .init("weight", .weight, .real), .init("bias", .parameter, .real, isOptional: true),
      .init("residual", .data, .real, isOptional: true), .init("factors", .parameter, .half, isOptional: true),
    ], accuracy: .lengthScaled)

  package var stride: [Int]
  /// Zeros added before and after each axis; for a transposed convolution, elements removed there.
  package var padding: [(before: Int, after: Int)]
  package var dilation: [Int]
  package var isTransposed: Bool
  /// Elements added after each axis by a transposed convolution.
  package var outputPadding: [Int]
  package var groups: Int
  package var activation = Activation.none
  /// Dtype of the result.
  package var dtype: DType

  package var name: String { isTransposed ? "conv_transpose" : "conv" }

  package init(
    stride: [Int], padding: [(before: Int, after: Int)], dilation: [Int], isTransposed: Bool = false, outputPadding: [Int],
    groups: Int, dtype: DType
  ) {
    self.stride = stride
    self.padding = padding
    self.dilation = dilation
    self.isTransposed = isTransposed
    self.outputPadding = outputPadding
    self.groups = groups
    self.dtype = dtype
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let weight = try operands.tensor(1)
    if x.dtype.isComplex { throw .unsupported("a convolution of \(x.dtype)") }
    let spatial = weight.rank - 2
    guard (1...3).contains(spatial) else { throw .unsupported("a convolution over \(spatial) spatial axes") }
    guard x.rank == spatial + 2 else { throw .invalid("\(x.shape) does not fit a weight \(weight.shape)") }
    guard stride.count == spatial, padding.count == spatial, dilation.count == spatial, outputPadding.count == spatial,
      stride.allSatisfy({ $0 > 0 }), dilation.allSatisfy({ $0 > 0 }), padding.allSatisfy({ $0.before >= 0 && $0.after >= 0 }),
      outputPadding.allSatisfy({ $0 >= 0 }), groups > 0
    else { throw .invalid("stride, padding or dilation do not fit \(spatial) axes") }
    let channels = x.shape[1]
    let inputChannels = isTransposed ? weight.shape[0] : try extentProduct(weight.shape[1], groups)
    let outputChannels = isTransposed ? try extentProduct(weight.shape[1], groups) : weight.shape[0]
    guard channels == inputChannels, channels % groups == 0, outputChannels % groups == 0 else {
      throw .invalid("\(channels) channels in \(groups) groups do not fit a weight \(weight.shape)")
    }
    var shape = [x.shape[0], outputChannels]
    for axis in 0..<spatial {
      let extent = try outputExtent(axis, input: x.shape[axis + 2], kernel: weight.shape[axis + 2])
      shape.append(extent)
    }
    if let bias = operands.optionalTensor(2), bias.elementCount != outputChannels {
      throw .invalid("a bias \(bias.shape) does not fit \(outputChannels) channels")
    }
    if let residual = operands.optionalTensor(3), residual.shape != shape {
      throw .invalid("a residual \(residual.shape) does not fit \(shape)")
    }
    if let factors = operands.optionalTensor(4) {
      let expected = [1, channels] + [Int](repeating: 1, count: spatial)
      guard factors.shape == expected, factors.dtype == .float32 || factors.dtype == dtype,
        [.float32, .float16, .bfloat16].contains(factors.dtype), [.float32, .float16, .bfloat16].contains(x.dtype),
        weight.dtype != .float64, x.shape[0] == 1, isProduct(weight)
      else {
        throw .invalid("factors \(factors) do not fit \(x)")
      }
    }
    return [.tensor(TensorType(dtype, shape))]
  }

  package var traits: OperatorTraits { .givesImages.union(.storesSpacedPixels) }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0).flatMap { operands.leading(1, of: 0, Array(repeating: nil, count: max($0.count - 1, 0))) }
  }

  package var fusedAddends: FusedAddends { [.residual] }

  package func fusing(_ activation: Activation, _ dtype: DType, hasResidual: Bool) -> (any PlannedOperator)? {
    guard self.activation == .none, self.dtype == dtype else { return nil }
    var fused = self
    fused.activation = activation
    return fused
  }

  package func narrowForm(_ operands: [TensorSignature?]) -> NarrowForm? {
    guard dtype == .float32, stride.count < 3 else { return nil }
    var narrowed = self
    narrowed.dtype = .bfloat16
    // A depthwise convolution's input has the type of its result.
    return NarrowForm(narrowed: narrowed, operands: [0, 3], tied: groups > 1 ? [0, 3] : [3])
  }

  private func outputExtent(_ axis: Int, input: Int, kernel: Int) throws(OperatorError) -> Int {
    guard kernel > 0 else { throw .invalid("a kernel of extent 0") }
    let reach = Extent(dilation[axis]) * (kernel - 1)
    let pads = Extent(padding[axis].before) + padding[axis].after
    let sum: Extent
    if isTransposed {
      sum = (Extent(input) - 1) * stride[axis] - pads + reach + outputPadding[axis] + 1
    } else {
      let free = Extent(input) + pads - reach - 1
      guard free >= 0 else { throw .invalid("the kernel is larger than the padded input on spatial axis \(axis)") }
      sum = free / stride[axis] + 1
    }
    guard let extent = sum.value else { throw .invalid("the extent of spatial axis \(axis) overflows") }
    guard extent >= 0 else { throw .invalid("the extent of spatial axis \(axis) is \(extent)") }
    return extent
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? { Shape.channelsLastOrder(rank: node.outputType(0).rank) }

  package func packs(operand: Int) -> Bool { operand == 1 || operand == 2 }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let types = (node.operandType(0).dtype, node.operandType(1).dtype)
    let isFloat = types.0.isFloatingPoint && types.1.isFloatingPoint
    let hasTooManyPhases = isTransposed && TransposedPhase.areTooMany(stride: stride, node.outputType(0))
    if isFloat, types.0 != .float64, types.1 != .float64, !hasTooManyPhases, try planVector(node) { return }
    try planExact(node, as: isFloat ? .float64 : .int64)
  }

  func planExact(_ node: NodePlan, as dtype: DType) throws(OperatorError) {
    let output = node.staging(0, as: dtype)
    let convolution = ExactConvolution(
      x: try node.parameter(0, as: dtype), weight: try node.parameter(1, as: dtype),
      bias: node.has(2) ? try node.parameter(2, as: dtype) : nil,
      residual: node.has(3) ? try node.parameter(3, as: dtype) : nil, output: output, stride: stride,
      padding: padding.map(\.before), dilation: dilation, isTransposed: isTransposed, groups: groups)
    node.emit(
      "\(name) \(output.shape) \(dtype)", flops: convolution.flops, work: .depthwise,
      dtype == .float64 ? convolution.kernel(Double.self) : convolution.kernel(Int64.self))
    if activation != .none {
      guard dtype == .float64 else { throw .unsupported("an activation on integers") }
      let kernel = PointwiseKernel(activation.program(as: .float64), operands: [.tensor(output)], output: output)
      node.emit("\(activation)", kernel.kernel(scratch: node.workerScratch(byteCount: kernel.scratchByteCount)))
    }
    node.finish(0, from: output)
  }
}
