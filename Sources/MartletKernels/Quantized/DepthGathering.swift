package import MartletTensor

/// Gathers the pixels of neighbouring slices of 8-bit volumes side by side, which turns a 3-D convolution into a 2-D convolution.
package struct DepthGathering: Sendable {
  /// Number of slices gathered, their dilation, and the stride from one result to the next.
  package var taps: Int
  package var stride: Int
  package var dilation: Int
  /// Padding slices before the first one.
  package var padding: Int
  package var groups: Int
  /// Value of the elements of padding slices.
  package var fill: Int32

  package init(taps: Int, stride: Int, dilation: Int, padding: Int, groups: Int, fill: Int32) {
    self.taps = taps
    self.stride = stride
    self.dilation = dilation
    self.padding = padding
    self.groups = groups
    self.fill = fill
  }

  /// - Parameters:
  ///   - x: [N, C, D, H, W], dense with the channels innermost.
  ///   - y: [N * depth, groups * taps * C / groups, H, W], dense with the channels innermost. Each group's channels are ordered by tap.
  package func kernel(_ x: TensorView, to y: TensorView, depth: Int) -> Kernel {
    if y.isEmpty { return { _ in } }
    let me = self
    let channels = x.shape[1] / groups
    let (slices, pixels) = (x.shape[2], x.shape[3] * x.shape[4])
    return { context in
      let x = unsafe context.pointer(x, as: UInt8.self)
      let target = unsafe context.pointer(y, as: UInt8.self)
      context.parallelRanges(y.shape[0], grain: max(1, 65536 / max(y.elementCount / y.shape[0], 1))) { images, _ in
        for image in images {
          let (batch, position) = image.quotientAndRemainder(dividingBy: depth)
          var out = unsafe target + image * pixels * me.groups * me.taps * channels
          for pixel in 0..<pixels {
            for group in 0..<me.groups {
              for tap in 0..<me.taps {
                let slice = position * me.stride - me.padding + tap * me.dilation
                if slice >= 0, slice < slices {
                  let place = ((batch * slices + slice) * pixels + pixel) * me.groups + group
                  unsafe out.update(from: x + place * channels, count: channels)
                } else {
                  unsafe out.update(repeating: UInt8(truncatingIfNeeded: me.fill), count: channels)
                }
                unsafe out += channels
              }
            }
          }
        }
      }
    }
  }
}
