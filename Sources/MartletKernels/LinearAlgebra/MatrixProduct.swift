package import MartletTensor
package import MartletVocabulary

/// `C = activation(alpha * A B + bias + residual)` with float32 sums, for one matrix or a batch of them.
package struct MatrixProduct: Sendable {
  /// A batch of matrices: leading axes are batches, the last two rows and columns. Any strides.
  package var a: TensorView
  /// The right-hand side: packed in panels, or unpacked and then packed into scratch memory by every run.
  package var b: RightSide
  /// [batch axes, rows, columns], columns contiguous.
  package var c: TensorView
  package var bias: TensorView?
  /// With the shape of C, columns contiguous; may be C itself.
  package var residual: TensorView?
  package var activation = Activation.none
  package var alpha: Float = 1
  /// One factor per column of A, applied before summation. With arithmetic other than `.single`, columns must be contiguous.
  package var scale: TensorView?
  /// The arithmetic of the products, for which B must be packed. A, C and the residual may have any type that it reads.
  package var arithmetic = ProductArithmetic.single
  /// Number of threads that share the work on AMX tiles.
  package var workers = 1
  /// Uses portable C instead of AMX tiles.
  package var isPortable = false
  /// Allows an infinity or NaN to turn results of the preceding row into NaN as well. This makes some products faster.
  package var sharesNonFinite = false

  /// Applies the precision policy's settings other than the arithmetic.
  package mutating func follow(_ precision: ProductPrecision) {
    isPortable = precision.kernels == .portable
    sharesNonFinite = precision.level == .fast
  }

  package enum RightSide: Sendable {
    /// Packed by `pack`; the same matrix for all batches.
    case packed(TensorView)
    /// One packed matrix per matrix of C: a view with the batch axes of C and strides in floats.
    case packedBatches(TensorView)
    /// Matrices with any strides and the batch axes of C, and memory for all their panels.
    case strided(TensorView, scratch: TensorView)
    /// A matrix as it is stored, for products in `.single`; the same for all batches. Every run packs a few panels at a time.
    case stored(StoredMatrix)
  }

  package init(a: TensorView, b: RightSide, c: TensorView) {
    self.a = a
    self.b = b
    self.c = c
  }

  /// Size of a packed matrix of `k` rows and `n` columns in floats.
  package static func packedCount(k: Int, n: Int, for arithmetic: ProductArithmetic) -> Int {
    switch arithmetic {
    case .single: mk_gemm_packed_count(k, n)
    case .singleOfHalves: mk_gemm_packed_count(k, n) / 2
    default: mk_bf16_packed_count(Int32(arithmetic.rawValue), 1, n, k, 1, 1)
    }
  }

  private static func panelCount(n: Int, for arithmetic: ProductArithmetic) -> Int {
    arithmetic.isSingle ? mk_gemm_panel_count(n) : (n + Int(MK_BF16_PANEL) - 1) / Int(MK_BF16_PANEL)
  }

  /// Packs a constant matrix of `k` rows and `n` columns.
  package static func pack(
    _ b: UnsafeRawPointer, _ dtype: DType, kStride: Int, nStride: Int, k: Int, n: Int, for arithmetic: ProductArithmetic,
    into packed: UnsafeMutablePointer<Float>
  ) {
    unsafe pack(
      b, dtype, kStride: kStride, nStride: nStride, k: k, n: n, panels: 0..<panelCount(n: n, for: arithmetic), for: arithmetic,
      into: packed)
  }

  private static func pack(
    _ b: UnsafeRawPointer, _ dtype: DType, kStride: Int, nStride: Int, k: Int, n: Int, panels: Range<Int>,
    for arithmetic: ProductArithmetic, into packed: UnsafeMutablePointer<Float>
  ) {
    let (first, end, type) = (panels.lowerBound, panels.upperBound, Int32(dtype.rawValue))
    switch arithmetic {
    case .single:
      unsafe mk_gemm_pack_b(b, type, kStride, nStride, k, n, first, end, nil, packed)
    case .singleOfHalves:
      unsafe mk_gemm_pack_halves(
        b, type, kStride, nStride, k, n, first, end, UnsafeMutableRawPointer(packed).assumingMemoryBound(to: UInt16.self))
    default:
      unsafe mk_bf16_pack_weights(
        Int32(arithmetic.rawValue), b, type, nStride, kStride, 0, 0, 1, n, k, 1, 1, first, end, packed)
    }
  }

  /// True if `pack` reads elements of this type.
  package static func packs(_ dtype: DType) -> Bool {
    [.float32, .float64, .float16, .bfloat16].contains(dtype)
  }

  /// Multiplications and additions of one run.
  package var flops: Double { 2 * Double(c.elementCount) * Double(a.shape[a.rank - 1]) }

  /// Rows and batches as the kernels see them, after folding.
  private struct Folded {
    var batchExtents: [Int]
    var rows: Int
    var aRow: Int
    var cRow: Int
    var residualRow: Int
  }

  /// Folds batches into rows where A, C and the residual allow it and B is one matrix.
  private var folded: Folded {
    let rank = c.rank
    var f = Folded(
      batchExtents: Array(c.shape.dropLast(2)), rows: c.shape[rank - 2], aRow: a.strides[rank - 2], cRow: c.strides[rank - 2],
      residualRow: residual.map { $0.strides[rank - 2] } ?? 0)
    switch b {
    case .packed, .stored: break
    default: return f
    }
    while let extent = f.batchExtents.last {
      let axis = f.batchExtents.count - 1
      let folds =
        extent == 1
        || (f.rows == 1 || a.strides[axis] == f.aRow * f.rows) && (f.rows == 1 || c.strides[axis] == f.cRow * f.rows)
          && (residual.map { f.rows == 1 || $0.strides[axis] == f.residualRow * f.rows } ?? true)
      guard folds else { break }
      if extent > 1, f.rows == 1 {
        f.aRow = a.strides[axis]
        f.cRow = c.strides[axis]
        f.residualRow = residual.map { $0.strides[axis] } ?? 0
      }
      f.rows *= extent
      f.batchExtents.removeLast()
    }
    return f
  }

  /// Location of the panels of B at run time.
  @safe
  private struct Panels {
    let base: UnsafeMutablePointer<Float>
    /// Floats from one batch to the next, or strides of the batch axes.
    let stride: Int
    let strides: [Int]?

    func offset(_ batch: Int, _ extents: [Int]) -> Int {
      strides.map { MartletKernels.offset(batch, extents, $0) } ?? batch * stride
    }
  }

  /// The packed right-hand side, packed first if necessary.
  private func panels(_ context: KernelContext, _ batchExtents: [Int], packing: WorkSplit) -> Panels {
    let rank = c.rank
    switch b {
    case .packed(let view): return unsafe Panels(base: context.pointer(view, as: Float.self), stride: 0, strides: nil)
    case .packedBatches(let view):
      return unsafe Panels(base: context.pointer(view, as: Float.self), stride: 0, strides: view.strides)
    case .strided(let view, let scratch):
      let (k, n) = (a.shape[rank - 1], c.shape[rank - 1])
      let packed = unsafe context.pointer(scratch, as: Float.self)
      let stride = Self.packedCount(k: k, n: n, for: arithmetic)
      let source = unsafe context.address(view)
      let size = view.dtype.byteCount
      context.parallel(batchExtents.reduce(1, *) * packing.panelChunks) { chunk, _ in
        let (batch, part) = chunk.quotientAndRemainder(dividingBy: packing.panelChunks)
        unsafe Self.pack(
          source + offset(batch, batchExtents, view.strides) * size, view.dtype, kStride: view.strides[rank - 2],
          nStride: view.strides[rank - 1], k: k, n: n, panels: packing.panelRange(part), for: arithmetic, into: packed + batch * stride)
      }
      return unsafe Panels(base: packed, stride: stride, strides: nil)
    case .stored(let matrix):
      // Kernels take panels from their own memory.
      return unsafe Panels(
        base: UnsafeMutableRawPointer(context.address(matrix.values)).assumingMemoryBound(to: Float.self), stride: 0, strides: nil)
    }
  }

  /// The parts of the description that all batches share.
  private func epilogue(
    _ bias: UnsafeMutablePointer<Float>?, _ residual: UnsafeMutablePointer<Float>?, rowStride: Int
  ) -> mk_epilogue {
    var epilogue = unsafe mk_epilogue()
    unsafe epilogue.bias = bias.map { unsafe UnsafePointer($0) }
    unsafe epilogue.residual = residual.map { unsafe UnsafePointer($0) }
    unsafe epilogue.residual_row_stride = rowStride
    unsafe epilogue.activation = activation.kind.rawValue
    unsafe epilogue.lo = activation.low
    unsafe epilogue.hi = activation.high
    unsafe epilogue.alpha = alpha
    return unsafe epilogue
  }

  /// Scratch memory that `kernel` needs.
  package var scratch: KernelScratch {
    if c.isEmpty { return KernelScratch() }
    if !arithmetic.isSingle { return tiled(folded).scratch }
    let count = mk_gemm_scratch_count(
      a.shape[a.rank - 1], c.shape[c.rank - 1], folded.rows, copiesRows ? 1 : 0, arithmetic == .singleOfHalves ? 1 : 0)
    return KernelScratch(perWorker: (count + panelFloatCount) * 4 + (copiesRows ? Self.keptRowsByteCount : 0))
  }

  private static let keptRowsByteCount = 64

  /// The chunk of rows of A that a worker's scratch memory holds, as its index plus 1; 0 if none. Stored at the end of that memory. The
  /// worker's next chunk of the same rows need not copy them.
  private static func keptRows(
    _ context: KernelContext, _ scratch: TensorView, _ need: KernelScratch, worker: Int
  ) -> UnsafeMutablePointer<Int> {
    unsafe (context.scratch(scratch, need, worker: worker) + need.perWorker - keptRowsByteCount).assumingMemoryBound(to: Int.self)
  }

  /// True if kernels copy rows of A to scratch memory, to convert or to scale them.
  private var copiesRows: Bool { scale != nil || a.dtype != .float32 }

  /// The right side as it is stored; nil if it has another form.
  private var stored: StoredMatrix? {
    if case .stored(let matrix) = b { matrix } else { nil }
  }

  /// Floats of the panels that are packed at a time, rounded up so that other memory behind them is aligned.
  private var panelFloatCount: Int { stored.map { (mk_stored_gemm_count($0.depth) + 15) & ~15 } ?? 0 }

  /// - Parameter scratch: memory as `scratch` requires; nil if none.
  package func kernel(scratch: TensorView?) -> Kernel {
    if c.isEmpty { return { _ in } }
    return arithmetic.isSingle ? singleKernel(scratch) : tiledKernel(scratch)
  }

  private func singleKernel(_ scratch: TensorView?) -> Kernel {
    let rank = c.rank
    let n = c.shape[rank - 1]
    let k = a.shape[a.rank - 1]
    let f = folded
    let batches = f.batchExtents.reduce(1, *)
    // The split depends on the shape only, so results do not depend on the number of threads. It may where no partial sums are stored, or
    // where they do not depend on the split.
    let converts = c.dtype != .float32 && (a.dtype != .float32 || arithmetic == .singleOfHalves)
    let stored = self.stored
    // Products of few rows read the panels as they are.
    let conversions =
      converts && stored == nil && f.rows > Int(MK_HALVES_ROWS)
      ? WorkSplit.Conversions(
        workers: workers, rowsAtOnce: mk_gemm_rows_at_once(k), convertsA: a.dtype != .float32, convertsB: arithmetic == .singleOfHalves)
      : nil
    let target = converts || stored != nil ? WorkSplit.convertingTarget(workers: workers, each: conversions == nil ? 3 : 2) : nil
    let split = WorkSplit(
      rows: f.rows, panels: mk_gemm_panel_count(n), batches: batches, flopsPerCell: 2 * Double(k * mk_gemm_panel_width()), unitRows: 7,
      prefersPanels: stored != nil, target: target, conversions: conversions)
    let (need, panelFloatCount) = (self.scratch, panelFloatCount)
    let keepsRows = copiesRows && stored == nil && split.panelChunks > 1
    let matrix = self
    return { context in
      let aBase = unsafe context.address(matrix.a)
      let cBase = unsafe context.address(matrix.c)
      let bias = unsafe matrix.bias.map { unsafe context.pointer($0, as: Float.self) }
      let residualBase = unsafe matrix.residual.map { unsafe context.address($0) }
      let (size, resultSize) = (matrix.a.dtype.byteCount, matrix.c.dtype.byteCount)
      let scale = unsafe matrix.scale.map { unsafe UnsafePointer(context.pointer($0, as: Float.self)) }
      let panels = matrix.panels(context, f.batchExtents, packing: split)
      if keepsRows, let scratch {
        for worker in 0..<context.workers { unsafe Self.keptRows(context, scratch, need, worker: worker).pointee = 0 }
      }
      context.parallel(split.chunkCount) { chunk, worker in
        let (batch, rowRange, panelRange) = split.chunk(chunk)
        var isInScratch = false
        if keepsRows, let scratch {
          let kept = unsafe Self.keptRows(context, scratch, need, worker: worker)
          let part = chunk / split.panelChunks + 1
          isInScratch = unsafe kept.pointee == part
          unsafe kept.pointee = part
        }
        let residual = unsafe residualBase.map {
          unsafe ($0 + offset(batch, f.batchExtents, matrix.residual!.strides) * resultSize).assumingMemoryBound(to: Float.self)
        }
        let left = unsafe aBase + offset(batch, f.batchExtents, matrix.a.strides) * size
        let result = unsafe cBase + offset(batch, f.batchExtents, matrix.c.strides) * resultSize
        var gemm = unsafe mk_gemm(
          a: left.assumingMemoryBound(to: Float.self), a_row_stride: f.aRow, a_k_stride: matrix.a.strides[rank - 1],
          b: panels.base + panels.offset(batch, f.batchExtents), b_is_half: matrix.arithmetic == .singleOfHalves ? 1 : 0,
          c: result.assumingMemoryBound(to: Float.self),
          c_row_stride: f.cRow, k: k, n: n, accumulate: 0, epilogue: matrix.epilogue(bias, residual, rowStride: f.residualRow),
          a_scale: scale,
          scratch: scratch.map { unsafe context.scratch($0, need, worker: worker).assumingMemoryBound(to: Float.self) },
          a_dtype: Int32(matrix.a.dtype.rawValue), c_dtype: Int32(matrix.c.dtype.rawValue),
          a_is_in_scratch: isInScratch ? 1 : 0)
        if let stored, let memory = unsafe gemm.scratch {
          unsafe gemm.scratch = memory + panelFloatCount
          var located = unsafe stored.located(context)
          unsafe mk_stored_gemm(
            &gemm, &located, memory, f.rows, rowRange.lowerBound, rowRange.upperBound, panelRange.lowerBound, panelRange.upperBound)
        } else {
          unsafe mk_gemm_f32(&gemm, rowRange.lowerBound, rowRange.upperBound, panelRange.lowerBound, panelRange.upperBound)
        }
      }
    }
  }

  /// The product of one batch as a 1 × 1 convolution over an image one pixel wide.
  private func tile(
    _ f: Folded, _ a: UnsafePointer<Float>, _ factors: UnsafePointer<Float>?, _ b: UnsafePointer<Float>,
    _ c: UnsafeMutablePointer<Float>, _ epilogue: mk_epilogue
  ) -> mk_bf16_conv2d {
    var tile = unsafe mk_bf16_conv2d()
    unsafe tile.terms = Int32(arithmetic.rawValue)
    unsafe tile.input_dtype = Int32(self.a.dtype.rawValue)
    unsafe tile.output_dtype = Int32(self.c.dtype.rawValue)
    unsafe tile.portable = isPortable ? 1 : 0
    unsafe tile.input_channel_stride = self.a.strides[self.a.rank - 1]
    unsafe tile.input_factors = factors
    unsafe tile.shares_non_finite = sharesNonFinite ? 1 : 0
    unsafe tile.conv = mk_conv2d(
      input: a, input_image_stride: 0, input_row_stride: f.aRow, input_pixel_stride: f.aRow, height: f.rows, width: 1,
      input_plane_stride: 0, output: c,
      output_image_stride: 0, output_row_stride: f.cRow, output_pixel_stride: f.cRow, output_height: f.rows, output_width: 1,
      input_channels: self.a.shape[self.a.rank - 1], output_channels: self.c.shape[self.c.rank - 1], groups: 1, kernel_height: 1,
      kernel_width: 1, stride_y: 1, stride_x: 1, dilation_y: 1, dilation_x: 1, pad_top: 0, pad_left: 0, weights: b, epilogue: epilogue,
      residual_image_stride: 0, residual_row_stride: f.residualRow, residual_pixel_stride: f.residualRow,
      input_dtype: 0, output_dtype: 0, weights_are_half: 0)
    return unsafe tile
  }

  private func tiled(_ f: Folded) -> TiledProducts {
    let anywhere = unsafe UnsafeMutablePointer<Float>(bitPattern: 64)!
    let weights = Self.packedCount(k: a.shape[a.rank - 1], n: c.shape[c.rank - 1], for: arithmetic) * 4
    return unsafe TiledProducts(
      tile(f, anywhere, scale == nil ? nil : anywhere, anywhere, anywhere, epilogue(nil, nil, rowStride: 0)),
      items: f.batchExtents.reduce(1, *),
      weightByteCount: weights, workers: workers)
  }

  private func tiledKernel(_ scratch: TensorView?) -> Kernel {
    let f = folded
    let products = tiled(f)
    let panelCount = Self.panelCount(n: c.shape[c.rank - 1], for: arithmetic)
    let packing = WorkSplit(
      rows: 32, panels: panelCount, batches: products.items, flopsPerCell: 16 * Double(a.shape[a.rank - 1]), tileRows: 32,
      prefersPanels: true)
    let matrix = self
    return { context in
      let a = unsafe context.address(matrix.a)
      let cBase = unsafe context.address(matrix.c)
      let bias = unsafe matrix.bias.map { unsafe context.pointer($0, as: Float.self) }
      let residualBase = unsafe matrix.residual.map { unsafe context.address($0) }
      let scale = unsafe matrix.scale.map { unsafe UnsafePointer(context.pointer($0, as: Float.self)) }
      let panels = matrix.panels(context, f.batchExtents, packing: packing)
      let (size, resultSize) = (matrix.a.dtype.byteCount, matrix.c.dtype.byteCount)
      unsafe products.run(context, scratch: scratch) { batch in
        let residual = unsafe residualBase.map {
          unsafe ($0 + offset(batch, f.batchExtents, matrix.residual!.strides) * resultSize).assumingMemoryBound(to: Float.self)
        }
        let result = unsafe (cBase + offset(batch, f.batchExtents, matrix.c.strides) * resultSize).assumingMemoryBound(to: Float.self)
        let row = unsafe (a + offset(batch, f.batchExtents, matrix.a.strides) * size).assumingMemoryBound(to: Float.self)
        return unsafe matrix.tile(
          f, row, scale, panels.base + panels.offset(batch, f.batchExtents), result,
          matrix.epilogue(bias, residual, rowStride: f.residualRow))
      }
    }
  }
}

/// Offset of a batch, counted row-major over `extents`.
package func offset(_ batch: Int, _ extents: [Int], _ strides: [Int]) -> Int {
  var rest = batch
  var result = 0
  var axis = extents.count - 1
  while axis >= 0 {
    let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: extents[axis])
    result += remainder * strides[axis]
    rest = quotient
    axis -= 1
  }
  return result
}
