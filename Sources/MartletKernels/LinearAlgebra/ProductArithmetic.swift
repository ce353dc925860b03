internal import CMartletKernels
package import MartletTensor
package import MartletVocabulary

extension ProductPrecision {
  /// Whether values between products are best kept in bfloat16: what they are rounded to when they are factors.
  package var narrowsActivations: Bool { level == .fast && kernels == .tilesThatGain && mk_bf16_is_fast() != 0 }
}

/// What kernels make of the factors of a product; sums are single-precision always.
package enum ProductArithmetic: Int, Sendable, Hashable {
  /// float32 factors.
  case single = 0
  /// Factors rounded to bfloat16.
  case bfloat16 = 1
  /// Factors split into two bfloat16 numbers, three products of four: 16 significant bits.
  case bfloat16Pairs = 3
  /// The same, with a constant right side that is packed as the float16 numbers that it consists of, in half the memory.
  case bfloat16PairsOfHalves = 2
  /// float32 factors, of which the right ones are packed as the float16 numbers that they are, for up to `rowsOfHalves` rows.
  case singleOfHalves = 4

  /// The fastest arithmetic of this machine for factors that programs hold as `left` and `right`.
  ///
  /// At least as exact as the policy asks for: `near` means pairs and `fast` bfloat16. Factors that are float16 already
  /// lose nothing in pairs, and bfloat16 ones nothing at all, so that `exact` permits them.
  /// - Parameter isRoundedBetween: whether factors of the program's types are not all there is, as in attention, whose second
  ///   product is of results of the first one.
  package init(_ precision: ProductPrecision, _ left: DType, _ right: DType, isRoundedBetween: Bool = false) {
    guard precision.kernels == .portable || mk_bf16_is_fast() != 0 else {
      self = .single
      return
    }
    let isBFloat16 = left == .bfloat16 && right == .bfloat16 && !isRoundedBetween
    let isHalf = [left, right].allSatisfy { $0 == .float16 || $0 == .bfloat16 }
    switch precision.level {
    case .exact: self = isBFloat16 ? .bfloat16 : isHalf ? .bfloat16Pairs : .single
    case .near: self = isBFloat16 ? .bfloat16 : .bfloat16Pairs
    case .fast: self = .bfloat16
    }
  }

  /// Whether sums are made of float32 factors, not by matrix tiles.
  package var isSingle: Bool { self == .single || self == .singleOfHalves }

  /// Rows of a product in single precision up to which a right side of float16 numbers is read as such.
  package static let rowsOfHalves = Int(MK_HALVES_ROWS)

  /// Numbers of a right side from which on its memory matters more than the splitting of the first ones, which nothing else hides.
  private static let smallestRightSide = 16_384

  /// This arithmetic with a constant right side of `type` kept in float16, if it is.
  private func keepingHalves(_ type: DType?, rows: Int) -> ProductArithmetic {
    guard type == .float16 else { return self }
    switch self {
    case .bfloat16Pairs: return .bfloat16PairsOfHalves
    case .single where rows <= Self.rowsOfHalves: return .singleOfHalves
    default: return self
    }
  }

  /// Whether kernels read elements of this type where they lie.
  package func reads(_ dtype: DType) -> Bool {
    dtype == .float32 || !isSingle && (dtype == .float16 || dtype == .bfloat16)
  }

  /// Whether kernels store results of this type.
  package func stores(_ dtype: DType) -> Bool { reads(dtype) }

  /// This arithmetic, or single precision for products of these extents that would not gain by it: small ones are bound by rounding
  /// the left side and by storing results.
  /// - Parameters:
  ///   - left: what the left side is. Of half precision, single precision would convert it, and the result.
  ///   - single: nanoseconds that single precision takes; nil for products of all taps.
  ///   - rows: of the result.
  ///   - inner: products of one sum.
  ///   - planeInner: numbers of a row as they are rounded, taps of a window counted once.
  ///   - constant: type of a constant right side.
  package func unlessSlower(
    _ precision: ProductPrecision, left: DType, constant: DType?, rows: Int, columns: Int, inner: Int, planeInner: Int,
    single: Double? = nil
  ) -> ProductArithmetic {
    if precision.kernels != .tilesThatGain { return keepingHalves(constant, rows: rows) }
    let constant = inner * columns < Self.smallestRightSide ? nil : constant
    let kept = keepingHalves(constant, rows: rows)
    let isHalf = left == .float16 || left == .bfloat16
    return kept.gains(rows: rows, columns: columns, inner: inner, planeInner: planeInner, single, isHalf)
      ? kept : ProductArithmetic.single.keepingHalves(constant, rows: rows)
  }

  private func gains(rows: Int, columns: Int, inner: Int, planeInner: Int, _ known: Double?, _ isHalf: Bool) -> Bool {
    // Up to four rows are bound by reading weights, of which pairs take as much memory as float32.
    let fewest = self == .bfloat16 ? 1 : self == .bfloat16PairsOfHalves ? Self.rowsOfHalves + 1 : 5
    guard !isSingle, rows >= fewest else { return false }
    if isHalf { return true }
    // Nanoseconds of one core, measured. Results are stored a tile at a time after the sums are, not from registers as in single precision.
    let cells = Double(rows * columns)
    let paddedColumns = Double((columns + 15) / 16 * 16)
    let single = known ?? Double(rows) * paddedColumns * Double(inner) * 2 / 135 + cells * 0.1
    let padded = paddedColumns * Double((inner + 31) / 32 * 32) * Double(rows)
    let isPlain = self == .bfloat16
    let products = padded * 2 / (isPlain ? 1050 : 550)
    let rounding = Double(rows) * (isPlain ? 3 + Double(planeInner) * 0.08 : 4 + Double(planeInner) * 0.15)
    return products + rounding + cells * 0.2 < single
  }
}

/// Bytes of memory that a kernel needs while it runs: what its workers share, and what each of them has to itself. See
/// `KernelContext.scratch`.
package struct KernelScratch: Sendable, Equatable {
  package var shared = 0
  package var perWorker = 0

  package init(shared: Int = 0, perWorker: Int = 0) {
    self.shared = shared
    self.perWorker = perWorker
  }

  /// A worker's part and a cache line between it and the next.
  private var workerStride: Int { perWorker == 0 ? 0 : (perWorker + 127) & ~63 }

  /// Where the part of a worker begins.
  func offset(worker: Int) -> Int { (shared + 63) & ~63 + worker * workerStride }

  package func byteCount(workers: Int) -> Int { offset(worker: workers) }
}
