package import MartletGraph
import MartletKernels
package import MartletTensor
package import MartletVocabulary

/// Maximum or average over windows of the last two axes.
/// - Operands: `x` [N, C, H, W] or [C, H, W]. - Results: the pooled tensor and, if `givesIndices`, the int64 positions of the maxima in
///   the [H, W] plane.
/// - DTypes: floating-point types and integers.
/// - Sources: ATen `max_pool2d_with_indices.out`, `avg_pool2d.out`, `_adaptive_avg_pool2d.out`; MIL `max_pool`, `avg_pool`.
package struct Pool: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .real)], accuracy: .lengthScaled)

  package enum Window: Sendable, Hashable {
    case sliding(kernel: [Int], stride: [Int], before: [Int], after: [Int], dilation: [Int], ceil: Bool)
    case adaptive(output: [IntArgument])
  }

  package var window: Window
  package var reduction: PoolReduction
  package var givesIndices: Bool

  package var name: String { reduction == .maximum ? "max_pool" : "average_pool" }

  package init(_ window: Window, reduction: PoolReduction, givesIndices: Bool = false) {
    self.window = window
    self.reduction = reduction
    self.givesIndices = givesIndices
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.rank == 3 || x.rank == 4, !x.dtype.isComplex else { throw .invalid("an image is needed, not \(x)") }
    var shape = x.shape
    for axis in 0..<2 {
      let extent = x.shape[x.rank - 2 + axis]
      switch window {
      case .sliding(let kernel, let stride, let before, let after, let dilation, let ceil):
        guard kernel.count == 2, stride.count == 2, before.count == 2, after.count == 2, dilation.count == 2 else {
          throw .invalid("a window of two axes is needed")
        }
        guard
          let output = PoolWindow.outputExtent(
            extent, kernel: kernel[axis], stride: stride[axis], paddingBefore: before[axis], paddingAfter: after[axis],
            dilation: dilation[axis], ceil: ceil)
        else { throw .invalid("a window \(kernel) with stride \(stride) and padding \(before) does not fit \(x.shape)") }
        shape[x.rank - 2 + axis] = output
      case .adaptive(let output):
        guard output.count == 2 else { throw .invalid("the pooled size needs two extents") }
        let wanted = try operands.int(output[axis])
        guard wanted >= 0, extent > 0 || wanted == 0, wanted < 1 << 28, extent < 1 << 28 else {
          throw .invalid("\(extent) elements cannot be pooled to \(wanted)")
        }
        shape[x.rank - 2 + axis] = wanted
      }
    }
    let type = OperandType.tensor(TensorType(x.dtype, shape))
    return givesIndices ? [type, .tensor(TensorType(.int64, shape))] : [type]
  }

  package var traits: OperatorTraits { givesIndices ? .givesImages : .givesImages.union(.readsSpacedPixels) }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard case .adaptive(let output) = window, output.count == 2 else { return operands.shape(0, replacingLast: [nil, nil]) }
    return operands.shape(0, replacingLast: output.map { operands.extent($0) })
  }

  package func narrowForm(_ operands: [TensorSignature?]) -> NarrowForm? {
    givesIndices ? nil : NarrowForm(narrowed: self, operands: Set(operands.indices), tied: Set(operands.indices))
  }

  package var givingFirstResult: (any PlannedOperator)? {
    guard givesIndices else { return nil }
    var result = self
    result.givesIndices = false
    return result
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? {
    let type = node.operandType(0)
    return usesImageKernel(type) ? Shape.channelsLastOrder(rank: 4) : nil
  }

  /// The vector kernel supports images with a batch axis, but not their positions.
  private func usesImageKernel(_ type: TensorType) -> Bool {
    [.float32, .float16, .bfloat16].contains(type.dtype) && type.rank == 4 && !givesIndices
  }

  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] {
    guard node.results.dropFirst().allSatisfy({ $0 == nil }), let gradient = node.results.first ?? nil else {
      throw .unsupported("the derivative of the positions of maxima")
    }
    return [try node.apply(PoolGradient(window, reduction: reduction), [gradient, try node.operand(0)])]
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let type = node.operandType(0).dtype
    let compute: DType = type == .float64 ? .float64 : type.isFloatingPoint ? .float32 : .int64
    let usesImages = usesImageKernel(node.operandType(0))
    let source = usesImages ? node.evenPixels(0) : node.strided(0, as: compute)
    let output = usesImages || node.outputs[0].dtype == compute ? node.outputs[0] : node.staging(0, as: compute)
    let shape = output.shape
    let rank = shape.count
    // The windows of each axis are tables with three integers per position.
    for axis in 0..<2 { try node.checkTable(entryCount: shape[rank - 2 + axis], byteCount: 24) }
    func windows(_ axis: Int) -> PoolWindow {
      window.along(axis, extent: source.shape[rank - 2 + axis], output: shape[rank - 2 + axis])
    }
    let kernel = PoolKernel(
      x: source.asBatch, y: output.asBatch, indices: givesIndices ? node.outputs[1].asBatch : nil, rows: windows(0),
      columns: windows(1), reduction: reduction)
    let label = "\(name) \(shape)"
    let flops = kernel.operationCount
    if usesImages {
      node.emit(label, flops: flops, work: .depthwise, kernel.imageKernel())
      return
    }
    switch compute {
    case .float64: node.emit(label, flops: flops, work: .depthwise, kernel.kernel(Double.self))
    case .float32: node.emit(label, flops: flops, work: .depthwise, kernel.kernel(Float.self))
    default: node.emit(label, flops: flops, work: .depthwise, kernel.kernel(Int64.self))
    }
    node.finish(0, from: output)
  }
}

extension TensorView {
  /// A rank-4 view; a leading batch axis of extent 1 is added to rank 3.
  var asBatch: TensorView {
    if rank == 4 { return self }
    var view = self
    view.shape.insert(1, at: 0)
    view.strides.insert(0, at: 0)
    return view
  }
}

extension Pool.Window {
  /// The windows along the first or the second axis.
  func along(_ axis: Int, extent: Int, output: Int) -> PoolWindow {
    switch self {
    case .sliding(let kernel, let stride, let before, let after, let dilation, _):
      PoolWindow(
        extent: extent, output: output, kernel: kernel[axis], stride: stride[axis], padding: before[axis], paddingAfter: after[axis],
        dilation: dilation[axis])
    case .adaptive: PoolWindow(adaptiveExtent: extent, output: output)
    }
  }
}

/// Gradient of a maximum pooling: adds each element of `gradient` to the position that `indices` gives.
/// - Operands: `gradient` and int64 `indices` [N, C, h, w] (or without N), the pooling's input `x`. - Result: with the shape of `x`.
/// - Source: ATen `max_pool2d_with_indices_backward.grad_input`.
package struct MaxPoolGradient: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("gradient", .data, .any), .init("indices", .indices, .integer), .init("x", .data, .any),
    ], accuracy: .lengthScaled)

  package var name: String { "max_pool_gradient" }
  package init() {}

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let gradient = try operands.tensor(0)
    let indices = try operands.tensor(1)
    let x = try operands.tensor(2)
    guard gradient.shape == indices.shape, gradient.rank == x.rank, x.rank >= 3,
      gradient.shape.dropLast(2) == x.shape.dropLast(2), indices.dtype == .int64
    else { throw .invalid("\(gradient), \(indices) and \(x) do not belong to the same pooling") }
    return [.tensor(TensorType(gradient.dtype, x.shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(2)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let gradient = node.contiguous(0, as: .float64)
    let indices = node.contiguous(1)
    let output = node.staging(0, as: .float64)
    let plane = output.shape.suffix(2).reduce(1, *)
    let window = gradient.shape.suffix(2).reduce(1, *)
    let planes = output.shape.dropLast(2).reduce(1, *)
    node.emit(name) { context in
      let source = context.elements(gradient, as: Double.self)
      let places = context.elements(indices, as: Int64.self)
      let target = context.elements(output, as: Double.self)
      for index in 0..<planes * plane { target[index] = 0 }
      for channel in 0..<planes {
        for index in channel * window..<(channel + 1) * window {
          let place = places[index]
          guard place >= 0, place < plane else {
            throw KernelError("index \(place) is out of range for a plane of \(plane) elements")
          }
          target[channel * plane + Int(widening: place)] += source[index]
        }
      }
    }
    node.finish(0, from: output)
  }
}
