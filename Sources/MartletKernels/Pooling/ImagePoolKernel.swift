internal import CMartletKernels
import MartletTensor
import MartletVocabulary

extension PoolKernel {
  /// The kernel for channels-last operands, both float32, float16 or bfloat16 (float32 only, if indices are requested). The channels of
  /// every [N, C, H, W] view are contiguous.
  package func imageKernel() -> Kernel {
    if y.isEmpty { return { _ in } }
    let divisors: (rows: [Int], columns: [Int])
    switch reduction {
    case .maximum: divisors = ([], [])
    case .average(_, let fixed?):
      divisors = ([Int](repeating: fixed, count: rows.counts.count), [Int](repeating: 1, count: columns.counts.count))
    case .average(let countsPadding, nil):
      divisors = countsPadding ? (rows.paddedCounts, columns.paddedCounts) : (rows.counts, columns.counts)
    }
    let me = self
    return { context in
      let input = unsafe context.address(me.x)
      let output = unsafe context.address(me.y)
      let places = unsafe me.indices.map { unsafe context.pointer($0, as: Int64.self) }
      let indexStrides = me.indices?.strides ?? [0, 0, 0, 0]
      let rowCount = me.y.shape[0] * me.y.shape[2]
      let work = me.y.shape[3] * me.y.shape[1] * (me.rows.counts.max() ?? 1) * (me.columns.counts.max() ?? 1)
      unsafe me.rows.starts.withUnsafeBufferPointer { rowStarts in
        unsafe me.rows.counts.withUnsafeBufferPointer { rowCounts in
          unsafe me.columns.starts.withUnsafeBufferPointer { columnStarts in
            unsafe me.columns.counts.withUnsafeBufferPointer { columnCounts in
              unsafe divisors.rows.withUnsafeBufferPointer { rowDivisors in
                unsafe divisors.columns.withUnsafeBufferPointer { columnDivisors in
                  var pool = unsafe mk_pool2d(
                    input: input, input_image_stride: me.x.strides[0], input_row_stride: me.x.strides[2],
                    input_pixel_stride: me.x.strides[3], output: output, output_image_stride: me.y.strides[0],
                    output_row_stride: me.y.strides[2], output_pixel_stride: me.y.strides[3], output_height: me.y.shape[2],
                    output_width: me.y.shape[3], channels: me.y.shape[1],
                    rows: mk_pool_axis(
                      starts: rowStarts.baseAddress!, counts: rowCounts.baseAddress!, step: me.rows.step,
                      divisors: rowDivisors.baseAddress),
                    columns: mk_pool_axis(
                      starts: columnStarts.baseAddress!, counts: columnCounts.baseAddress!, step: me.columns.step,
                      divisors: columnDivisors.baseAddress),
                    indices: places, indices_image_stride: indexStrides[0], indices_row_stride: indexStrides[2],
                    indices_pixel_stride: indexStrides[3], input_width: me.x.shape[3], dtype: Int32(me.x.dtype.rawValue))
                  unsafe withUnsafeMutablePointer(to: &pool) { pool in
                    context.parallelRanges(rowCount, grain: max(1, 32 * 1024 / max(work, 1)), largest: max(1, (1 << 23) / max(work, 1))) {
                      range, _ in
                      if me.reduction == .maximum {
                        unsafe mk_max_pool2d(pool, range.lowerBound, range.upperBound)
                      } else {
                        unsafe mk_average_pool2d(pool, range.lowerBound, range.upperBound)
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}
