package import MartletKernels

/// How exactly a model's products of matrices, its convolutions and its attention are computed. Sums of products are made in float32,
/// whatever is chosen, and everything else is computed in the program's own types.
///
/// The faster ways need a processor with matrix tiles for bfloat16 (Intel AMX). Where there are none, and for products that would
/// not gain by them, such as depthwise convolutions, the next more exact way is taken. For one model, choice and machine, results
/// are the same bit for bit, whatever the number of threads.
public enum Precision: String, Sendable, Hashable, CaseIterable {
  /// At least as exact as the program's own types. Programs in float32 are computed in float32. Factors of float16 are each split
  /// into two bfloat16 numbers, which together hold all of their bits, and of bfloat16 used as they are; that is more exact than
  /// arithmetic in those types.
  case exact
  /// Factors of float32 are split into two bfloat16 numbers as well, which hold 16 bits of their 24: errors are about 1e-5 of the
  /// sum of the products' magnitudes. Programs in float16 and bfloat16 are computed as with `exact`.
  case near
  /// All factors are rounded to bfloat16, to 8 bits: errors are some 1e-3 of the sum of the products' magnitudes. Values
  /// between them are kept in bfloat16, too, where that saves time.
  case fast

  package var products: ProductPrecision {
    switch self {
    case .exact: .exact
    case .near: .near
    case .fast: .fast
    }
  }
}
