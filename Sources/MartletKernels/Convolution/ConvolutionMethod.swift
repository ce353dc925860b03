/// The algorithm of a dense convolution.
package enum ConvolutionMethod: Sendable, Hashable {
  /// Direct: products over all taps.
  case direct
  /// Direct over planar (channels-first) input, for two to four channels, one group, a window three pixels wide or more, and no dilation
  /// along rows.
  case planar
  /// Winograd's minimal filtering for 3 × 3 kernels with stride 1, dilation 1 and one group. Results are computed in tiles of
  /// `side` × `side` pixels (2 or 4). A non-finite element, or one so large that sums of a few overflow, affects all results of the
  /// tiles that read it.
  case winograd(side: Int)

  /// The fastest method according to a cost model.
  ///
  /// Convolutions with few input channels stay direct: Winograd saves nothing there, and with tiles of 4 its error exceeds 4 times that of
  /// the direct method. The size of the weights matters because a transformed kernel has 16 or 36 numbers instead of 9, and every run reads
  /// all of them.
  /// Weights that are packed as float16 numbers are read as such and transformed whenever they are used.
  package init(
    images: Int, height: Int, width: Int, inputChannels: Int, outputChannels: Int, areHalves: Bool = false, costs: KernelCosts = .current
  ) {
    (self, _) = Self.fastest(
      images: images, height: height, width: width, inputChannels: inputChannels, outputChannels: outputChannels, areHalves: areHalves,
      costs: costs)
  }

  /// The fastest method and its estimated time; nil if only the direct method applies.
  package static func fastest(
    images: Int, height: Int, width: Int, inputChannels: Int, outputChannels: Int, areHalves: Bool = false, costs: KernelCosts = .current
  ) -> (method: ConvolutionMethod, nanoseconds: Double?) {
    var method = ConvolutionMethod.direct
    guard inputChannels >= 16, outputChannels >= 8, height >= 2, width >= 2 else { return (method, nil) }
    let channels = Double(inputChannels)
    let columns = Double((outputChannels + 15) / 16 * 16)
    let directFlops = Double(images * height * width) * 2 * 9 * channels * columns
    let directBytes = (areHalves ? 2 : 4) * 9 * channels * columns
    var least = 0.9 * max(directFlops / (outputChannels <= 16 ? costs.narrowDirect : costs.direct), costs.reading(directBytes))
    var leastBytes = directBytes
    for (side, places) in [(2, 16.0), (4, 36.0)] {
      let tiles = Double(images * ((height + side - 1) / side) * ((width + side - 1) / side))
      // With few tiles, products are bound by reading the weights.
      let products = tiles * places * 2 * channels * columns / costs.winogradProducts
      // Tiles of one call share a transformation of float16 weights.
      let calls = max(1, (tiles * places * channels / 262_144).rounded(.up))
      let numbers = tiles * places * (channels + columns) + (areHalves ? 0.4 * calls * places * channels * columns : 0)
      let bytes = areHalves ? directBytes : 4 * places * channels * columns
      let time =
        products + numbers * costs.winogradTransform + costs.reading(bytes) + costs.memory * (bytes - directBytes)
      if time < (bytes - leastBytes > KernelCosts.cachedByteCount ? costs.memoryHurdle * least : least) {
        (least, leastBytes) = (time, bytes)
        method = .winograd(side: side)
      }
    }
    return (method, least)
  }

  /// The fastest method with vectors of bfloat16 and its estimated time, in nanoseconds on one core; nil if only the direct method applies. A
  /// larger tile than 2 × 2 would have an error of one per cent.
  package static func fastestOfVectors(
    images: Int, height: Int, width: Int, inputChannels: Int, outputChannels: Int
  ) -> (method: ConvolutionMethod, nanoseconds: Double?) {
    guard inputChannels >= 16, inputChannels.isMultiple(of: 2), outputChannels >= 8, height >= 2, width >= 2 else { return (.direct, nil) }
    let channels = Double(inputChannels)
    let columns = Double((outputChannels + 15) / 16 * 16)
    let rate = ProductRates.current.bfloat16
    let direct = Double(images * height * width) * 2 * 9 * channels * columns / rate
    let tiles = Double(images * ((height + 1) / 2) * ((width + 1) / 2))
    let bytes = 2 * 16 * channels * columns
    let products = max(tiles * 16 * 2 * channels * columns / rate, bytes < 1_000_000 ? 0 : bytes / 14)
    let winograd = products + tiles * 16 * (channels + columns) * 0.1
    return winograd < 0.95 * direct ? (.winograd(side: 2), winograd) : (.direct, direct)
  }

  /// A unique number for each method; for Winograd, the side of a tile.
  package var code: Int {
    switch self {
    case .direct: 0
    case .planar: 1
    case .winograd(let side): side
    }
  }

  /// Suffix of kernel names.
  package var suffix: String {
    switch self {
    case .direct: ""
    case .planar: " of planes"
    case .winograd(let side): " winograd \(side)x\(side)"
    }
  }
}
