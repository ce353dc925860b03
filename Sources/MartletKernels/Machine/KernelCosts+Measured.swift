// swift-format-ignore-file
// The rows of portable, avx2 and avx512 are written by Benchmarks/measure-costs.

extension KernelCosts {
  init(product: Double, result: Double, direct: Double, narrowDirect: Double, winogradProducts: Double, winogradTransform: Double, reading: Double) {
    self.product = product
    self.result = result
    self.direct = direct
    self.narrowDirect = narrowDirect
    self.winogradProducts = winogradProducts
    self.winogradTransform = winogradTransform
    self.reading = reading
  }

  package static let portable = KernelCosts(
    product: 36.4, result: 0.344, direct: 36.9, narrowDirect: 37.1, winogradProducts: 36.4, winogradTransform: 0.107, reading: 39.5)

  package static let avx2 = KernelCosts(
    product: 109, result: 0.0802, direct: 109, narrowDirect: 109, winogradProducts: 109, winogradTransform: 0.0993, reading: 41.7)

  package static let avx512 = KernelCosts(
    product: 112, result: 0.0382, direct: 114, narrowDirect: 110, winogradProducts: 112, winogradTransform: 0.11, reading: 64.7)

  /// AVX-512 beside AMX tiles, measured by hand, with less memory bandwidth and a clock that heavy use lowers.
  package static let tiles = {
    var costs = KernelCosts(
      product: 135, result: 0.1, direct: 130, narrowDirect: 105, winogradProducts: 110, winogradTransform: 0.1, reading: 12)
    (costs.memory, costs.memoryHurdle, costs.halvesHurdle, costs.narrowImage) = (0, 0.9, 1, 1)
    return costs
  }()

  /// Not measured, since no processor was at hand: what two pipes of 128 bits give at 2.8 GHz (Neoverse N1), beside the transforms of AVX2.
  package static let neon = KernelCosts(
    product: 44, result: 0.1, direct: 44, narrowDirect: 44, winogradProducts: 44, winogradTransform: 0.1, reading: 20)
}
