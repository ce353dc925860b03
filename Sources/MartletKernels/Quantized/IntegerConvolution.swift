package import MartletTensor
package import MartletVocabulary

/// Conversion of exact 32-bit sums of products to results.
package enum IntegerResult: Sendable, Hashable {
  /// `clamp(round(sum * scale) + zeroPoint)` as int8 or uint8.
  case quantized(zeroPoint: Int32, lowest: Int32, highest: Int32)
  /// `activation(sum * scale + bias)` as float32.
  case real(Activation)
}

/// A convolution of channels-last 8-bit images with 8-bit weights, dense, grouped or depthwise, or a product of rows with a matrix:
/// the kernels of `martlet_quantized.h`.
package struct IntegerConvolution: Sendable {
  /// int8 or uint8.
  package var input: ImageConvolution.Images
  package var inputExtents: (height: Int, width: Int)
  package var inputZeroPoint: Int32
  /// int8, uint8 or float32.
  package var output: ImageConvolution.Images
  package var outputExtents: (height: Int, width: Int)
  package var images: Int
  package var weights: IntegerWeights
  package var stride = (y: 1, x: 1)
  package var dilation = (y: 1, x: 1)
  package var padding = (top: 0, left: 0)
  /// Made by `weights.pack`, int8.
  package var packed: TensorView
  /// Made by `IntegerParameters.pack`, float32.
  package var parameters: TensorView
  /// True if `parameters` hold floating-point biases.
  package var hasRealBias: Bool
  package var result: IntegerResult
  /// Scale (float32) and zero point (int32) of each row of a product with float32 results.
  package var rows: (scales: TensorView, zeroPoints: TensorView)?

  package init(
    input: ImageConvolution.Images, inputExtents: (height: Int, width: Int), inputZeroPoint: Int32, output: ImageConvolution.Images,
    outputExtents: (height: Int, width: Int), images: Int, weights: IntegerWeights, packed: TensorView, parameters: TensorView,
    hasRealBias: Bool, result: IntegerResult
  ) {
    self.input = input
    self.inputExtents = inputExtents
    self.inputZeroPoint = inputZeroPoint
    self.output = output
    self.outputExtents = outputExtents
    self.images = images
    self.weights = weights
    self.packed = packed
    self.parameters = parameters
    self.hasRealBias = hasRealBias
    self.result = result
  }

  /// A product of `rows` rows, `rowStride` apart, with a matrix: results are dense rows.
  package init(
    rows: Int, of input: TensorView, rowStride: Int, inputZeroPoint: Int32, output: TensorView, weights: IntegerWeights,
    packed: TensorView, parameters: TensorView, hasRealBias: Bool, result: IntegerResult
  ) {
    let columns = weights.outputChannels
    self.init(
      input: .init(input, imageStride: rows * rowStride, rowStride: rows * rowStride, pixelStride: rowStride),
      inputExtents: (1, rows), inputZeroPoint: inputZeroPoint,
      output: .init(output, imageStride: rows * columns, rowStride: rows * columns, pixelStride: columns), outputExtents: (1, rows),
      images: 1, weights: weights, packed: packed, parameters: parameters, hasRealBias: hasRealBias, result: result)
  }

  /// Multiplications and additions of one run, including padding.
  package var operations: Double {
    2 * Double(images * outputExtents.height * outputExtents.width) * Double(weights.groups * weights.outputChannels)
      * Double(weights.depth)
  }

  private var placeholder: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(bitPattern: 64)! }

  private func description(_ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ packed: UnsafePointer<Int8>) -> mk_q8_conv2d {
    var conv = unsafe mk_q8_conv2d()
    unsafe conv.input = input
    unsafe conv.input_is_unsigned = self.input.view.dtype == .uint8 ? 1 : 0
    unsafe conv.input_zero_point = inputZeroPoint
    unsafe conv.input_image_stride = self.input.imageStride
    unsafe conv.input_row_stride = self.input.rowStride
    unsafe conv.input_pixel_stride = self.input.pixelStride
    unsafe conv.images = images
    unsafe conv.height = inputExtents.height
    unsafe conv.width = inputExtents.width
    unsafe conv.output = output
    unsafe conv.output_image_stride = self.output.imageStride
    unsafe conv.output_row_stride = self.output.rowStride
    unsafe conv.output_pixel_stride = self.output.pixelStride
    unsafe conv.output_height = outputExtents.height
    unsafe conv.output_width = outputExtents.width
    unsafe conv.input_channels = weights.inputChannels
    unsafe conv.output_channels = weights.outputChannels
    unsafe conv.groups = weights.groups
    unsafe conv.kernel_height = weights.kernel.height
    unsafe conv.kernel_width = weights.kernel.width
    unsafe conv.stride_y = stride.y
    unsafe conv.stride_x = stride.x
    unsafe conv.dilation_y = dilation.y
    unsafe conv.dilation_x = dilation.x
    unsafe conv.pad_top = padding.top
    unsafe conv.pad_left = padding.left
    unsafe conv.weights = packed
    switch result {
    case .quantized(let zeroPoint, let lowest, let highest):
      unsafe conv.epilogue.output = Int32((self.output.view.dtype == .uint8 ? MK_Q8_TO_UINT8 : MK_Q8_TO_INT8).rawValue)
      unsafe conv.epilogue.zero_point = zeroPoint
      unsafe conv.epilogue.lowest = lowest
      unsafe conv.epilogue.highest = highest
    case .real(let activation):
      unsafe conv.epilogue.output = Int32(MK_Q8_TO_F32.rawValue)
      unsafe conv.epilogue.activation = activation.kind.rawValue
      unsafe conv.epilogue.lo = activation.low
      unsafe conv.epilogue.hi = activation.high
    }
    return unsafe conv
  }

  /// The description with the addresses of a call.
  func description(_ context: KernelContext) -> mk_q8_conv2d {
    var conv = unsafe description(
      context.address(input.view) + input.offset, context.address(output.view) + output.offset * output.view.dtype.byteCount,
      context.pointer(packed, as: Int8.self))
    let columns = weights.paddedColumns
    let parameters = unsafe UnsafePointer(context.pointer(self.parameters, as: Float.self))
    unsafe conv.epilogue.scale = parameters
    if hasRealBias {
      unsafe conv.epilogue.bias = parameters + columns
    } else {
      unsafe conv.epilogue.sum_bias = UnsafeRawPointer(parameters + columns).assumingMemoryBound(to: Int32.self)
    }
    if let rows {
      unsafe conv.epilogue.row_scale = UnsafePointer(context.pointer(rows.scales, as: Float.self))
      unsafe conv.epilogue.row_zero_point = UnsafePointer(context.pointer(rows.zeroPoints, as: Int32.self))
    }
    return unsafe conv
  }

  /// Turns negative padding, which occurs in phases of transposed convolutions, into an offset of the input.
  package mutating func normalizePadding() {
    if padding.top < 0 {
      input.offset -= padding.top * input.rowStride
      inputExtents.height += padding.top
      padding.top = 0
    }
    if padding.left < 0 {
      input.offset -= padding.left * input.pixelStride
      inputExtents.width += padding.left
      padding.left = 0
    }
    inputExtents.height = max(inputExtents.height, 0)
    inputExtents.width = max(inputExtents.width, 0)
  }

  /// Results of an image that are computed together: pixels, or tiles of 2 × 2.
  private var grid: (height: Int, width: Int) {
    weights.isWinograd ? ((outputExtents.height + 1) / 2, (outputExtents.width + 1) / 2) : outputExtents
  }

  private var pixels: Int { images * grid.height * grid.width }

  /// Scratch bytes per worker.
  package var scratchByteCount: Int { scratchByteCount(pixels: pixels) }

  /// Scratch bytes for a call on this number of pixels, or of tiles.
  func scratchByteCount(pixels: Int) -> Int {
    if weights.isDepthwise { return 0 }
    let raw = unsafe placeholder
    return unsafe withUnsafePointer(to: description(raw, raw, raw.assumingMemoryBound(to: Int8.self))) {
      unsafe weights.isWinograd ? mk_q8_winograd_scratch_bytes($0, pixels) : mk_q8_conv2d_scratch_bytes($0, pixels)
    }
  }

  /// Division of pixels and panels into chunks for threads: ranges of output rows, or of pixels if the kernel has one tap, so that each thread
  /// keeps its part of the images from node to node; ranges of tiles if the output has no rows; or ranges of panels.
  private struct Split {
    var rows = 1
    var panels = 1
    /// Pixels per row or tile, and the number of rows or tiles.
    var pixels: Int
    var count: Int
  }

  /// Smallest number of pixels of a chunk, if there are enough for all threads.
  private static let chunkPixels = 56

  private func split(workers: Int) -> Split {
    let tiles = (pixels + 31) / 32
    let lines = images * grid.height
    var split = Split(pixels: 32, count: tiles)
    if weights.kernel == (1, 1), tiles >= workers {
      split = Split(pixels: 1, count: pixels)
    } else if lines > 1 {
      split = Split(pixels: grid.width, count: lines)
    }
    if workers == 1 { return split }
    // Cost in nanoseconds of the products and of requantisation. A Winograd tile takes 16 products per channel.
    let depth = weights.isWinograd ? 16 * weights.inputChannels : weights.depth
    let cost = Double(tiles) * Double(weights.panelCount) * (Double(depth) * MachineProfile.current.integerStepCost + 110)
    // Weights that exceed the private caches should be read only once.
    let isBound = weights.depth * weights.panelCount * 32 > 384 << 10 && tiles < 16
    if isBound || split.count < workers {
      // Two panels fill a cache line of 8-bit results; avoid false sharing.
      split.panels = max(1, min(weights.panelCount / 2, Int(cost / 3000), 2 * workers))
    } else if cost >= 3000 {
      // Short chunks leave more of their last tiles empty, and prepare weights more often. A Winograd tile has four pixels.
      let pixelCount = weights.isWinograd ? 4 * pixels : pixels
      split.rows = min(split.count, workers * max(1, min(4, Int(cost / 15000) / workers, pixelCount / Self.chunkPixels / workers)))
    }
    return split
  }

  /// - Parameter scratch: `scratchByteCount` bytes per worker; nil if that is 0.
  package func kernel(scratch: TensorView?) -> Kernel {
    if pixels == 0 || weights.groups * weights.outputChannels == 0 { return { _ in } }
    let me = self
    let rowCount = images * outputExtents.height
    let rowCost = Double(outputExtents.width * weights.groups * weights.kernel.height * weights.kernel.width) / 50
    // Rows are processed in pairs.
    let depthwiseGrain = max(2, (Int(3000 / max(rowCost, 1)) + 1) / 2 * 2)
    let panelPairs = (weights.panelCount + 1) / 2
    return { context in
      let conv = unsafe me.description(context)
      unsafe withUnsafePointer(to: conv) { conv in
        if me.weights.isDepthwise {
          context.parallelRanges(rowCount, grain: depthwiseGrain) { rows, _ in
            unsafe mk_q8_depthwise2d_run(conv, rows.lowerBound, rows.upperBound)
          }
          return
        }
        let split = me.split(workers: context.workers)
        context.parallel(split.rows * split.panels) { chunk, worker in
          let (row, panel) = chunk.quotientAndRemainder(dividingBy: split.panels)
          let rows = evenPart(row, of: split.rows, split.count), pairs = evenPart(panel, of: split.panels, panelPairs)
          let memory = unsafe scratch.map { unsafe context.scratch($0, worker: worker, as: UInt8.self) }
          let (first, end) = (rows.lowerBound * split.pixels, min(rows.upperBound * split.pixels, me.pixels))
          let (firstPanel, lastPanel) = (2 * pairs.lowerBound, min(2 * pairs.upperBound, me.weights.panelCount))
          if me.weights.isWinograd {
            unsafe mk_q8_winograd_run(conv, first, end, firstPanel, lastPanel, memory!)
          } else {
            unsafe mk_q8_conv2d_run(conv, first, end, firstPanel, lastPanel, memory!)
          }
        }
      }
    }
  }
}
