package import MartletTensor
package import MartletVocabulary

/// A matrix of floats, or of integers with scales and zero points, for single-precision products with its transpose: `columns` rows of `depth`
/// numbers. It is read where it lies.
package struct StoredMatrix: Sendable {
  /// Floats of a type that `reads` accepts, each row contiguous; int8 or uint8 numbers, or bytes that hold two 4-bit integers each, even steps
  /// in the low halves, both row-major.
  package let values: TensorView
  /// Bits of a number: 4, 8, 16 or 32.
  package let bits: Int
  /// Type of the numbers. 4-bit integers: int8 if they are signed, else uint8.
  package let dtype: DType
  package let depth: Int
  package let columns: Int
  private let rowByteCount: Int
  /// [columns, blocks] or [1, blocks], row-major, of a type that `reads` accepts. Each is that of `depth / blocks` steps. Nil for floats.
  package let scales: TensorView?
  /// With the shape of `scales`: float32, int8 or uint8.
  package let zeroPoints: TensorView?
  /// Added to all zero points.
  package let zeroPoint: Float

  /// A matrix of floats.
  /// - Parameter values: [columns, depth], of a type that `reads` accepts, each row contiguous.
  package init(_ values: TensorView) {
    self.values = values
    bits = 8 * values.dtype.byteCount
    dtype = values.dtype
    (columns, depth) = (values.shape[0], values.shape[1])
    // In range: bytes between rows of a view.
    rowByteCount = values.strides[0] * values.dtype.byteCount
    (scales, zeroPoints, zeroPoint) = (nil, nil, 0)
  }

  package init(
    values: TensorView, bits: Int, isSigned: Bool, depth: Int, columns: Int, scales: TensorView, zeroPoints: TensorView?, zeroPoint: Float
  ) {
    self.values = values
    self.bits = bits
    dtype = isSigned ? .int8 : .uint8
    rowByteCount = bits == 4 ? (depth + 1) / 2 : depth
    self.depth = depth
    self.columns = columns
    self.scales = scales
    self.zeroPoints = zeroPoints
    self.zeroPoint = zeroPoint
  }

  /// True if floats of the matrix, scales, rows and results may have elements of this type.
  package static func reads(_ dtype: DType) -> Bool { [.float32, .float16, .bfloat16].contains(dtype) }

  /// True if zero points may have elements of this type.
  package static func readsZeroPoints(_ dtype: DType) -> Bool { [.float32, .int8, .uint8].contains(dtype) }

  /// Largest number of rows for which `product` is at least about as fast as `MatrixProduct`, for a matrix with numbers of this type.
  package static func fewRows(_ dtype: DType) -> Int { mk_stored_rows(Int32(dtype.rawValue)) }

  /// Bytes of the matrix, its scales and zero points.
  package var byteCount: Int { values.byteCount + (scales?.byteCount ?? 0) + (zeroPoints?.byteCount ?? 0) }

  /// Number of blocks of a row with a scale each.
  package var blockCount: Int { scales?.shape[1] ?? 1 }

  /// Size of an arranged row in floats.
  package var arrangedCount: Int {
    let matrix = unsafe shape
    return unsafe withUnsafePointer(to: matrix) { unsafe mk_stored_arranged_count($0) }
  }

  /// The matrix without its pointers.
  private var shape: mk_stored_matrix {
    var matrix = unsafe mk_stored_matrix()
    unsafe matrix.row_bytes = rowByteCount
    unsafe matrix.bits = Int32(bits)
    unsafe matrix.dtype = Int32(dtype.rawValue)
    unsafe matrix.n = columns
    unsafe matrix.k = depth
    unsafe matrix.block = max(depth / blockCount, scales == nil ? 1 : 0)
    unsafe matrix.scale_dtype = Int32((scales?.dtype ?? .float32).rawValue)
    unsafe matrix.scale_row_stride = scales?.shape[0] == 1 ? 0 : blockCount
    unsafe matrix.zero_dtype = Int32((zeroPoints?.dtype ?? .float32).rawValue)
    unsafe matrix.zero_point = zeroPoint
    return unsafe matrix
  }

  func located(_ context: KernelContext) -> mk_stored_matrix {
    var matrix = unsafe shape
    unsafe matrix.values = UnsafePointer(context.address(values).assumingMemoryBound(to: UInt8.self))
    if let scales { unsafe matrix.scales = UnsafeRawPointer(context.address(scales)) }
    if let zeroPoints { unsafe matrix.zero_points = UnsafeRawPointer(context.address(zeroPoints)) }
    return unsafe matrix
  }

  /// True if `product` can multiply these rows, [rows, depth], as they are: one row of whole vectors at every level.
  package func isArranged(_ x: TensorView) -> Bool {
    // Several rows at a distance of a multiple of 4 KiB would be slow.
    bits > 8 && x.shape[0] == 1 && x.dtype == .float32 && x.strides[1] == 1 && depth % 16 == 0
  }

  /// Arranges rows for `product`.
  /// - Parameters:
  ///   - x: [rows, depth] of a type that `reads` accepts, any strides.
  ///   - arranged: float32, [rows, arrangedCount].
  package func arrangement(of x: TensorView, to arranged: TensorView) -> Kernel {
    let (me, rows, count) = (self, x.shape[0], arrangedCount)
    let size = x.dtype.byteCount
    return { context in
      let matrix = unsafe me.shape
      let source = unsafe context.address(x)
      let target = unsafe context.pointer(arranged, as: Float.self)
      unsafe withUnsafePointer(to: matrix) { matrix in
        context.parallelRanges(rows, grain: max(1, 16384 / max(me.depth, 1))) { part, _ in
          for row in part {
            unsafe mk_stored_arrange_row(
              matrix, source + row * x.strides[0] * size, x.strides[1], Int32(x.dtype.rawValue), target + row * count)
          }
        }
      }
    }
  }

  /// `activation(alpha * rows * transposed matrix + bias + residual)` for few rows.
  /// - Parameters:
  ///   - a: arranged rows, [rows, arrangedCount], or one row for which `isArranged` is true.
  ///   - bias: [columns], float32.
  ///   - residual: with the shape and type of `c`, contiguous columns; may be `c` itself.
  ///   - c: [rows, columns] of a type that `reads` accepts, contiguous columns.
  package func product(
    _ a: TensorView, bias: TensorView?, residual: TensorView?, to c: TensorView, alpha: Float, activation: Activation
  ) -> Kernel {
    if c.isEmpty { return { _ in } }
    let (me, rows) = (self, c.shape[0])
    let split = WorkSplit(
      rows: 1, panels: mk_gemm_panel_count(columns), batches: 1, flopsPerCell: 2 * Double(depth * mk_gemm_panel_width() * rows))
    return { context in
      var epilogue = unsafe mk_epilogue()
      unsafe epilogue.bias = bias.map { unsafe UnsafePointer(context.pointer($0, as: Float.self)) }
      unsafe epilogue.residual = residual.map { unsafe UnsafePointer(context.address($0).assumingMemoryBound(to: Float.self)) }
      unsafe epilogue.residual_row_stride = residual?.strides[0] ?? 0
      unsafe epilogue.activation = activation.kind.rawValue
      unsafe epilogue.lo = activation.low
      unsafe epilogue.hi = activation.high
      unsafe epilogue.alpha = alpha
      var product = unsafe mk_stored_product()
      unsafe product.matrix = me.located(context)
      unsafe product.a = UnsafePointer(context.pointer(a, as: Float.self))
      unsafe product.a_row_stride = a.strides[0]
      unsafe product.c = context.address(c).assumingMemoryBound(to: Float.self)
      unsafe product.c_row_stride = c.strides[0]
      unsafe product.c_dtype = Int32(c.dtype.rawValue)
      unsafe product.epilogue = epilogue
      unsafe withUnsafePointer(to: product) { product in
        context.parallel(split.chunkCount) { chunk, _ in
          let panels = split.chunk(chunk).panels
          unsafe mk_stored_product_run(product, 0, rows, panels.lowerBound, panels.upperBound)
        }
      }
    }
  }
}
