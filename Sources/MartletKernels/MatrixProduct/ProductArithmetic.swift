internal import CMartletKernels
package import MartletTensor

/// How exact products of floating-point numbers are to be; see `Precision` of the public API.
package enum ProductPrecision: Sendable, Hashable {
  case exact
  case near
  case fast
}

/// What kernels make of the factors of a product; sums are single-precision always.
package enum ProductArithmetic: Int, Sendable, Hashable {
  /// float32 factors.
  case single = 0
  /// Factors rounded to bfloat16.
  case bfloat16 = 1
  /// Factors split into two bfloat16 numbers, three products of four: 16 significant bits.
  case bfloat16Pairs = 3

  /// The fastest arithmetic of this machine for factors that programs hold as `left` and `right`.
  ///
  /// At least as exact as the policy asks for: `near` means pairs and `fast` bfloat16. Factors that are float16 already
  /// lose nothing in pairs, and bfloat16 ones nothing at all, so that `exact` permits them.
  /// - Parameter isRoundedBetween: whether factors of the program's types are not all there is, as in attention, whose second
  ///   product is of results of the first one.
  package init(_ precision: ProductPrecision, _ left: DType, _ right: DType, isRoundedBetween: Bool = false) {
    guard mk_bf16_is_fast() != 0 else {
      self = .single
      return
    }
    let isBFloat16 = left == .bfloat16 && right == .bfloat16 && !isRoundedBetween
    let isHalf = [left, right].allSatisfy { $0 == .float16 || $0 == .bfloat16 }
    switch precision {
    case .exact: self = isBFloat16 ? .bfloat16 : isHalf ? .bfloat16Pairs : .single
    case .near: self = isBFloat16 ? .bfloat16 : .bfloat16Pairs
    case .fast: self = .bfloat16
    }
  }

  /// Whether kernels read elements of this type where they lie.
  package func reads(_ dtype: DType) -> Bool {
    dtype == .float32 || self != .single && (dtype == .float16 || dtype == .bfloat16)
  }

  /// Whether products of these extents gain by it, against single precision: small ones are bound by rounding the left
  /// side and by storing results.
  /// - Parameters:
  ///   - rows: of the result.
  ///   - inner: products of one sum.
  ///   - planeInner: numbers of a row as they are rounded, taps of a window counted once.
  package func gains(rows: Int, columns: Int, inner: Int, planeInner: Int) -> Bool {
    // Up to four rows are bound by reading weights, of which pairs take as much memory as float32.
    guard self != .single, rows > 4 || self == .bfloat16 else { return false }
    let cells = Double(rows * columns)
    let padded = Double((columns + 15) / 16 * 16) * Double((inner + 31) / 32 * 32) * Double(rows)
    let single = cells * Double(inner) * 2 / 140
    let products = self == .bfloat16 ? padded * 2 / 2000 : padded * 2 / 850
    let rounding = Double(rows) * (2 + Double(planeInner) * (self == .bfloat16 ? 0.08 : 0.12))
    return products + rounding + cells * 0.08 < single + cells * 0.03
  }
}

/// Memory that a kernel needs while it runs.
package enum KernelScratch: Sendable, Equatable {
  case none
  case shared(byteCount: Int)
  case perWorker(byteCount: Int)
}
