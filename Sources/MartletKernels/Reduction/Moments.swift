package import MartletTensor

/// Mean and variance of rows of adjacent elements, computed in two passes.
package enum Moments {
  /// A kernel for `rows` rows of `count` elements each.
  ///
  /// The variance is the sum of squared deviations divided by `max(count - correction, 0)`. Mean and variance of empty rows are NaN.
  /// - Parameters:
  ///   - source: dense, float32 or float64.
  ///   - mean, variance: dense, with one value of the source's type per row; nil if not requested.
  package static func kernel(
    rows: Int, count: Int, from source: TensorView, correction: Double, mean: TensorView?, variance: TensorView?
  ) -> Kernel {
    let divisor = max(Double(count) - correction, 0)
    return { context in
      context.parallelRanges(rows, grain: max(1, 16 * 1024 / max(count, 1))) { range, _ in
        if source.dtype == .float64 {
          unsafe moments(
            range, count, divisor, context.pointer(source, as: Double.self), mean.map { unsafe context.pointer($0) },
            variance.map { unsafe context.pointer($0) }, mk_moments_rows_f64)
        } else {
          unsafe moments(
            range, count, Float(divisor), context.pointer(source, as: Float.self), mean.map { unsafe context.pointer($0) },
            variance.map { unsafe context.pointer($0) }, mk_moments_rows_f32)
        }
      }
    }
  }

  private static func moments<T: BinaryFloatingPoint>(
    _ range: Range<Int>, _ count: Int, _ divisor: T, _ x: UnsafeMutablePointer<T>, _ mean: UnsafeMutablePointer<T>?,
    _ variance: UnsafeMutablePointer<T>?,
    _ rows: (Int, Int, Int, UnsafePointer<T>, UnsafeMutablePointer<T>?, UnsafeMutablePointer<T>?) -> Void
  ) {
    if count > 0 {
      unsafe rows(
        range.count, count, count, x + range.lowerBound * count, mean.map { unsafe $0 + range.lowerBound },
        variance.map { unsafe $0 + range.lowerBound })
      if let variance = unsafe variance {
        for row in range { unsafe variance[row] /= divisor }
      }
    } else {
      for row in range {
        if let mean = unsafe mean { unsafe mean[row] = .nan }
        if let variance = unsafe variance { unsafe variance[row] = .nan }
      }
    }
  }
}
