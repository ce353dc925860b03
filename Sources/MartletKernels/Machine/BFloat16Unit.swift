/// What multiplies bfloat16 numbers faster than single precision on this machine.
package enum BFloat16Unit: String, Sendable {
  case none
  /// Vectors of AMD's AVX512-BF16 or of arm64's BF16, for operands of one bfloat16 number: pairs are no faster than single precision.
  case vectors
  /// AMX tiles.
  case tiles

  package static let current: BFloat16Unit =
    switch mk_bf16_unit() {
    case Int32(MK_BF16_TILES.rawValue): .tiles
    case Int32(MK_BF16_VECTORS.rawValue): .vectors
    default: .none
    }
}

/// Rates of bfloat16 products on one core, measured except on arm64, where instructions were counted. For estimates that choose among
/// kernels, as `KernelCosts` are for float32.
struct ProductRates: Sendable {
  /// Operations per nanosecond with factors of bfloat16 and of pairs of it.
  var bfloat16, pairs: Double
  /// Factors of a sum are padded to a multiple of this number.
  var innerStep: Int
  /// Nanoseconds to store a result.
  var storing: Double

  static let current: ProductRates =
    switch BFloat16Unit.current {
    case .vectors where MachineProfile.current.level == .neon:
      // An instruction has four times the products of one of single precision.
      ProductRates(bfloat16: 4 * KernelCosts.current.product, pairs: KernelCosts.current.product, innerStep: 8, storing: 0.12)
    case .vectors: ProductRates(bfloat16: 215, pairs: 72, innerStep: 2, storing: 0.12)
    case .tiles, .none: ProductRates(bfloat16: 1050, pairs: 550, innerStep: 32, storing: 0.2)
    }
}
