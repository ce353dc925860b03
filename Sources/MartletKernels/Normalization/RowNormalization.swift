package import MartletTensor

/// Normalisation of rows of adjacent elements by their own mean and variance, or root mean square.
package enum RowNormalization {
  /// `y = (x - mean) * rstd * gamma + beta` with `rstd = 1 / sqrt(variance + epsilon)`, and the statistics of each row.
  ///
  /// Rows without elements have mean 0 and rstd NaN.
  /// - Parameters: all tensors are dense and have the same type, float32 or float64. `gamma` and `beta` have `count` elements, `mean` and
  ///   `rstd` one element per row. `y` may be `x`.
  package static func layerNorm(
    rows: Int, count: Int, x: TensorView, gamma: TensorView?, beta: TensorView?, epsilon: Double, y: TensorView,
    mean: TensorView?, rstd: TensorView?
  ) -> Kernel {
    { context in
      context.parallelRanges(rows, grain: max(1, 8192 / max(count, 1))) { range, _ in
        if x.dtype == .float64 {
          let mean: UnsafeMutablePointer<Double>? = unsafe mean.map { unsafe context.pointer($0) + range.lowerBound }
          let rstd: UnsafeMutablePointer<Double>? = unsafe rstd.map { unsafe context.pointer($0) + range.lowerBound }
          if count == 0 { return unsafe fillEmpty(range.count, mean, rstd) }
          unsafe layerNorm(
            range.count, count, context.pointer(x, as: Double.self) + range.lowerBound * count,
            gamma.map { unsafe context.pointer($0) }, beta.map { unsafe context.pointer($0) }, epsilon,
            context.pointer(y) + range.lowerBound * count, mean, rstd)
        } else {
          let mean: UnsafeMutablePointer<Float>? = unsafe mean.map { unsafe context.pointer($0) + range.lowerBound }
          let rstd: UnsafeMutablePointer<Float>? = unsafe rstd.map { unsafe context.pointer($0) + range.lowerBound }
          if count == 0 { return unsafe fillEmpty(range.count, mean, rstd) }
          unsafe mk_layer_norm_rows_f32(
            range.count, count, context.pointer(x, as: Float.self) + range.lowerBound * count,
            gamma.map { unsafe UnsafePointer(context.pointer($0, as: Float.self)) },
            beta.map { unsafe UnsafePointer(context.pointer($0, as: Float.self)) }, epsilon,
            context.pointer(y, as: Float.self) + range.lowerBound * count, mean, rstd)
        }
      }
    }
  }

  /// Size of the float32 copy of rows of `halfLayerNorm`, in numbers, unless one row needs more: it stays in the L1 cache.
  private static let halfBlockCount = 4096

  /// Number of rows of `count` elements that `halfLayerNorm` converts at a time, at least one.
  private static func halfBlockRows(_ count: Int) -> Int { max(1, halfBlockCount / max(count, 1)) }

  /// Scratch memory of `halfLayerNorm` for each worker, in numbers, for rows of `count` elements.
  package static func halfScratchCount(_ count: Int) -> Int { max(halfBlockCount, count) }

  /// `layerNorm` without statistics for `x` and `y` of one type, float16 or bfloat16, computed in float32. `gamma` and `beta` are float32.
  /// - Parameter scratch: `halfScratchCount` floats for each worker.
  package static func halfLayerNorm(
    rows: Int, count: Int, x: TensorView, gamma: TensorView?, beta: TensorView?, epsilon: Double, y: TensorView, scratch: TensorView
  ) -> Kernel {
    let (half, single) = (Int32(x.dtype.rawValue), Int32(DType.float32.rawValue))
    return { context in
      context.parallelRanges(count == 0 ? 0 : rows, grain: max(1, 8192 / max(count, 1))) { range, worker in
        let block = unsafe context.scratch(scratch, worker: worker, as: Float.self)
        let gamma = unsafe gamma.map { unsafe UnsafePointer(context.pointer($0, as: Float.self)) }
        let beta = unsafe beta.map { unsafe UnsafePointer(context.pointer($0, as: Float.self)) }
        let step = halfBlockRows(count)
        for first in stride(from: range.lowerBound, to: range.upperBound, by: step) {
          let rows = min(step, range.upperBound - first)
          let offset = first * count * x.dtype.byteCount
          unsafe mk_convert(half, context.address(x) + offset, 1, single, block, rows * count)
          unsafe mk_layer_norm_rows_f32(rows, count, block, gamma, beta, epsilon, block, nil, nil)
          unsafe mk_convert(single, block, 1, half, context.address(y) + offset, rows * count)
        }
      }
    }
  }

  private static func fillEmpty<T: BinaryFloatingPoint>(
    _ rows: Int, _ mean: UnsafeMutablePointer<T>?, _ rstd: UnsafeMutablePointer<T>?
  ) {
    if let mean = unsafe mean { unsafe mean.update(repeating: 0, count: rows) }
    if let rstd = unsafe rstd { unsafe rstd.update(repeating: .nan, count: rows) }
  }

  private static func layerNorm(
    _ rows: Int, _ count: Int, _ x: UnsafeMutablePointer<Double>, _ gamma: UnsafeMutablePointer<Double>?,
    _ beta: UnsafeMutablePointer<Double>?, _ epsilon: Double, _ y: UnsafeMutablePointer<Double>,
    _ mean: UnsafeMutablePointer<Double>?, _ rstd: UnsafeMutablePointer<Double>?
  ) {
    for row in 0..<rows {
      let source = unsafe x + row * count
      let target = unsafe y + row * count
      var center = 0.0
      var squares = 0.0
      unsafe mk_moments_rows_f64(1, count, count, source, &center, &squares)
      let scale = 1 / (squares / Double(count) + epsilon).squareRoot()
      for i in 0..<count {
        var value = unsafe (source[i] - center) * scale
        if let gamma = unsafe gamma { unsafe value *= gamma[i] }
        if let beta = unsafe beta { unsafe value += beta[i] }
        unsafe target[i] = value
      }
      if let mean = unsafe mean { unsafe mean[row] = center }
      if let rstd = unsafe rstd { unsafe rstd[row] = scale }
    }
  }

  /// `y = x * gamma / sqrt(mean(x^2) + epsilon)` for dense float32 rows; `y` may be `x`.
  package static func rmsNorm(
    rows: Int, count: Int, x: TensorView, gamma: TensorView?, epsilon: Double, y: TensorView
  ) -> Kernel {
    { context in
      context.parallelRanges(rows, grain: max(1, 8192 / max(count, 1))) { range, _ in
        unsafe mk_rms_norm_rows_f32(
          range.count, count, context.pointer(x, as: Float.self) + range.lowerBound * count,
          gamma.map { unsafe UnsafePointer(context.pointer($0, as: Float.self)) }, epsilon,
          context.pointer(y, as: Float.self) + range.lowerBound * count)
      }
    }
  }
}
