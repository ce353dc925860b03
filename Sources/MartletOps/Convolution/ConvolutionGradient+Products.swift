import MartletGraph
import MartletKernels
import MartletTensor
import MartletVocabulary

extension ConvolutionGradient {
  /// Size of the windows that are gathered at a time, so that they stay in a cache until they are multiplied.
  private static let blockByteCount = 1 << 20
  /// Maximum number of groups, each of which has products of its own.
  private static let mostGroups = 16

  /// Plans the gradient of the weight in float32 as products of gathered windows and the gradient.
  ///
  /// - Returns: false for other gradients, types and numbers of axes.
  func planProducts(_ node: NodePlan) throws(OperatorError) -> Bool {
    let groups = convolution.groups
    guard wanted == [false, true, false], convolution.stride.count <= 2, groups <= Self.mostGroups,
      (0..<3).allSatisfy({ node.operandType($0).dtype == .float32 }), node.outputs[0].dtype == .float32,
      (0..<3).allSatisfy({ node.operandType($0).elementCount > 0 })
    else { return false }
    // The weight of a transposed convolution has the gradient of an ordinary one from the result to the operand.
    let (first, second) = convolution.isTransposed ? (0, 1) : (1, 0)
    let gradient = node.channelsLast(second).asImages
    let weight = node.operandType(2).shape
    let isLine = convolution.stride.count == 1
    let kernel = (isLine ? [1] : []) + weight.dropFirst(2)
    let stride = (isLine ? [1] : []) + convolution.stride
    let dilation = (isLine ? [1] : []) + convolution.dilation
    let x = padded(node.channelsLast(first).asImages, (isLine ? [(0, 0)] : []) + convolution.padding, node)
    let (images, height, width) = (gradient.shape[0], gradient.shape[2], gradient.shape[3])
    let (inputs, outputs) = (weight[1], weight[0] / groups)
    let inner = kernel[0] * kernel[1] * inputs
    let windowByteCount = (Extent(height) * width * kernel[0] * kernel[1] * inputs * 4).clamped
    let block = min(max(Self.blockByteCount / max(windowByteCount, 1), 1), images)
    for group in 0..<groups {
      var windows = x.sliced(axis: 1, start: group * inputs, count: inputs, step: 1)
      let steps = windows.strides
      windows.shape = [images, height, width, kernel[0], kernel[1], inputs]
      windows.strides = [
        steps[0], steps[2] * stride[0], steps[3] * stride[1], steps[2] * dilation[0], steps[3] * dilation[1], steps[1],
      ]
      let upstream = gradient.sliced(axis: 1, start: group * outputs, count: outputs, step: 1).permuted([0, 2, 3, 1])
      // An axis of one element may have any stride.
      let rowStride = upstream.strides[(0..<3).last { upstream.shape[$0] > 1 } ?? 0]
      let sum = node.temporary(.float32, [inner, outputs])
      for start in Swift.stride(from: 0, to: images, by: block) {
        let count = min(block, images - start)
        let rows = count * height * width
        let gathered = node.temporary(.float32, [rows, inner])
        let part = windows.sliced(axis: 0, start: start, count: count, step: 1)
        guard let target = gathered.reshaped(part.shape) else { throw .invalid("the windows \(part.shape) have no matrix") }
        node.builder.emitCopy(from: part, to: target, source: node.source)
        var right = upstream.sliced(axis: 0, start: start, count: count, step: 1)
        right.shape = [rows, outputs]
        right.strides = [rowStride, upstream.strides[3]]
        let scratch = node.temporary(.float32, [max(MatrixProduct.packedCount(k: rows, n: outputs, for: .single), 1)])
        var product = MatrixProduct(a: gathered.permuted([1, 0]), b: .strided(right, scratch: scratch), c: sum)
        product.workers = node.workers
        if start > 0 { product.residual = sum }
        node.emit(
          "\(name) \(weight) of \(count) images", flops: product.flops, work: .product,
          product.kernel(scratch: node.scratch(product.scratch)))
      }
      let own = node.outputs[0].asImages.sliced(axis: 0, start: group * outputs, count: outputs, step: 1).permuted([2, 3, 1, 0])
      guard let result = sum.reshaped(own.shape) else { throw .invalid("the gradient \(sum.shape) does not have the shape of the weight") }
      node.builder.emitCopy(from: result, to: own, source: node.source)
    }
    return true
  }

  /// The images with zeros around them, channels innermost.
  private func padded(_ x: TensorView, _ padding: [(before: Int, after: Int)], _ node: NodePlan) -> TensorView {
    guard padding.contains(where: { $0 != (0, 0) }) else { return x }
    var shape = x.shape
    for axis in 0..<2 { shape[axis + 2] += padding[axis].before + padding[axis].after }
    let whole = node.builder.temporary(TensorType(.float32, shape), order: Shape.channelsLastOrder(rank: 4))
    node.emit("zeros \(shape)", bytes: Double(whole.byteCount), Fill.kernel(whole) { _ in .double(0) })
    let middle = whole.sliced(axis: 2, start: padding[0].before, count: x.shape[2], step: 1)
      .sliced(axis: 3, start: padding[1].before, count: x.shape[3], step: 1)
    node.builder.emitCopy(from: x, to: middle, source: node.source)
    return whole
  }
}
