package import MartletTensor

/// Convolution computed from the definition in Double or Int64 (wrapping). The reference for the vector kernels, and the implementation for
/// types that they do not support. Spatial rank 1 to 3.
package struct ExactConvolution: Sendable {
  private let x: TensorView
  private let weight: TensorView
  private let bias: TensorView?
  private let residual: TensorView?
  private let output: TensorView
  private let isTransposed: Bool
  private let groups: Int
  /// Extents of output, input and kernel along three spatial axes; missing leading axes have extent 1.
  private let outputExtents: [Int]
  private let inputExtents: [Int]
  private let kernelExtents: [Int]
  /// Per axis, row-major [output position][tap]: the input position, or -1.
  private let positions: [[Int32]]

  /// All tensors row-major and of one dtype.
  package init(
    x: TensorView, weight: TensorView, bias: TensorView?, residual: TensorView?, output: TensorView, stride: [Int], padding: [Int],
    dilation: [Int], isTransposed: Bool, groups: Int
  ) {
    self.x = x
    self.weight = weight
    self.bias = bias
    self.residual = residual
    self.output = output
    self.isTransposed = isTransposed
    self.groups = groups
    let missing = 3 - (x.rank - 2)
    let ones = [Int](repeating: 1, count: missing)
    outputExtents = ones + output.shape.dropFirst(2)
    inputExtents = ones + x.shape.dropFirst(2)
    kernelExtents = ones + weight.shape.dropFirst(2)
    var positions: [[Int32]] = [[Int32]](repeating: [0], count: missing)
    for axis in 0..<(3 - missing) {
      let taps = weight.shape[axis + 2]
      let extent = x.shape[axis + 2]
      positions.append(
        (0..<output.shape[axis + 2] * taps).map { index in
          let (y, tap) = index.quotientAndRemainder(dividingBy: taps)
          let position: Int
          if isTransposed {
            let spread = y + padding[axis] - tap * dilation[axis]
            guard spread >= 0, spread % stride[axis] == 0 else { return -1 }
            position = spread / stride[axis]
          } else {
            position = y * stride[axis] - padding[axis] + tap * dilation[axis]
          }
          return position >= 0 && position < extent ? Int32(truncatingIfNeeded: position) : -1
        })
    }
    self.positions = positions
  }

  /// Multiplications and additions of one run, including padding.
  package var flops: Double {
    2 * Double(output.elementCount) * Double(kernelExtents.reduce(1, *)) * Double(x.shape[1] / groups)
  }

  @_specialize(where T == Double)
  @_specialize(where T == Int64)
  package func kernel<T: ExactElement>(_ type: T.Type) -> Kernel {
    if output.isEmpty { return { _ in } }
    let channels = x.shape[1] / groups
    let outputChannels = output.shape[1]
    let perGroup = outputChannels / groups
    let plane = outputExtents.reduce(1, *)
    let inputPlane = inputExtents.reduce(1, *)
    let taps = kernelExtents.reduce(1, *)
    let me = self
    return { context in
      let source = context.elements(me.x, as: T.self)
      let weights = context.elements(me.weight, as: T.self)
      let target = context.elements(me.output, as: T.self)
      let biases = me.bias.map { context.elements($0, as: T.self) }
      let residuals = me.residual.map { context.elements($0, as: T.self) }
      let (k0, k1, k2) = (me.kernelExtents[0], me.kernelExtents[1], me.kernelExtents[2])
      let (o1, o2) = (me.outputExtents[1], me.outputExtents[2])
      let (i1, i2) = (me.inputExtents[1], me.inputExtents[2])
      context.parallelRanges(me.output.shape[0] * outputChannels, grain: max(1, 16384 / max(plane * taps * channels, 1))) { range, _ in
        for row in range {
          let (batch, channel) = row.quotientAndRemainder(dividingBy: outputChannels)
          let (group, inGroup) = channel.quotientAndRemainder(dividingBy: perGroup)
          let input = (batch * channels * me.groups + group * channels) * inputPlane
          for position in 0..<plane {
            let (rest, y2) = position.quotientAndRemainder(dividingBy: o2)
            let (y0, y1) = rest.quotientAndRemainder(dividingBy: o1)
            var sum = T.zero
            for t0 in 0..<k0 {
              let p0 = me.positions[0][y0 * k0 + t0]
              if p0 < 0 { continue }
              for t1 in 0..<k1 {
                let p1 = me.positions[1][y1 * k1 + t1]
                if p1 < 0 { continue }
                for t2 in 0..<k2 {
                  let p2 = me.positions[2][y2 * k2 + t2]
                  if p2 < 0 { continue }
                  let pixel = (Int(p0) * i1 + Int(p1)) * i2 + Int(p2)
                  let tap = (t0 * k1 + t1) * k2 + t2
                  for c in 0..<channels {
                    let w =
                      me.isTransposed
                      ? ((group * channels + c) * perGroup + inGroup) * taps + tap : (channel * channels + c) * taps + tap
                    sum = T.multiplyAdd(source[input + c * inputPlane + pixel], weights[w], sum)
                  }
                }
              }
            }
            if let biases { sum = T.sum(sum, biases[channel]) }
            if let residuals { sum = T.sum(sum, residuals[row * plane + position]) }
            target[row * plane + position] = sum
          }
        }
      }
    }
  }
}
