package import MartletVocabulary

/// Precision of a model's matrix products, convolutions and attention. Products are always accumulated in float32, and all other
/// operations are computed in the program's own types.
///
/// The faster modes need a processor with bfloat16 matrix tiles (Intel AMX); `fast` also gains with AVX512-BF16 of AMD (Zen 4 and newer) and with
/// BF16 of arm64 (Neoverse V1, N2 and newer). AVX512-BF16 of Intel has half the rate of float32 and is not used. Without them, and for operations
/// that would not gain, the next more precise mode is used. Results are bitwise reproducible for a given model, mode and machine, whatever the
/// number of threads. A matrix that single rows read in place is packed by the first call with several rows; later results of single rows may
/// differ in their last bits.
///
/// Neural networks of Core ML may ask for products whose rows are quantised to int8 at run time (`int8DynamicQuantize`). With `exact`, their
/// rows are not quantised. The other modes quantise them with one scale for all rows, the largest magnitude divided by 127.
public enum Precision: String, Sendable, Hashable, CaseIterable {
  /// At least as precise as the program's own types. Programs in float32 are computed in float32. On tiles, factors in float16 are split into
  /// two bfloat16 values each, which together hold all of their bits; factors in bfloat16 are used as they are. Both are more precise than
  /// arithmetic in those types.
  case exact
  /// Factors in float32 are also split into two bfloat16 values, which hold 16 of their 24 bits: errors are about 1e-5 of the sum of the
  /// products' magnitudes. Programs in float16 and bfloat16 are computed as with `exact`.
  case near
  /// All factors are rounded to bfloat16, that is to 8 bits: errors are some 1e-3 of the sum of the products' magnitudes. Intermediate
  /// values are kept in bfloat16 too where that saves time. Without tiles, convolutions of 3 × 3 may transform their factors before they
  /// are rounded (Winograd), which doubles the error with tiles of 2 × 2 and quadruples it with tiles of 4 × 4.
  case fast

  package var products: ProductPrecision {
    switch self {
    case .exact: .exact
    case .near: .near
    case .fast: .fast
    }
  }
}
