package import MartletTensor
package import MartletVocabulary

/// A 1 × 1 convolution fused with the depthwise convolution of its result. The intermediate image is never stored as a whole: each strip of
/// output rows computes the intermediate rows that it reads, in per-thread memory that stays in the cache.
///
/// Results are bitwise equal to those of the two separate convolutions. Rows shared by two strips are computed twice.
package struct ExpandedDepthwiseKernel: Sendable {
  /// One image, [pixels, channels] with contiguous channels and contiguous pixels: float32, float16 or bfloat16, as are the intermediate image
  /// and the result.
  package var pixels: TensorView
  /// Packed by `ConvolutionWeights` for `arithmetic`.
  package var expansion: TensorView
  package var expansionBias: TensorView?
  package var expansionActivation: Activation
  /// `.single` or `.singleOfHalves`.
  package var arithmetic = ProductArithmetic.single
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
      stride: depthwise.stride.y, dilation: depthwise.dilation.y, padding: depthwise.padding.top,
      rowByteCount: rowCount * pixels.dtype.byteCount)
  }

  /// Bytes of the intermediate rows of a strip.
  private var stripByteCount: Int { TensorStorage.alignedByteCount(strips.largestCount * rowCount * pixels.dtype.byteCount) }

  /// Scratch bytes per worker.
  package var scratchByteCount: Int {
    let floats = mk_gemm_scratch_count(
      pixels.shape[1], channels, strips.largestCount * depthwise.inputExtents.width, pixels.dtype == .float32 ? 0 : 1,
      arithmetic == .singleOfHalves ? 1 : 0)
    return stripByteCount + floats * 4
  }

  package var flops: Double { 2 * Double(pixels.elementCount) * Double(channels) + depthwise.flops }

  /// - Parameter scratch: `scratchByteCount` bytes for each worker.
  package func kernel(scratch: TensorView) -> Kernel {
    let me = self
    let strips = strips
    let stripByteCount = stripByteCount
    let width = depthwise.inputExtents.width
    let inner = pixels.shape[1]
    let (channels, rowCount) = (channels, rowCount)
    let dtype = pixels.dtype
    return { context in
      var epilogue = unsafe mk_epilogue()
      unsafe epilogue.alpha = 1
      unsafe epilogue.activation = me.expansionActivation.kind.rawValue
      unsafe epilogue.lo = me.expansionActivation.low
      unsafe epilogue.hi = me.expansionActivation.high
      unsafe epilogue.bias = me.expansionBias.map { unsafe UnsafePointer(context.pointer($0, as: Float.self)) }
      let finish = unsafe epilogue
      let input = unsafe context.address(me.pixels)
      let expansion = unsafe context.pointer(me.expansion, as: Float.self)
      let output = unsafe me.depthwise.output.address(context).assumingMemoryBound(to: Float.self)
      let weights = unsafe context.pointer(me.depthwise.weights, as: Float.self)
      let bias = unsafe me.depthwise.bias.map { unsafe UnsafePointer(context.pointer($0, as: Float.self)) }
      context.parallel(strips.count) { strip, worker in
        let rows = strips.rows(strip)
        let covered = strips.covered(rows)
        let memory = unsafe UnsafeMutableRawPointer(context.scratch(scratch, worker: worker, as: UInt8.self))
        let start = unsafe input + covered.lowerBound * width * inner * dtype.byteCount
        var gemm = unsafe mk_gemm(
          a: start.assumingMemoryBound(to: Float.self), a_row_stride: inner, a_k_stride: 1, b: expansion,
          b_is_half: me.arithmetic == .singleOfHalves ? 1 : 0, c: memory.assumingMemoryBound(to: Float.self), c_row_stride: channels,
          k: inner, n: channels, accumulate: 0, epilogue: finish, a_scale: nil,
          scratch: (memory + stripByteCount).assumingMemoryBound(to: Float.self), a_dtype: Int32(dtype.rawValue),
          c_dtype: Int32(dtype.rawValue), a_is_in_scratch: 0)
        unsafe mk_gemm_f32(&gemm, 0, covered.count * width, 0, mk_gemm_panel_count(channels))
        // Address of a hypothetical row 0. Only the rows of the strip are accessed.
        let origin = unsafe (memory - covered.lowerBound * rowCount * dtype.byteCount).assumingMemoryBound(to: Float.self)
        var conv = unsafe me.depthwise.description(UnsafePointer(origin), output, weights)
        unsafe conv.input_image_stride = 0
        unsafe conv.input_row_stride = rowCount
        unsafe conv.input_pixel_stride = channels
        unsafe conv.epilogue.bias = bias
        unsafe me.depthwise.runDepthwise(&conv, rows: rows, channels: 0..<channels)
      }
    }
  }
}
