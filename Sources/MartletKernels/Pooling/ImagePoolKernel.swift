import MartletTensor
import MartletVocabulary

/// Windows of a pooling of channels-last images.
struct ImagePool: Sendable {
  let x: TensorView
  /// The result, or its gradient.
  let y: TensorView
  let indices: TensorView?
  let rows: PoolWindow
  let columns: PoolWindow
  /// The divisor of an average is the product of both axes' numbers; empty for maxima.
  private let divisors: (rows: [Int], columns: [Int])

  init(x: TensorView, y: TensorView, indices: TensorView?, rows: PoolWindow, columns: PoolWindow, reduction: PoolReduction) {
    (self.x, self.y, self.indices, self.rows, self.columns) = (x, y, indices, rows, columns)
    switch reduction {
    case .maximum: divisors = ([], [])
    case .average(_, let fixed?):
      divisors = ([Int](repeating: fixed, count: rows.counts.count), [Int](repeating: 1, count: columns.counts.count))
    case .average(let countsPadding, nil):
      divisors = countsPadding ? (rows.paddedCounts, columns.paddedCounts) : (rows.counts, columns.counts)
    }
  }

  func withDescription(_ context: KernelContext, _ body: (UnsafePointer<mk_pool2d>) -> Void) {
    let input = unsafe context.address(x)
    let output = unsafe context.address(y)
    let places = unsafe indices.map { unsafe context.pointer($0, as: Int64.self) }
    let indexStrides = indices?.strides ?? [0, 0, 0, 0]
    unsafe rows.starts.withUnsafeBufferPointer { rowStarts in
      unsafe rows.counts.withUnsafeBufferPointer { rowCounts in
        unsafe columns.starts.withUnsafeBufferPointer { columnStarts in
          unsafe columns.counts.withUnsafeBufferPointer { columnCounts in
            unsafe divisors.rows.withUnsafeBufferPointer { rowDivisors in
              unsafe divisors.columns.withUnsafeBufferPointer { columnDivisors in
                var pool = unsafe mk_pool2d(
                  input: input, input_image_stride: x.strides[0], input_row_stride: x.strides[2],
                  input_pixel_stride: x.strides[3], output: output, output_image_stride: y.strides[0],
                  output_row_stride: y.strides[2], output_pixel_stride: y.strides[3], output_height: y.shape[2],
                  output_width: y.shape[3], channels: y.shape[1],
                  rows: mk_pool_axis(
                    starts: rowStarts.baseAddress!, counts: rowCounts.baseAddress!, step: rows.step, divisors: rowDivisors.baseAddress),
                  columns: mk_pool_axis(
                    starts: columnStarts.baseAddress!, counts: columnCounts.baseAddress!, step: columns.step,
                    divisors: columnDivisors.baseAddress),
                  indices: places, indices_image_stride: indexStrides[0], indices_row_stride: indexStrides[2],
                  indices_pixel_stride: indexStrides[3], input_width: x.shape[3], dtype: Int32(x.dtype.rawValue))
                unsafe withUnsafePointer(to: &pool, body)
              }
            }
          }
        }
      }
    }
  }
}

extension PoolKernel {
  /// The kernel for channels-last operands, both float32, float16 or bfloat16 (float32 only, if indices are requested). The channels of
  /// every [N, C, H, W] view are contiguous.
  package func imageKernel() -> Kernel {
    if y.isEmpty { return { _ in } }
    let pool = ImagePool(x: x, y: y, indices: indices, rows: rows, columns: columns, reduction: reduction)
    let isMaximum = reduction == .maximum
    return { context in
      let rowCount = pool.y.shape[0] * pool.y.shape[2]
      let work = pool.y.shape[3] * pool.y.shape[1] * (pool.rows.counts.max() ?? 1) * (pool.columns.counts.max() ?? 1)
      unsafe pool.withDescription(context) { pool in
        context.parallelRanges(rowCount, grain: max(1, 32 * 1024 / max(work, 1)), largest: max(1, (1 << 23) / max(work, 1))) { range, _ in
          if isMaximum {
            unsafe mk_max_pool2d(pool, range.lowerBound, range.upperBound)
          } else {
            unsafe mk_average_pool2d(pool, range.lowerBound, range.upperBound)
          }
        }
      }
    }
  }
}

extension PoolGradientKernel {
  /// The kernel for channels-last operands: the channels of every [N, C, H, W] view are contiguous.
  package func imageKernel() -> Kernel {
    if x.isEmpty { return { _ in } }
    if gradient.isEmpty { return kernel() }
    let pool = ImagePool(x: x, y: gradient, indices: nil, rows: rows, columns: columns, reduction: reduction)
    let result = result
    let isMaximum = reduction == .maximum
    return { context in
      let channels = pool.x.shape[1]
      let blocks = (channels + Self.blockLength - 1) / Self.blockLength
      let target = unsafe context.pointer(result, as: Float.self)
      unsafe pool.withDescription(context) { pool in
        var gradient = unsafe mk_pool_gradient2d(
          pool: pool, result: target, result_image_stride: result.strides[0], result_row_stride: result.strides[2],
          result_pixel_stride: result.strides[3], input_height: result.shape[2])
        unsafe withUnsafePointer(to: &gradient) { gradient in
          context.parallelRanges(result.shape[0] * blocks, grain: 1) { range, _ in
            for unit in range {
              let (image, block) = unit.quotientAndRemainder(dividingBy: blocks)
              let (start, end) = (block * Self.blockLength, min((block + 1) * Self.blockLength, channels))
              if isMaximum {
                unsafe mk_max_pool_gradient2d(gradient, image, start, end)
              } else {
                unsafe mk_average_pool_gradient2d(gradient, image, start, end)
              }
            }
          }
        }
      }
    }
  }
}
