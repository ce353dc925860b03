/// How exact products of floating-point numbers are to be; see `Precision` of the public API.
package struct ProductPrecision: Sendable, Hashable {
  package enum Level: Sendable {
    case exact
    case near
    case fast
  }

  /// Which kernels serve the products that may be made in bfloat16.
  package enum Kernels: Sendable {
    /// Those with matrix tiles where the machine has them and the product gains by it.
    case tilesThatGain
    /// Those with matrix tiles where the machine has them.
    case tiles
    /// Plain C with the same rounding, to test against.
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
