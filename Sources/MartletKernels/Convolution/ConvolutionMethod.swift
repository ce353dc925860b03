/// How a dense convolution is computed.
package enum ConvolutionMethod: Sendable, Hashable {
  /// Products of all taps.
  case direct
  /// The same over planes of the input's channels, for few channels without dilation along rows in one group: images as they come.
  case planar
  /// Winograd's minimal filtering, for kernels of 3 × 3 with strides and dilations of 1 in one group, with results in tiles of
  /// `side` × `side` pixels, 2 or 4. An element that is not finite, or so large that sums of a few overflow, reaches all results
  /// of the tiles that read it.
  case winograd(side: Int)

  /// The method that takes the least time by a model of the work, in nanoseconds of one core with AVX-512.
  ///
  /// Few input channels stay direct: there is nothing to gain, and the error of tiles of 4 exceeds 4 times the direct one's.
  /// Large weights count, since a transformed kernel has 16 or 36 numbers instead of 9 and is read in each run.
  package init(images: Int, height: Int, width: Int, inputChannels: Int, outputChannels: Int) {
    (self, _) = Self.fastest(images: images, height: height, width: width, inputChannels: inputChannels, outputChannels: outputChannels)
  }

  /// The same with the time it takes; nil where there is no choice.
  package static func fastest(
    images: Int, height: Int, width: Int, inputChannels: Int, outputChannels: Int
  ) -> (method: ConvolutionMethod, nanoseconds: Double?) {
    var method = ConvolutionMethod.direct
    guard inputChannels >= 16, outputChannels >= 8, height >= 2, width >= 2 else { return (method, nil) }
    let channels = Double(inputChannels)
    let columns = Double((outputChannels + 15) / 16 * 16)
    func reading(_ bytes: Double) -> Double { bytes < 1_000_000 ? 0 : bytes / 12 }
    let directFlops = Double(images * height * width) * 2 * 9 * channels * columns
    var least = 0.9 * max(directFlops / (outputChannels <= 16 ? 105 : 130), reading(4 * 9 * channels * columns))
    var leastBytes = 4 * 9 * channels * columns
    for (side, places) in [(2, 16.0), (4, 36.0)] {
      let tiles = Double(images * ((height + side - 1) / side) * ((width + side - 1) / side))
      // Products of few tiles wait for the weights.
      let products = tiles * places * 2 * channels * columns / 110
      let transforms = tiles * places * (channels + columns) * 0.1
      let bytes = 4 * places * channels * columns
      let time = products + transforms + reading(bytes)
      // A megabyte more must be worth its while.
      if time < (bytes - leastBytes > 1_000_000 ? 0.9 * least : least) {
        (least, leastBytes) = (time, bytes)
        method = .winograd(side: side)
      }
    }
    return (method, least)
  }

  /// A number of its own for each method: Winograd's is the side of a tile.
  package var code: Int {
    switch self {
    case .direct: 0
    case .planar: 1
    case .winograd(let side): side
    }
  }

  /// What it is called behind a kernel's name.
  package var suffix: String {
    switch self {
    case .direct: ""
    case .planar: " of planes"
    case .winograd(let side): " winograd \(side)x\(side)"
    }
  }
}
