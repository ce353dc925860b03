package import MartletTensor
package import MartletVocabulary

extension IntegerPointwise {
  /// Minimum number of elements per chunk of work.
  private static let grain = 32 * 1024

  /// `y = quantise(a ∘ b)` for tensors with the same memory layout.
  package static func binary(
    _ function: Binary, _ a: TensorView, _ aRange: IntegerRange, _ b: TensorView, _ bRange: IntegerRange, to y: TensorView,
    _ range: IntegerRange, rounding: Rounding
  ) -> Kernel {
    let isProduct = function == .multiply
    let sign: Float = function == .subtract ? -1 : 1
    var parameters = mk_q8_binary(
      a_zero_point: aRange.zeroPoint, b_zero_point: bRange.zeroPoint, a_scale: aRange.scale, b_scale: bRange.scale * sign,
      inverse_scale: 1 / range.scale, zero_point: range.zeroPoint, lowest: range.lowest, highest: range.highest)
    if rounding == .xnnpack {
      parameters.a_scale = (isProduct ? aRange.scale * bRange.scale : aRange.scale) / range.scale
      parameters.b_scale = bRange.scale / range.scale * sign
      parameters.inverse_scale = 0
    }
    let (op, count) = (parameters, y.elementCount)
    return { context in
      let (a, b) = unsafe (context.pointer(a, as: Int8.self), context.pointer(b, as: Int8.self))
      let y = unsafe context.pointer(y, as: Int8.self)
      context.parallelRanges(count, grain: grain) { part, _ in
        var op = op
        let first = part.lowerBound
        if isProduct {
          unsafe mk_q8_mul(&op, a + first, b + first, y + first, part.count)
        } else {
          unsafe mk_q8_add(&op, a + first, b + first, y + first, part.count)
        }
      }
    }
  }

  /// `y = quantise(x * factors)` for dense channels-last images.
  /// - Parameter factors: float32, dense: one for each channel of each image, or of all images.
  package static func scale(
    _ x: TensorView, _ xRange: IntegerRange, factors: TensorView, images: Int, channels: Int, to y: TensorView, _ range: IntegerRange
  ) -> Kernel {
    if y.isEmpty { return { _ in } }
    let op = mk_q8_binary(
      a_zero_point: xRange.zeroPoint, b_zero_point: 0, a_scale: xRange.scale, b_scale: 1, inverse_scale: 1 / range.scale,
      zero_point: range.zeroPoint, lowest: range.lowest, highest: range.highest)
    let pixels = y.elementCount / (images * channels)
    let step = factors.elementCount == channels ? 0 : channels
    return { context in
      let x = unsafe context.pointer(x, as: Int8.self)
      let factors = unsafe context.pointer(factors, as: Float.self)
      let y = unsafe context.pointer(y, as: Int8.self)
      for image in 0..<images {
        context.parallelRanges(pixels, grain: max(1, grain / channels)) { part, _ in
          var op = op
          let first = (image * pixels + part.lowerBound) * channels
          unsafe mk_q8_scale(&op, x + first, factors + image * step, y + first, part.count, channels)
        }
      }
    }
  }

  /// `y[i] = table[x[i] + 128]` for tensors with the same memory layout.
  /// - Parameter table: 256 int8 elements.
  package static func map(_ x: TensorView, table: TensorView, to y: TensorView) -> Kernel {
    let count = y.elementCount
    return { context in
      let x = unsafe context.pointer(x, as: Int8.self)
      let table = unsafe context.pointer(table, as: Int8.self)
      let y = unsafe context.pointer(y, as: Int8.self)
      context.parallelRanges(count, grain: grain) { part, _ in
        unsafe mk_q8_map(table, x + part.lowerBound, y + part.lowerBound, part.count)
      }
    }
  }

  /// Softmax of dense rows.
  /// - Parameter exponentials: `exp(-scale * d)` for d from 0 to 255, float32.
  package static func softmax(
    _ x: TensorView, rows: Int, exponentials: TensorView, to y: TensorView, _ range: IntegerRange
  ) -> Kernel {
    if y.isEmpty || rows == 0 { return { _ in } }
    let count = y.elementCount / rows
    return { context in
      let x = unsafe context.pointer(x, as: Int8.self)
      let table = unsafe context.pointer(exponentials, as: Float.self)
      let y = unsafe context.pointer(y, as: Int8.self)
      context.parallelRanges(rows, grain: max(1, 4096 / max(count, 1))) { part, _ in
        unsafe mk_q8_softmax_rows(
          x + part.lowerBound * count, part.count, count, table, 1 / range.scale, range.zeroPoint, range.lowest, range.highest,
          y + part.lowerBound * count)
      }
    }
  }

  /// Quantises a float32 tensor to int8. Both have the same memory layout.
  package static func quantize(_ x: TensorView, to y: TensorView, _ range: IntegerRange) -> Kernel {
    let count = y.elementCount
    return { context in
      let x = unsafe context.pointer(x, as: Float.self)
      let y = unsafe context.pointer(y, as: Int8.self)
      context.parallelRanges(count, grain: grain) { part, _ in
        unsafe mk_q8_quantize(
          x + part.lowerBound, 1 / range.scale, range.zeroPoint, range.lowest, range.highest, y + part.lowerBound, part.count)
      }
    }
  }

  /// Quantises dense float32 rows to int8 with parameters that their numbers determine.
  /// - Parameters:
  ///   - y: rows at a distance of `rowStride`; gaps between rows are not written.
  ///   - scales: float32.
  ///   - zeroPoints: int32.
  package static func quantizeRows(
    _ x: TensorView, rows: Int, count: Int, _ quantization: RowQuantization, to y: TensorView, rowStride: Int, scales: TensorView,
    zeroPoints: TensorView
  ) -> Kernel {
    { context in
      let x = unsafe context.pointer(x, as: Float.self)
      let y = unsafe context.pointer(y, as: Int8.self)
      let scales = context.elements(scales, as: Float.self)
      let zeroPoints = context.elements(zeroPoints, as: Int32.self)
      var low: Float = 0
      var high: Float = 0
      if quantization != .rows { unsafe mk_q8_range(x, rows * count, &low, &high) }
      if quantization == .symmetricTensor {
        high = max(high, -low)
        low = -high
      }
      let (tensorLow, tensorHigh) = (low, high)
      // Symmetric numbers have as many steps below 0 as above.
      let range: ClosedRange<Int64> = quantization == .symmetricTensor ? -127...127 : -128...127
      context.parallelRanges(rows, grain: max(1, grain / max(count, 1))) { part, _ in
        for row in part {
          var (low, high) = (tensorLow, tensorHigh)
          if quantization == .rows { unsafe mk_q8_range(x + row * count, count, &low, &high) }
          let (scale, zeroPoint) = QuantizationChoice.parameters(low: low, high: high, range: range)
          scales[row] = Float(scale)
          zeroPoints[row] = Int32(truncatingIfNeeded: zeroPoint)
          unsafe mk_q8_quantize(x + row * count, 1 / Float(scale), zeroPoints[row], -128, 127, y + row * rowStride, count)
        }
      }
    }
  }
}

/// Pooling of channels-last int8 images.
package struct IntegerPool: Sendable {
  package var reduction: IntegerPoolReduction
  package var kernel: (height: Int, width: Int)
  package var stride: (y: Int, x: Int)
  package var dilation: (y: Int, x: Int)
  package var padding: (top: Int, left: Int)

  package init(
    _ reduction: IntegerPoolReduction, kernel: (height: Int, width: Int), stride: (y: Int, x: Int), dilation: (y: Int, x: Int),
    padding: (top: Int, left: Int)
  ) {
    self.reduction = reduction
    self.kernel = kernel
    self.stride = stride
    self.dilation = dilation
    self.padding = padding
  }

  /// - Parameters: `x` and `y` are [N, C, H, W] with stride 1 along C.
  package func kernel(_ x: TensorView, to y: TensorView) -> Kernel {
    if y.isEmpty || x.isEmpty { return { _ in } }
    let me = self
    let rows = y.shape[0] * y.shape[2]
    let perRow = y.shape[3] * y.shape[1] * kernel.height * kernel.width
    return { context in
      var pool = unsafe mk_q8_pool2d()
      unsafe pool.input = UnsafePointer(context.pointer(x, as: Int8.self))
      unsafe pool.input_image_stride = x.strides[0]
      unsafe pool.input_row_stride = x.strides[2]
      unsafe pool.input_pixel_stride = x.strides[3]
      unsafe pool.height = x.shape[2]
      unsafe pool.width = x.shape[3]
      unsafe pool.output = context.pointer(y, as: Int8.self)
      unsafe pool.output_image_stride = y.strides[0]
      unsafe pool.output_row_stride = y.strides[2]
      unsafe pool.output_pixel_stride = y.strides[3]
      unsafe pool.output_height = y.shape[2]
      unsafe pool.output_width = y.shape[3]
      unsafe pool.channels = y.shape[1]
      unsafe pool.kernel_height = me.kernel.height
      unsafe pool.kernel_width = me.kernel.width
      unsafe pool.stride_y = me.stride.y
      unsafe pool.stride_x = me.stride.x
      unsafe pool.dilation_y = me.dilation.y
      unsafe pool.dilation_x = me.dilation.x
      unsafe pool.pad_top = me.padding.top
      unsafe pool.pad_left = me.padding.left
      if case .average(let from, let to, let divisor) = me.reduction {
        unsafe pool.scale = from.scale / to.scale
        unsafe pool.input_zero_point = from.zeroPoint
        unsafe pool.zero_point = to.zeroPoint
        unsafe pool.lowest = to.lowest
        unsafe pool.highest = to.highest
        unsafe pool.divisor = divisor ?? 0
      }
      unsafe withUnsafePointer(to: pool) { pool in
        context.parallelRanges(rows, grain: max(1, 65536 / max(perRow, 1))) { part, _ in
          if me.reduction == .maximum {
            unsafe mk_q8_max_pool2d(pool, part.lowerBound, part.upperBound)
          } else {
            unsafe mk_q8_average_pool2d(pool, part.lowerBound, part.upperBound)
          }
        }
      }
    }
  }
}
