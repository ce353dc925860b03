package import MartletTensor
package import MartletVocabulary

extension ProductPrecision {
  /// True if activations between products are best stored in bfloat16, because the products round their factors to it anyway.
  package var narrowsActivations: Bool { level == .fast && kernels == .tilesThatGain && BFloat16Unit.current != .none }
}

/// Representation of a product's factors. Sums are always single-precision.
package enum ProductArithmetic: Int, Sendable, Hashable {
  /// float32 factors.
  case single = 0
  /// Factors rounded to bfloat16.
  case bfloat16 = 1
  /// Factors split into two bfloat16 numbers, with 16 significant bits together. Three of the four partial products are computed.
  case bfloat16Pairs = 3
  /// As `bfloat16Pairs`, with a constant right side packed as the float16 numbers it consists of, in half the memory.
  case bfloat16PairsOfHalves = 2
  /// float32 factors, with a constant right side packed as the float16 numbers it consists of.
  case singleOfHalves = 4

  /// The fastest arithmetic on this machine for factors of the types `left` and `right`.
  ///
  /// It is at least as exact as the policy requires: `near` allows pairs and `fast` allows bfloat16. Pairs represent float16 factors
  /// exactly, and a single bfloat16 represents bfloat16 factors exactly, so that `exact` allows these.
  /// - Parameter isRoundedBetween: true if some factors are intermediate results, not values of the program's types. In attention, the
  ///   second product uses results of the first.
  package init(_ precision: ProductPrecision, _ left: DType, _ right: DType, isRoundedBetween: Bool = false) {
    let unit = precision.kernels == .portable ? .tiles : BFloat16Unit.current
    guard unit != .none else {
      self = .single
      return
    }
    let pairs = unit == .tiles ? ProductArithmetic.bfloat16Pairs : .single
    let isBFloat16 = left == .bfloat16 && right == .bfloat16 && !isRoundedBetween
    let isHalf = [left, right].allSatisfy { $0 == .float16 || $0 == .bfloat16 }
    switch precision.level {
    case .exact: self = isBFloat16 ? .bfloat16 : isHalf ? pairs : .single
    case .near: self = isBFloat16 ? .bfloat16 : pairs
    case .fast: self = .bfloat16
    }
  }

  /// True if sums are computed from float32 factors.
  package var isSingle: Bool { self == .single || self == .singleOfHalves }

  /// Largest number of rows for which single-precision products are limited by reading a right side of float16 numbers.
  private static let rowsOfHalves = Int(MK_HALVES_ROWS)

  /// Smallest right side, in numbers, that is worth keeping in float16 for tiles. For smaller ones, the time to split the first numbers,
  /// which nothing hides, exceeds the time saved by reading less memory.
  private static let smallestRightSide = 16_384

  /// This arithmetic with a constant right side of `type` kept in float16, where that applies.
  private func keepingHalves(_ type: DType?) -> ProductArithmetic {
    guard type == .float16 else { return self }
    switch self {
    case .bfloat16Pairs: return .bfloat16PairsOfHalves
    case .single: return .singleOfHalves
    default: return self
    }
  }

  /// True if kernels read elements of this type in place.
  package func reads(_ dtype: DType) -> Bool { [.float32, .float16, .bfloat16].contains(dtype) }

  /// True if kernels store results of this type.
  package func stores(_ dtype: DType) -> Bool { reads(dtype) }

  /// This arithmetic, or single precision if products of these extents gain nothing from it. The time of small products is dominated by
  /// rounding the left side and storing the results.
  /// - Parameters:
  ///   - left: type of the left side. Single precision would have to convert half-precision operands and results.
  ///   - known: times in single precision and in bfloat16 in nanoseconds; nil for direct products over all taps.
  ///   - rows: rows of the result.
  ///   - inner: products per sum.
  ///   - planeInner: rounded numbers per row; taps of a window that share a number count once.
  ///   - isPlanar: rows overlap in planes of an image, which are rounded as a whole.
  ///   - constant: type of a constant right side.
  package func unlessSlower(
    _ precision: ProductPrecision, left: DType, constant: DType?, rows: Int, columns: Int, inner: Int, planeInner: Int,
    isPlanar: Bool = false, known: (single: Double?, bfloat16: Double?) = (nil, nil)
  ) -> ProductArithmetic {
    if precision.kernels != .tilesThatGain { return keepingHalves(constant) }
    let kept = inner * columns < Self.smallestRightSide ? self : keepingHalves(constant)
    let isHalf = left == .float16 || left == .bfloat16
    return kept.gains(rows: rows, columns: columns, inner: inner, planeInner: planeInner, isPlanar: isPlanar, known, isHalf)
      ? kept : ProductArithmetic.single.keepingHalves(constant)
  }

  private func gains(
    rows: Int, columns: Int, inner: Int, planeInner: Int, isPlanar: Bool, _ known: (single: Double?, bfloat16: Double?), _ isHalf: Bool
  ) -> Bool {
    // Products of up to four rows are limited by reading the weights, and pairs take as much memory as float32.
    let fewest = self == .bfloat16 ? 1 : self == .bfloat16PairsOfHalves ? Self.rowsOfHalves + 1 : 5
    guard !isSingle, rows >= fewest else { return false }
    let isVectors = BFloat16Unit.current == .vectors
    if isHalf, !isVectors { return true }
    // Nanoseconds on one core. Tiles are stored after summation, not from registers as in single precision.
    let rates = ProductRates.current
    let cells = Double(rows * columns)
    let paddedColumns = Double((columns + 15) / 16 * 16)
    let costs = KernelCosts.current
    let operations = Double(rows) * paddedColumns * Double(inner) * 2
    let single = known.single ?? operations / costs.product + cells * costs.result
    func padded(_ count: Int, _ step: Int) -> Double { Double((count + step - 1) / step * step) }
    let multiplications = Double(rows) * paddedColumns * padded(inner, rates.innerStep)
    let isPlain = self == .bfloat16
    let products = (isPlain ? known.bfloat16 : nil) ?? multiplications * 2 / (isPlain ? rates.bfloat16 : rates.pairs)
    // Half-precision operands need no rounding that single precision would not pay for by conversions.
    if isHalf { return products < 1.2 * single }
    let rounding = Double(rows) * (isPlain ? (isPlanar ? 0 : 3) + Double(planeInner) * 0.08 : 4 + Double(planeInner) * 0.15)
    return products + rounding + cells * rates.storing < single
  }
}

/// Bytes of memory that a kernel needs while it runs, shared by its workers and for each worker alone. See `KernelContext.scratch`.
package struct KernelScratch: Sendable, Equatable {
  package var shared = 0
  package var perWorker = 0

  package init(shared: Int = 0, perWorker: Int = 0) {
    self.shared = shared
    self.perWorker = perWorker
  }

  /// Size of a worker's part, including padding of a cache line that separates it from the next.
  private var workerStride: Int { perWorker == 0 ? 0 : (perWorker + 127) & ~63 }

  /// Offset of a worker's part.
  func offset(worker: Int) -> Int { (shared + 63) & ~63 + worker * workerStride }

  package func byteCount(workers: Int) -> Int { offset(worker: workers) }
}
