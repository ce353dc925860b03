/// What float32 products and convolutions take on one core: rates in operations per nanosecond, times in nanoseconds. Methods are chosen by
/// comparing such estimates.
package struct KernelCosts: Sendable, Hashable {
  /// Rate of a matrix product, whose columns are counted in whole panels of 16, and time to store one result.
  package var product, result: Double
  /// Rates of direct convolutions with more than 16 output channels, and with fewer.
  package var direct, narrowDirect: Double
  /// Rate of the products of Winograd's convolutions, and time of one number of a place of a tile, transformed on the way in or out.
  package var winogradProducts, winogradTransform: Double
  /// Bytes per nanosecond of packed weights that no cache holds, as far as nothing hides the reading.
  package var reading: Double
  /// Time of one number of a place of float16 weights that are transformed in a run.
  package var halfTransform = 0.07
  /// Factor of a direct convolution's time if the image is narrower than 8 pixels, whose rows fill register tiles in part.
  package var narrowImage = 1.25
  /// Price of a byte of packed weights beyond those of the direct convolution; that of programs in float16 is twice as high.
  package var memory = 0.015
  /// A method with much larger weights must take at most this part of the time of another.
  package var memoryHurdle = 1.0
  /// Transforming float16 weights in each run must cost at most this part of keeping them transformed, the price of memory included. Less than
  /// 1, because at equal cost the weights that are kept take less time.
  package var halvesHurdle = 0.98

  /// Bytes of weights that the caches hold from one run to the next.
  package static let cachedByteCount = 1_000_000.0

  /// Time to read weights.
  func reading(_ byteCount: Double) -> Double { byteCount < Self.cachedByteCount ? 0 : byteCount / reading }

  /// The costs of a machine.
  package init(_ machine: MachineProfile) {
    self =
      switch machine.level {
      case .portable: .portable
      case .avx2: .avx2
      case .avx512: machine.hasBFloat16Tiles ? .tiles : .avx512
      case .neon: .neon
      }
    switch machine.level {
    case .avx2: halfTransform = 0.12
    case .avx512 where !machine.hasBFloat16Tiles: halfTransform = 0.09
    default: break
    }
  }

  package static let current = KernelCosts(.current)
}
