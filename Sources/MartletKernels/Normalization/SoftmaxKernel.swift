package import MartletTensor

/// Elements of a row from which on its softmax is computed in parts of this size, so that a cancellation takes effect in between.
private let longRow = 1 << 20

/// Softmax of one long row; the same numbers as those of `mk_softmax_rows_f32`.
private func longSoftmax(
  _ context: KernelContext, _ count: Int, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ log: Int32
) {
  var largest = -Float.infinity
  var sum = 0.0
  context.inRanges(count, grain: longRow) { range in
    let part = unsafe mk_softmax_maximum_f32(range.count, x + range.lowerBound)
    if part > largest || part.isNaN { largest = part }
  }
  context.inRanges(count, grain: longRow) { range in
    unsafe sum += mk_softmax_powers_f32(range.count, x + range.lowerBound, largest, y + range.lowerBound, log)
  }
  context.inRanges(count, grain: longRow) { range in
    unsafe mk_softmax_finish_f32(range.count, x + range.lowerBound, largest, sum, y + range.lowerBound, log)
  }
}

/// Softmax and log-softmax along the middle axis of dense arrays of shape (`outer`, `count`, `inner`).
package enum SoftmaxKernel {
  /// - Parameters:
  ///   - source, destination: float32 or float64, dense with the same order of axes; may be the same memory.
  package static func kernel(
    outer: Int, count: Int, inner: Int, from source: TensorView, to destination: TensorView, isLogarithm: Bool
  ) -> Kernel {
    if outer * count * inner == 0 { return { _ in } }
    let log: Int32 = isLogarithm ? 1 : 0
    let block = count * inner
    return { context in
      context.parallelRanges(outer, grain: max(1, 4096 / block)) { range, _ in
        let start = range.lowerBound * block
        if source.dtype == .float64 {
          let x = unsafe context.pointer(source, as: Double.self) + start
          let y = unsafe context.pointer(destination, as: Double.self) + start
          if inner == 1 {
            unsafe mk_softmax_rows_f64(range.count, count, x, count, y, count, log)
          } else {
            unsafe mk_softmax_cols_f64(range.count, count, inner, x, y, log)
          }
        } else {
          let x = unsafe context.pointer(source, as: Float.self) + start
          let y = unsafe context.pointer(destination, as: Float.self) + start
          if inner == 1, count > longRow {
            for row in 0..<range.count { unsafe longSoftmax(context, count, x + row * count, y + row * count, log) }
          } else if inner == 1 {
            unsafe mk_softmax_rows_f32(range.count, count, x, count, y, count, log)
          } else {
            unsafe mk_softmax_cols_f32(range.count, count, inner, x, y, log)
          }
        }
      }
    }
  }
}
