/// Required accuracy of products of floating-point numbers; see `Precision` of the public API.
package struct ProductPrecision: Sendable, Hashable {
  package enum Level: Sendable {
    case exact
    case near
    case fast
  }

  /// The kernels for products that may be computed in bfloat16.
  package enum Kernels: Sendable {
    /// AMX tiles, or vectors of AMD's AVX512-BF16 or arm64's BF16, if the machine has them and the product gains from them.
    case tilesThatGain
    /// AMX tiles, or vectors of AMD's AVX512-BF16 or arm64's BF16, if the machine has them.
    case tiles
    /// Portable C with the same rounding, as a reference for tests.
    case portable
  }

  package var level: Level
  package var kernels: Kernels

  package init(_ level: Level, kernels: Kernels = .tilesThatGain) {
    self.level = level
    self.kernels = kernels
  }

  package static let exact = ProductPrecision(.exact)
  package static let near = ProductPrecision(.near)
  package static let fast = ProductPrecision(.fast)
}
