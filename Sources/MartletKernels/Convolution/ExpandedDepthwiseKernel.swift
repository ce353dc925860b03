package import MartletTensor
package import MartletVocabulary

/// A 1 × 1 convolution fused with the depthwise convolution of its result. The intermediate image is never stored as a whole: each strip of
/// output rows computes the intermediate rows that it reads, in per-thread memory that stays in the cache.
///
/// Results are bitwise equal to those of the two separate convolutions. Rows shared by two strips are computed twice.
package struct ExpandedDepthwiseKernel: Sendable {
  /// One float32 image, [pixels, channels] with contiguous channels and contiguous pixels.
  package var pixels: TensorView
  /// Packed by `ConvolutionWeights`.
  package var expansion: TensorView
  package var expansionBias: TensorView?
  package var expansionActivation: Activation
  /// The depthwise convolution of the intermediate image, whose channels are contiguous. Its input's address is not used.
  package var depthwise: ImageConvolution

  package init(
    pixels: TensorView, expansion: TensorView, expansionBias: TensorView?, expansionActivation: Activation, depthwise: ImageConvolution
  ) {
    self.pixels = pixels
    self.expansion = expansion
    self.expansionBias = expansionBias
    self.expansionActivation = expansionActivation
    self.depthwise = depthwise
  }

  private var channels: Int { depthwise.groups }
  private var rowCount: Int { depthwise.inputExtents.width * channels }

  private var strips: RowStrips {
    RowStrips(
      inputHeight: depthwise.inputExtents.height, outputHeight: depthwise.outputExtents.height, taps: depthwise.kernel.height,
      stride: depthwise.stride.y, dilation: depthwise.dilation.y, padding: depthwise.padding.top, rowByteCount: rowCount * 4)
  }

  /// Scratch bytes per worker.
  package var scratchByteCount: Int { strips.largestCount * rowCount * 4 }

  package var flops: Double { 2 * Double(pixels.elementCount) * Double(channels) + depthwise.flops }

  /// - Parameter scratch: `scratchByteCount` bytes for each worker.
  package func kernel(scratch: TensorView) -> Kernel {
    let me = self
    let strips = strips
    let width = depthwise.inputExtents.width
    let inner = pixels.shape[1]
    let (channels, rowCount) = (channels, rowCount)
    return { context in
      var epilogue = unsafe mk_epilogue()
      unsafe epilogue.alpha = 1
      unsafe epilogue.activation = me.expansionActivation.kind.rawValue
      unsafe epilogue.lo = me.expansionActivation.low
      unsafe epilogue.hi = me.expansionActivation.high
      unsafe epilogue.bias = me.expansionBias.map { unsafe UnsafePointer(context.pointer($0, as: Float.self)) }
      let finish = unsafe epilogue
      let input = unsafe context.pointer(me.pixels, as: Float.self)
      let expansion = unsafe context.pointer(me.expansion, as: Float.self)
      let output = unsafe context.pointer(me.depthwise.output.view, as: Float.self) + me.depthwise.output.offset
      let weights = unsafe context.pointer(me.depthwise.weights, as: Float.self)
      let bias = unsafe me.depthwise.bias.map { unsafe UnsafePointer(context.pointer($0, as: Float.self)) }
      context.parallel(strips.count) { strip, worker in
        let rows = strips.rows(strip)
        let covered = strips.covered(rows)
        let middle = unsafe context.scratch(scratch, worker: worker, as: Float.self)
        var gemm = unsafe mk_gemm(
          a: input + covered.lowerBound * width * inner, a_row_stride: inner, a_k_stride: 1, b: expansion, b_is_half: 0, c: middle,
          c_row_stride: channels, k: inner, n: channels, accumulate: 0, epilogue: finish, a_scale: nil, scratch: nil,
          a_dtype: 0, c_dtype: 0, a_is_in_scratch: 0)
        unsafe mk_gemm_f32(&gemm, 0, covered.count * width, 0, mk_gemm_panel_count(channels))
        // Address of a hypothetical row 0. Only the rows of the strip are accessed.
        let origin = unsafe UnsafePointer(middle - covered.lowerBound * rowCount)
        var conv = unsafe me.depthwise.description(origin, output, weights)
        unsafe conv.input_image_stride = 0
        unsafe conv.input_row_stride = rowCount
        unsafe conv.input_pixel_stride = channels
        unsafe conv.epilogue.bias = bias
        unsafe mk_depthwise2d_f32(&conv, rows.lowerBound, rows.upperBound, 0, channels)
      }
    }
  }
}
