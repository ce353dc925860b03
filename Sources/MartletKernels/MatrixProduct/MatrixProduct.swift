internal import CMartletKernels
package import MartletTensor

/// `C = activation(alpha * A B + bias + residual)` in float32, for one matrix or a batch of them.
package struct MatrixProduct: Sendable {
  /// A batch of matrices: leading axes are batches, the last two rows and columns. Any strides.
  package var a: TensorView
  /// The right-hand side in panels (`packedB`), or as it is, to be packed in every run into `scratch`.
  package var b: RightSide
  /// Columns contiguous.
  package var c: TensorView
  package var bias: TensorView?
  /// Of C's shape, columns contiguous; may be C itself.
  package var residual: TensorView?
  package var activation = Activation.none
  package var alpha: Float = 1

  package enum RightSide: Sendable {
    /// Made by `pack`; the same matrix for all batches.
    case packed(TensorView)
    /// One packed matrix for each matrix of C: a view of C's batch axes, with strides in floats.
    case packedBatches(TensorView)
    /// Matrices of any strides with C's batch axes, and memory for the panels of all of them.
    case strided(TensorView, scratch: TensorView)
  }

  package init(a: TensorView, b: RightSide, c: TensorView) {
    self.a = a
    self.b = b
    self.c = c
  }

  /// Floats that a packed matrix of `k` rows and `n` columns takes.
  package static func packedCount(k: Int, n: Int) -> Int { mk_gemm_packed_count(k, n) }

  /// Packs a constant matrix of `k` rows and `n` columns.
  package static func pack(
    _ b: UnsafeRawPointer, _ dtype: DType, kStride: Int, nStride: Int, k: Int, n: Int, into packed: UnsafeMutablePointer<Float>
  ) {
    unsafe mk_gemm_pack_b(b, Int32(dtype.rawValue), kStride, nStride, k, n, 0, mk_gemm_panel_count(n), nil, packed)
  }

  /// Whether `pack` reads elements of this type.
  package static func packs(_ dtype: DType) -> Bool {
    [.float32, .float64, .float16, .bfloat16].contains(dtype)
  }

  /// Multiplications and additions of one run.
  package var flops: Double { 2 * Double(c.elementCount) * Double(a.shape[a.rank - 1]) }

  package func kernel() -> Kernel {
    let rank = c.rank
    let n = c.shape[rank - 1]
    let k = a.shape[a.rank - 1]
    if c.isEmpty { return { _ in } }
    // Fold batches into rows where A, C and the residual allow it and B is one matrix.
    var batchExtents = Array(c.shape.dropLast(2))
    var rows = c.shape[rank - 2]
    var aRow = a.strides[rank - 2]
    var cRow = c.strides[rank - 2]
    var residualRow = residual.map { $0.strides[rank - 2] } ?? 0
    if case .packed = b {
      while let extent = batchExtents.last {
        let axis = batchExtents.count - 1
        let folds =
          extent == 1
          || (rows == 1 || a.strides[axis] == aRow * rows) && (rows == 1 || c.strides[axis] == cRow * rows)
            && (residual.map { rows == 1 || $0.strides[axis] == residualRow * rows } ?? true)
        guard folds else { break }
        if extent > 1, rows == 1 {
          aRow = a.strides[axis]
          cRow = c.strides[axis]
          residualRow = residual.map { $0.strides[axis] } ?? 0
        }
        rows *= extent
        batchExtents.removeLast()
      }
    }
    let batches = batchExtents.reduce(1, *)
    let panels = mk_gemm_panel_count(n)
    // The split depends on the shape alone, so that results do not depend on the number of threads.
    let split = WorkSplit(rows: rows, panels: panels, batches: batches, flopsPerCell: 2 * Double(k * mk_gemm_panel_width()))
    let matrix = self
    let batchAxes = batchExtents
    let (m, aRowStride, cRowStride, residualRowStride) = (rows, aRow, cRow, residualRow)
    return { context in
      let aBase = unsafe context.pointer(matrix.a, as: Float.self)
      let cBase = unsafe context.pointer(matrix.c, as: Float.self)
      let bias = unsafe matrix.bias.map { unsafe context.pointer($0, as: Float.self) }
      let residualBase = unsafe matrix.residual.map { unsafe context.pointer($0, as: Float.self) }
      let packed: UnsafeMutablePointer<Float>
      let packedStride: Int
      var packedStrides: [Int]?
      switch matrix.b {
      case .packed(let view):
        unsafe packed = context.pointer(view, as: Float.self)
        packedStride = 0
      case .packedBatches(let view):
        unsafe packed = context.pointer(view, as: Float.self)
        packedStride = 0
        packedStrides = view.strides
      case .strided(let view, let scratch):
        unsafe packed = context.pointer(scratch, as: Float.self)
        packedStride = mk_gemm_packed_count(k, n)
        let source = unsafe context.address(view)
        let size = view.dtype.byteCount
        context.parallel(batches * split.panelChunks) { chunk, _ in
          let (batch, part) = chunk.quotientAndRemainder(dividingBy: split.panelChunks)
          let range = split.panelRange(part)
          unsafe mk_gemm_pack_b(
            source + offset(batch, batchAxes, view.strides) * size, Int32(view.dtype.rawValue), view.strides[rank - 2],
            view.strides[rank - 1], k, n, range.lowerBound, range.upperBound, nil, packed + batch * packedStride)
        }
      }
      context.parallel(split.chunkCount) { [packedStrides] chunk, _ in
        let (batch, rowRange, panelRange) = split.chunk(chunk)
        let matrixOffset = packedStrides.map { offset(batch, batchAxes, $0) } ?? batch * packedStride
        var epilogue = unsafe mk_epilogue()
        unsafe epilogue.bias = bias.map { unsafe UnsafePointer($0) }
        if let residual = matrix.residual, let base = unsafe residualBase {
          unsafe epilogue.residual = UnsafePointer(base + offset(batch, batchAxes, residual.strides))
          unsafe epilogue.residual_row_stride = residualRowStride
        }
        unsafe epilogue.activation = matrix.activation.kind.rawValue
        unsafe epilogue.lo = matrix.activation.low
        unsafe epilogue.hi = matrix.activation.high
        unsafe epilogue.alpha = matrix.alpha
        var gemm = unsafe mk_gemm(
          a: aBase + offset(batch, batchAxes, matrix.a.strides), a_row_stride: aRowStride,
          a_k_stride: matrix.a.strides[rank - 1], b: packed + matrixOffset,
          c: cBase + offset(batch, batchAxes, matrix.c.strides), c_row_stride: cRowStride, k: k, n: n, accumulate: 0,
          epilogue: epilogue)
        unsafe mk_gemm_f32(&gemm, rowRange.lowerBound, rowRange.upperBound, panelRange.lowerBound, panelRange.upperBound)
      }
      _ = m
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
