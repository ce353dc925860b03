import MartletKernels
import MartletTensor

/// The taps used by the results of one phase of a transposed convolution's stride, along one axis.
struct TransposedPhase {
  let count: Int
  /// The last tap, which is the first one in input order, and the distance between taps.
  let lastTap: Int
  let tapStep: Int
  /// Distance between the input elements of neighbouring taps, and zeros before the first one.
  let dilation: Int
  let padding: Int

  init(_ phase: Int, stride: Int, padding: Int, dilation: Int, taps: Int) {
    let matching = (0..<taps).filter { (phase + padding - $0 * dilation) % stride == 0 }
    count = matching.count
    lastTap = matching.last ?? 0
    tapStep = matching.count > 1 ? matching[1] - matching[0] : 1
    self.dilation = matching.count > 1 ? tapStep * dilation / stride : 1
    let first = phase + padding - lastTap * dilation
    self.padding = -(first / stride)
  }

  /// Maximum number of phases that are planned: each has a kernel and packed weights of its own.
  static let most = 1024

  /// Returns true if a transposed convolution has more phases than are planned.
  static func areTooMany(stride: [Int], _ result: TensorType) -> Bool {
    !Extent.product(zip(stride, result.shape.dropFirst(2)).map { min($0, $1) }).fits(most)
  }
}

extension TensorView {
  /// A [N, C, H, W] view of [N, C, H, W] or [N, C, W].
  var asImages: TensorView {
    if rank == 4 { return self }
    var view = self
    view.shape.insert(1, at: 2)
    view.strides.insert(shape[2] * strides[2], at: 2)
    return view
  }
}
