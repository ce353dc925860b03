package import MartletTensor

/// Gradients of a convolution, computed from the definition in Double. All views are row-major float64 with three spatial axes.
package struct ConvolutionGradientKernel: Sendable {
  /// Gradient of the result, and the convolution's operands.
  package var gradient: TensorView
  package var x: TensorView
  package var weight: TensorView
  /// Gradients with the shapes of `x`, `weight` and [output channels]; nil if not requested.
  package var inputGradient: TensorView?
  package var weightGradient: TensorView?
  package var biasGradient: TensorView?
  package var stride: [Int]
  package var padding: [Int]
  package var dilation: [Int]
  package var isTransposed: Bool
  package var groups: Int

  package init(
    gradient: TensorView, x: TensorView, weight: TensorView, stride: [Int], padding: [Int], dilation: [Int], isTransposed: Bool,
    groups: Int
  ) {
    self.gradient = gradient
    self.x = x
    self.weight = weight
    self.stride = stride
    self.padding = padding
    self.dilation = dilation
    self.isTransposed = isTransposed
    self.groups = groups
  }

  package func kernel() -> Kernel {
    let me = self
    return { context in
      let upstream = context.elements(me.gradient, as: Double.self)
      let input = context.elements(me.x, as: Double.self)
      let weights = context.elements(me.weight, as: Double.self)
      let results = [me.inputGradient, me.weightGradient, me.biasGradient].compactMap { $0 }
      for result in results {
        let elements = context.elements(result, as: Double.self)
        for index in 0..<result.elementCount { elements[index] = 0 }
      }
      let toInput = me.inputGradient.map { context.elements($0, as: Double.self) }
      let toWeight = me.weightGradient.map { context.elements($0, as: Double.self) }
      let (channels, outputs) = (me.x.shape[1] / me.groups, me.gradient.shape[1] / me.groups)
      let extents = (me.x.shape.suffix(3).map { $0 }, me.gradient.shape.suffix(3).map { $0 })
      let (inputPlane, outputPlane) = (extents.0.reduce(1, *), extents.1.reduce(1, *))
      let kernel = me.weight.shape.suffix(3).map { $0 }
      let taps = kernel.reduce(1, *)
      // Iterate over the positions of one side; each tap maps them to positions of the other side.
      let walked = me.isTransposed ? extents.0 : extents.1
      let reached = me.isTransposed ? extents.1 : extents.0
      for place in 0..<walked.reduce(1, *) {
        let p = (place / (walked[1] * walked[2]), place / walked[2] % walked[1], place % walked[2])
        for tap in 0..<taps {
          let t = (tap / (kernel[1] * kernel[2]), tap / kernel[2] % kernel[1], tap % kernel[2])
          let q0 = p.0 * me.stride[0] - me.padding[0] + t.0 * me.dilation[0]
          let q1 = p.1 * me.stride[1] - me.padding[1] + t.1 * me.dilation[1]
          let q2 = p.2 * me.stride[2] - me.padding[2] + t.2 * me.dilation[2]
          guard q0 >= 0, q0 < reached[0], q1 >= 0, q1 < reached[1], q2 >= 0, q2 < reached[2] else { continue }
          let other = (q0 * reached[1] + q1) * reached[2] + q2
          let (from, to) = me.isTransposed ? (place, other) : (other, place)
          for row in 0..<me.x.shape[0] * me.groups {
            let (batch, group) = row.quotientAndRemainder(dividingBy: me.groups)
            for o in 0..<outputs {
              let g = upstream[(batch * outputs * me.groups + group * outputs + o) * outputPlane + to]
              for c in 0..<channels {
                let source = (batch * channels * me.groups + group * channels + c) * inputPlane + from
                let w =
                  me.isTransposed
                  ? ((group * channels + c) * outputs + o) * taps + tap : ((group * outputs + o) * channels + c) * taps + tap
                if let toInput { toInput[source] += weights[w] * g }
                if let toWeight { toWeight[w] += input[source] * g }
              }
            }
          }
        }
      }
      guard let bias = me.biasGradient else { return }
      let toBias = context.elements(bias, as: Double.self)
      let all = outputs * me.groups
      for index in 0..<me.gradient.elementCount { toBias[index / outputPlane % all] += upstream[index] }
    }
  }
}
