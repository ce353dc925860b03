package import MartletTensor
package import MartletVocabulary

/// A convolution of channels-last images with float32 sums, dense, grouped or depthwise: one call of the kernels of
/// `martlet_convolution.h`.
package struct ImageConvolution: Sendable {
  /// A tensor of images with contiguous channels: a base view, and strides in elements.
  package struct Images: Sendable {
    package var view: TensorView
    /// Offset of the first element, added to the view's.
    package var offset: Int
    package var imageStride: Int
    package var rowStride: Int
    package var pixelStride: Int

    package init(_ view: TensorView, offset: Int = 0, imageStride: Int, rowStride: Int, pixelStride: Int) {
      self.view = view
      self.offset = offset
      self.imageStride = imageStride
      self.rowStride = rowStride
      self.pixelStride = pixelStride
    }

    /// A [N, C, H, W] view with stride 1 along C, or along W for `ConvolutionMethod.planar`.
    package init(_ view: TensorView) {
      self.init(view, imageStride: view.strides[0], rowStride: view.strides[2], pixelStride: view.strides[3])
    }

    /// Address of the first element.
    func address(_ context: KernelContext) -> UnsafeMutableRawPointer {
      unsafe context.address(view) + offset * view.dtype.byteCount
    }
  }

  package var input: Images
  package var inputExtents: (height: Int, width: Int)
  package var output: Images
  package var outputExtents: (height: Int, width: Int)
  package var images: Int
  /// Channels per group.
  package var inputChannels: Int
  package var outputChannels: Int
  package var groups: Int
  package var kernel: (height: Int, width: Int)
  package var stride: (y: Int, x: Int)
  package var dilation: (y: Int, x: Int)
  package var padding: (top: Int, left: Int)
  package var weights: TensorView
  package var bias: TensorView?
  package var residual: Images?
  package var activation = Activation.none
  /// The algorithm of a dense convolution, for which the weights must be packed. Winograd's takes `.single`, or `.bfloat16` with tiles of 2
  /// where the unit is vectors.
  package var method = ConvolutionMethod.direct
  /// The arithmetic of the products, for which the weights must be packed. Input, output and residual may have any type that it reads, but
  /// single precision stores float16 and bfloat16 only if `storesHalves`. Depthwise convolutions support `.single` only; their input, output
  /// and residual have the same type, float32, float16 or bfloat16.
  package var arithmetic = ProductArithmetic.single
  /// Number of threads that share the work of products other than `.single`.
  package var workers = 1
  /// Uses portable C for products other than `.single`.
  package var isPortable = false

  package init(
    input: Images, inputExtents: (height: Int, width: Int), output: Images, outputExtents: (height: Int, width: Int), images: Int,
    inputChannels: Int, outputChannels: Int, groups: Int, kernel: (height: Int, width: Int), stride: (y: Int, x: Int),
    dilation: (y: Int, x: Int), padding: (top: Int, left: Int), weights: TensorView
  ) {
    self.input = input
    self.inputExtents = inputExtents
    self.output = output
    self.outputExtents = outputExtents
    self.images = images
    self.inputChannels = inputChannels
    self.outputChannels = outputChannels
    self.groups = groups
    self.kernel = kernel
    self.stride = stride
    self.dilation = dilation
    self.padding = padding
    self.weights = weights
  }

  package var isDepthwise: Bool { inputChannels == 1 && outputChannels == 1 && groups > 1 }

  /// True if a dense convolution in single precision can store float16 and bfloat16. A row of the kernel in one plane is one tap.
  package static func storesHalves(taps: Int) -> Bool { taps <= Int(MK_CONV_HALF_TAPS) }

  /// Multiplications and additions of one run, including padding.
  package var flops: Double {
    2 * Double(images * outputExtents.height * outputExtents.width) * Double(groups * outputChannels * inputChannels)
      * Double(kernel.height * kernel.width)
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

  /// Scratch memory that `kernel` needs.
  package var scratch: KernelScratch {
    if isDepthwise || images * outputExtents.height * outputExtents.width * groups * outputChannels == 0 { return KernelScratch() }
    if case .winograd(let side) = method { return winogradScratch(side) }
    if !arithmetic.isSingle { return tiled.scratch }
    let count = unsafe withShape { unsafe mk_conv2d_scratch_count($0) }
    return KernelScratch(perWorker: count * 4)
  }

  /// True if each chunk of a dense convolution copies the windows of its rows.
  private var copiesWindows: Bool {
    unsafe withShape { unsafe mk_conv2d_copies_windows($0) != 0 }
  }

  /// Calls `body` with the description, whose pointers must not be followed.
  private func withShape<Result>(_ body: (UnsafePointer<mk_conv2d>) -> Result) -> Result {
    unsafe withUnsafePointer(
      to: description(UnsafePointer(placeholder), UnsafeMutablePointer(mutating: placeholder), placeholder), body)
  }

  private var placeholder: UnsafePointer<Float> { unsafe UnsafePointer(bitPattern: 64)! }

  func description(
    _ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, _ weights: UnsafePointer<Float>
  ) -> mk_conv2d {
    var epilogue = unsafe mk_epilogue()
    unsafe epilogue.alpha = 1
    unsafe epilogue.activation = activation.kind.rawValue
    unsafe epilogue.lo = activation.low
    unsafe epilogue.hi = activation.high
    return unsafe mk_conv2d(
      input: input, input_image_stride: self.input.imageStride, input_row_stride: self.input.rowStride,
      input_pixel_stride: self.input.pixelStride, height: inputExtents.height, width: inputExtents.width,
      input_plane_stride: method == .planar ? self.input.view.strides[1] : 0, output: output,
      output_image_stride: self.output.imageStride, output_row_stride: self.output.rowStride,
      output_pixel_stride: self.output.pixelStride, output_height: outputExtents.height, output_width: outputExtents.width,
      input_channels: inputChannels, output_channels: outputChannels, groups: groups, kernel_height: kernel.height,
      kernel_width: kernel.width, stride_y: stride.y, stride_x: stride.x, dilation_y: dilation.y, dilation_x: dilation.x,
      pad_top: padding.top, pad_left: padding.left, weights: weights, epilogue: epilogue,
      residual_image_stride: residual?.imageStride ?? 0, residual_row_stride: residual?.rowStride ?? 0,
      residual_pixel_stride: residual?.pixelStride ?? 0, input_dtype: Int32(self.input.view.dtype.rawValue),
      output_dtype: Int32(self.output.view.dtype.rawValue), weights_are_half: arithmetic == .singleOfHalves ? 1 : 0)
  }

  /// The work of all images on AMX tiles, with one item per image.
  private var tiled: TiledProducts {
    let weights = mk_bf16_packed_count(Int32(arithmetic.rawValue), groups, outputChannels, inputChannels, kernel.height, kernel.width) * 4
    let shape = unsafe tile(description(placeholder, UnsafeMutablePointer(mutating: placeholder), placeholder))
    return unsafe TiledProducts(shape, items: images, weightByteCount: weights, workers: workers)
  }

  private func tile(_ description: mk_conv2d) -> mk_bf16_conv2d {
    unsafe mk_bf16_conv2d(
      conv: description, terms: Int32(arithmetic.rawValue), input_dtype: Int32(input.view.dtype.rawValue),
      output_dtype: Int32(output.view.dtype.rawValue),
      input_channel_stride: method == .planar ? input.view.strides[1] : 1, input_factors: nil,
      shares_non_finite: 0, portable: isPortable ? 1 : 0, scratch: nil)
  }

  /// - Parameter scratch: memory as `scratch` requires; nil if none.
  package func kernel(scratch: TensorView?) -> Kernel {
    let rows = images * outputExtents.height
    if rows == 0 || outputExtents.width == 0 || groups * outputChannels == 0 { return { _ in } }
    if case .winograd(let side) = method { return winogradKernel(side, scratch) }
    return isDepthwise || arithmetic.isSingle ? singleKernel(scratch, rows: rows) : tiledKernel(scratch)
  }

  private func tiledKernel(_ scratch: TensorView?) -> Kernel {
    let products = tiled
    let me = self
    return { context in
      let (size, outputSize) = (me.input.view.dtype.byteCount, me.output.view.dtype.byteCount)
      let input = unsafe me.input.address(context)
      let output = unsafe me.output.address(context)
      let bias = unsafe me.bias.map { unsafe context.pointer($0, as: Float.self) }
      let residual = unsafe me.residual.map { unsafe $0.address(context) }
      let weights = unsafe context.pointer(me.weights, as: Float.self)
      unsafe products.run(context, scratch: scratch) { image in
        let pixels = unsafe (input + image * me.input.imageStride * size).assumingMemoryBound(to: Float.self)
        let results = unsafe (output + image * me.output.imageStride * outputSize).assumingMemoryBound(to: Float.self)
        var conv = unsafe me.description(pixels, results, weights)
        unsafe conv.epilogue.bias = bias.map { unsafe UnsafePointer($0) }
        if let residual = unsafe residual, let places = me.residual {
          unsafe conv.epilogue.residual = UnsafePointer(
            (residual + image * places.imageStride * outputSize).assumingMemoryBound(to: Float.self))
        }
        return unsafe me.tile(conv)
      }
    }
  }

  /// The description with the addresses of one run.
  private func bound(_ context: KernelContext) -> mk_conv2d {
    let input = unsafe self.input.address(context).assumingMemoryBound(to: Float.self)
    let output = unsafe self.output.address(context).assumingMemoryBound(to: Float.self)
    var conv = unsafe description(input, output, context.pointer(weights, as: Float.self))
    if let bias { unsafe conv.epilogue.bias = UnsafePointer(context.pointer(bias, as: Float.self)) }
    if let residual {
      unsafe conv.epilogue.residual = UnsafePointer(residual.address(context).assumingMemoryBound(to: Float.self))
    }
    return unsafe conv
  }

  /// The tiles of all images, and the division of tiles and panels into chunks. It depends on the extents only.
  private func winogradSplit(_ side: Int) -> (tiles: Int, tilesPerChunk: Int, panels: Int, panelsPerChunk: Int) {
    let (tiles, most) = unsafe withShape {
      unsafe (
        mk_winograd_tile_count($0, images, side),
        arithmetic.isSingle
          ? mk_winograd_block_tiles($0.pointee.output_channels, $0.pointee.input_channels, $0.pointee.weights_are_half, side)
          : mk_winograd_bf16_block_tiles($0, side)
      )
    }
    let blocks = (tiles + most - 1) / most
    let width = Int(MK_BF16_PANEL)
    let panels = arithmetic.isSingle ? mk_gemm_panel_count(outputChannels) : (outputChannels + width - 1) / width
    // A small number of blocks would leave threads idle. Each part of the panels transforms the input again.
    let parts = blocks < 4 ? min(panels, 2) : 1
    return (tiles, (tiles + blocks - 1) / blocks, panels, (panels + parts - 1) / parts)
  }

  private func winogradScratch(_ side: Int) -> KernelScratch {
    let count = unsafe withShape {
      let tiles = winogradSplit(side).tilesPerChunk
      return unsafe arithmetic.isSingle ? mk_winograd_scratch_count($0, side, tiles) : mk_winograd_bf16_scratch_count($0, side, tiles)
    }
    return KernelScratch(perWorker: count * 4)
  }

  private func winogradKernel(_ side: Int, _ scratch: TensorView?) -> Kernel {
    let me = self
    let split = winogradSplit(side)
    let panelParts = (split.panels + split.panelsPerChunk - 1) / split.panelsPerChunk
    let blocks = (split.tiles + split.tilesPerChunk - 1) / split.tilesPerChunk
    let need = winogradScratch(side)
    return { context in
      let conv = unsafe me.bound(context)
      unsafe withUnsafePointer(to: conv) { conv in
        context.parallel(blocks * panelParts) { chunk, worker in
          guard let scratch else { return }
          let memory = unsafe context.scratch(scratch, need, worker: worker).assumingMemoryBound(to: Float.self)
          let (block, part) = chunk.quotientAndRemainder(dividingBy: panelParts)
          let tile = block * split.tilesPerChunk
          let panel = part * split.panelsPerChunk
          let (tileEnd, panelEnd) = (min(tile + split.tilesPerChunk, split.tiles), min(panel + split.panelsPerChunk, split.panels))
          if me.arithmetic.isSingle {
            unsafe mk_winograd_f32(conv, side, tile, tileEnd, panel, panelEnd, memory)
          } else {
            unsafe mk_winograd_bf16(
              conv, side, Int32(me.input.view.dtype.rawValue), Int32(me.output.view.dtype.rawValue), tile, tileEnd, panel, panelEnd, memory)
          }
        }
      }
    }
  }

  /// Granularity of a depthwise convolution's chunks in channels.
  private static let channelBlock = 32

  /// Division of a depthwise convolution by output rows and blocks of channels. Products over the small images at the end of a network are
  /// split by panels, so each thread has some channels of all pixels; larger images are split by rows.
  private func depthwiseSplit(rows: Int) -> WorkSplit {
    let blocks = (groups + Self.channelBlock - 1) / Self.channelBlock
    // These kernels use the vector units less efficiently than matrix products do.
    let wanted = WorkSplit.chunkCount(flops: flops * 4, largest: 2e8)
    if wanted == 1 || rows >= 14 && (rows >= 28 || rows % 2 == 0) {
      return WorkSplit(rows: rows, rowChunks: wanted / 2 * 2, panels: blocks, panelChunks: 1)
    }
    if images * inputExtents.height * inputExtents.width <= 98 {
      return WorkSplit(rows: rows, rowChunks: max(1, wanted / blocks), panels: blocks, panelChunks: wanted)
    }
    return WorkSplit(rows: rows, rowChunks: max(1, wanted / 2), panels: blocks, panelChunks: 2)
  }

  /// Computes output rows, counted over all images, of some channels of a depthwise convolution.
  func runDepthwise(_ description: UnsafePointer<mk_conv2d>, rows: Range<Int>, channels: Range<Int>) {
    let (row, rowEnd, channel, channelEnd) = (rows.lowerBound, rows.upperBound, channels.lowerBound, channels.upperBound)
    switch input.view.dtype {
    case .float16: unsafe mk_depthwise2d_f16(description, row, rowEnd, channel, channelEnd)
    case .bfloat16: unsafe mk_depthwise2d_bf16(description, row, rowEnd, channel, channelEnd)
    default: unsafe mk_depthwise2d_f32(description, row, rowEnd, channel, channelEnd)
    }
  }

  private func singleKernel(_ scratch: TensorView?, rows: Int) -> Kernel {
    let me = self
    let need = self.scratch
    let panels = isDepthwise ? 1 : groups * mk_gemm_panel_count(outputChannels)
    let weightBytes = (arithmetic == .singleOfHalves ? 2 : 4) * groups * outputChannels * inputChannels * kernel.height * kernel.width
    let perCell = flops / Double(max(rows * panels, 1))
    let split =
      isDepthwise
      ? depthwiseSplit(rows: rows)
      : WorkSplit(
        rows: rows, panels: panels, batches: 1, flopsPerCell: perCell, tileRows: outputExtents.width <= 7 ? 2 : 1,
        prefersPanels: weightBytes > 384 * 1024,
        target: copiesWindows
          ? WorkSplit.convertingTarget(workers: workers, each: 1)
          : arithmetic == .singleOfHalves ? WorkSplit.convertingTarget(workers: workers) : nil)
    return { context in
      let conv = unsafe me.bound(context)
      unsafe withUnsafePointer(to: conv) { conv in
        context.parallel(split.chunkCount) { chunk, worker in
          let (_, rowRange, panelRange) = split.chunk(chunk)
          if me.isDepthwise {
            let (first, end) = (panelRange.lowerBound * Self.channelBlock, min(panelRange.upperBound * Self.channelBlock, me.groups))
            unsafe me.runDepthwise(conv, rows: rowRange, channels: first..<end)
          } else {
            let memory =
              unsafe scratch.map { unsafe context.scratch($0, need, worker: worker).assumingMemoryBound(to: Float.self) }
              ?? UnsafeMutablePointer(mutating: me.placeholder)
            unsafe mk_conv2d_f32(
              conv, rowRange.lowerBound, rowRange.upperBound, panelRange.lowerBound, panelRange.upperBound, memory)
          }
        }
      }
    }
  }
}

/// Weights for `ImageConvolution`.
package struct ConvolutionWeights: Sendable {
  /// Strides, in elements, of output channel, input channel, and tap rows and columns; they may be negative.
  package var strides: (output: Int, input: Int, y: Int, x: Int)
  /// Offset of the first element.
  package var offset = 0
  /// Distance between the weights of consecutive groups; nil if groups are contiguous along the output channels.
  package var groupStride: Int?
  package var groups: Int
  /// Channels of one group.
  package var outputChannels: Int
  package var inputChannels: Int
  package var kernel: (height: Int, width: Int)

  package init(
    strides: (output: Int, input: Int, y: Int, x: Int), groups: Int, outputChannels: Int, inputChannels: Int,
    kernel: (height: Int, width: Int)
  ) {
    self.strides = strides
    self.groups = groups
    self.outputChannels = outputChannels
    self.inputChannels = inputChannels
    self.kernel = kernel
  }

  package var isDepthwise: Bool { inputChannels == 1 && outputChannels == 1 && groups > 1 }

  /// Arithmetic that the weights are packed for.
  package var arithmetic = ProductArithmetic.single
  /// Algorithm that the weights are packed for.
  package var method = ConvolutionMethod.direct

  /// Size of the packed weights in floats.
  package var packedCount: Int { isDepthwise ? groups * kernel.height * kernel.width : packedCount(groups: groups) }

  private func packedCount(groups: Int) -> Int {
    if case .winograd(let side) = method, arithmetic != .singleOfHalves {
      return arithmetic == .single
        ? mk_winograd_packed_count(outputChannels, inputChannels, side)
        : mk_winograd_bf16_packed_count(outputChannels, inputChannels, side)
    }
    let taps = kernel.height * kernel.width
    // Halves are packed in the same layout for all methods.
    if arithmetic == .singleOfHalves { return mk_conv2d_packed_count(groups, outputChannels, inputChannels, taps) / 2 }
    return arithmetic == .single
      ? mk_conv2d_packed_count(groups, outputChannels, inputChannels, taps)
      : mk_bf16_packed_count(Int32(arithmetic.rawValue), groups, outputChannels, inputChannels, kernel.height, kernel.width)
  }

  /// True if `pack` can scale the weights of each output channel.
  package var takesFactors: Bool { arithmetic == .single && (method == .direct || method == .planar) }

  /// Packs weights of a floating-point type.
  /// - Parameter factors: one for each output channel over all groups, if `takesFactors`.
  package func pack(
    _ weights: UnsafeRawPointer, _ dtype: DType, factors: [Float]? = nil, into packed: UnsafeMutablePointer<Float>
  ) {
    guard let factors else { return unsafe pack(weights, dtype, scale: nil, into: packed) }
    precondition(takesFactors && factors.count == groups * outputChannels)
    unsafe factors.withUnsafeBufferPointer { unsafe pack(weights, dtype, scale: $0.baseAddress, into: packed) }
  }

  private func pack(
    _ weights: UnsafeRawPointer, _ dtype: DType, scale: UnsafePointer<Float>?, into packed: UnsafeMutablePointer<Float>
  ) {
    let size = dtype.byteCount
    let type = Int32(dtype.rawValue)
    let start = unsafe weights + offset * size
    let perGroup = groupStride ?? outputChannels * strides.output
    if isDepthwise {
      for y in 0..<kernel.height {
        for x in 0..<kernel.width {
          let row = unsafe packed + (y * kernel.width + x) * groups
          unsafe mk_convert(
            type, start + (y * strides.y + x * strides.x) * size, perGroup, Int32(DType.float32.rawValue), row, groups)
          if let scale = unsafe scale {
            for channel in 0..<groups { unsafe row[channel] *= scale[channel] }
          }
        }
      }
      return
    }
    if arithmetic != .singleOfHalves, case .winograd(let side) = method {
      let pack = unsafe arithmetic == .bfloat16 ? mk_winograd_bf16_pack_weights : mk_winograd_pack_weights
      unsafe pack(start, type, strides.output, strides.input, strides.y, strides.x, outputChannels, inputChannels, side, packed)
      return
    }
    let count = packedCount(groups: 1)
    for group in 0..<groups {
      if !arithmetic.isSingle {
        unsafe mk_bf16_pack_weights(
          Int32(arithmetic.rawValue), start + group * perGroup * size, type, strides.output, strides.input, strides.y, strides.x, 1,
          outputChannels, inputChannels, kernel.height, kernel.width, 0, (outputChannels + Int(MK_BF16_PANEL) - 1) / Int(MK_BF16_PANEL),
          packed + group * count)
        continue
      }
      let isPlanar = method == .planar
      if arithmetic == .singleOfHalves {
        let halves = unsafe UnsafeMutableRawPointer(packed + group * count).assumingMemoryBound(to: UInt16.self)
        unsafe mk_conv2d_pack_halves(
          start + group * perGroup * size, type, strides.output, isPlanar ? strides.x : strides.input, strides.y,
          isPlanar ? strides.input : strides.x, 1, outputChannels, isPlanar ? kernel.width : inputChannels, kernel.height,
          isPlanar ? inputChannels : kernel.width, halves)
        continue
      }
      unsafe mk_conv2d_pack_weights(
        start + group * perGroup * size, type, strides.output, isPlanar ? strides.x : strides.input, strides.y,
        isPlanar ? strides.input : strides.x, 1, outputChannels, isPlanar ? kernel.width : inputChannels, kernel.height,
        isPlanar ? inputChannels : kernel.width, scale.map { unsafe $0 + group * outputChannels }, packed + group * count)
    }
  }
}
