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
  package init(
    images: Int, height: Int, width: Int, inputChannels: Int, outputChannels: Int, costs: KernelCosts = .current
  ) {
    self =
      Self.fastest(
        images: images, height: height, width: width, inputChannels: inputChannels, outputChannels: outputChannels, costs: costs
      ).method
  }

  /// The fastest method and its estimated time; nil if only the direct method applies.
  ///
  /// - Parameter areHalves: true for float16 weights. Winograd's methods may keep them, and transform them whenever they are used, or store
  ///   the transformed ones in float32, if the time is worth the memory.
  /// - Returns: also, whether to keep the weights in float16.
  package static func fastest(
    images: Int, height: Int, width: Int, inputChannels: Int, outputChannels: Int, areHalves: Bool = false, costs: KernelCosts = .current
  ) -> (method: ConvolutionMethod, keepsHalves: Bool, nanoseconds: Double?) {
    var best = (method: ConvolutionMethod.direct, keepsHalves: areHalves)
    guard inputChannels >= 16, outputChannels >= 8, height >= 2, width >= 2 else { return (.direct, areHalves, nil) }
    let channels = Double(inputChannels)
    let columns = Double((outputChannels + 15) / 16 * 16)
    let directFlops = Double(images * height * width) * 2 * 9 * channels * columns
    let directBytes = (areHalves ? 2 : 4) * 9 * channels * columns
    let directTime = (width < 8 ? costs.narrowImage : 1) * directFlops / (outputChannels <= 16 ? costs.narrowDirect : costs.direct)
    var least = 0.9 * max(directTime, costs.reading(directBytes))
    var leastBytes = directBytes
    for (side, places) in [(2, 16.0), (4, 36.0)] {
      let tiles = Double(images * ((height + side - 1) / side) * ((width + side - 1) / side))
      // With few tiles, products are bound by reading the weights.
      let products = tiles * places * 2 * channels * columns / costs.winogradProducts
      let transforms = tiles * places * (channels + columns) * costs.winogradTransform
      for keepsHalves in areHalves ? [false, true] : [false] {
        let bytes = keepsHalves ? directBytes : 4 * places * channels * columns
        let price = (areHalves ? 2 : 1) * costs.memory * (bytes - directBytes)
        var time = products + transforms + costs.reading(bytes) + price
        if keepsHalves {
          // The tiles of one call share the transformed weights.
          let calls = (tiles / Double(mk_winograd_block_tiles(outputChannels, inputChannels, 1, side))).rounded(.up)
          time += calls * places * channels * columns * costs.halfTransform
        }
        var limit = least
        if bytes - leastBytes > KernelCosts.cachedByteCount { limit *= costs.memoryHurdle }
        if keepsHalves, !best.keepsHalves { limit *= costs.halvesHurdle }
        if time < limit {
          (least, leastBytes) = (time, bytes)
          best = (.winograd(side: side), keepsHalves)
        }
      }
    }
    return (best.method, best.keepsHalves, least)
  }

  /// The fastest method with vectors of bfloat16 and its estimated time, in nanoseconds on one core; nil if only the direct method applies.
  ///
  /// Winograd's results have a relative error of about 0.4 % with tiles of 2 × 2 and 1 % with tiles of 4 × 4 (root of the mean square).
  package static func fastestOfVectors(
    images: Int, height: Int, width: Int, inputChannels: Int, outputChannels: Int
  ) -> (method: ConvolutionMethod, nanoseconds: Double?) {
    guard mk_winograd_bf16_takes(inputChannels) != 0, inputChannels >= 16, outputChannels >= 8, height >= 2, width >= 2 else {
      return (.direct, nil)
    }
    let channels = Double(inputChannels)
    let columns = Double((outputChannels + 15) / 16 * 16)
    let rate = ProductRates.current.bfloat16
    let direct = Double(images * height * width) * 2 * 9 * channels * columns / rate
    var best = (method: ConvolutionMethod.direct, nanoseconds: 0.95 * direct)
    for side in [2, 4] {
      let places = Double((side + 2) * (side + 2))
      let tiles = Double(images * ((height + side - 1) / side) * ((width + side - 1) / side))
      let bytes = 2 * places * channels * columns
      let products = max(tiles * places * 2 * channels * columns / rate, bytes < 1_000_000 ? 0 : bytes / 14)
      let time = products + tiles * places * (channels + columns) * 0.1
      // Larger errors are worth a shorter time only if the difference is clear.
      if time < (side == 2 ? 1 : 0.85) * best.nanoseconds { best = (.winograd(side: side), time) }
    }
    return best.method == .direct ? (.direct, direct) : best
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
