package import MartletTensor
package import MartletVocabulary

/// A matrix of integers with scales and zero points, `columns` rows of `depth` integers, for single-precision products with its transpose. It
/// is read where it lies.
package struct ScaledMatrix: Sendable {
  /// int8 or uint8 numbers, or bytes that hold two 4-bit integers each, even steps in the low halves. Row-major.
  package var values: TensorView
  /// 4 or 8.
  package var bits: Int
  package var isSigned: Bool
  package var depth: Int
  package var columns: Int
  /// [columns, blocks] or [1, blocks], row-major, of a type that `readsScales` accepts. Each is that of `depth / blocks` steps.
  package var scales: TensorView
  /// With the shape of `scales`: float32, int8 or uint8.
  package var zeroPoints: TensorView?
  /// Added to all zero points.
  package var zeroPoint: Float

  package init(
    values: TensorView, bits: Int, isSigned: Bool, depth: Int, columns: Int, scales: TensorView, zeroPoints: TensorView?, zeroPoint: Float
  ) {
    self.values = values
    self.bits = bits
    self.isSigned = isSigned
    self.depth = depth
    self.columns = columns
    self.scales = scales
    self.zeroPoints = zeroPoints
    self.zeroPoint = zeroPoint
  }

  /// True if scales may have elements of this type.
  package static func readsScales(_ dtype: DType) -> Bool { [.float32, .float16, .bfloat16].contains(dtype) }

  /// True if zero points may have elements of this type.
  package static func readsZeroPoints(_ dtype: DType) -> Bool { [.float32, .int8, .uint8].contains(dtype) }

  /// Largest number of rows for which `product` is at least about as fast as `MatrixProduct`.
  package static let fewRows = Int(MK_SCALED_ROWS)

  /// Bytes of the matrix, its scales and zero points.
  package var byteCount: Int { values.byteCount + scales.byteCount + (zeroPoints?.byteCount ?? 0) }

  /// Size of an arranged row in floats.
  package var arrangedCount: Int {
    let matrix = unsafe shape
    return unsafe withUnsafePointer(to: matrix) { unsafe mk_scaled_arranged_count($0) }
  }

  /// The matrix without its pointers.
  private var shape: mk_scaled_matrix {
    let blocks = scales.shape[1]
    var matrix = unsafe mk_scaled_matrix()
    unsafe matrix.row_bytes = bits == 4 ? (depth + 1) / 2 : depth
    unsafe matrix.bits = Int32(bits)
    unsafe matrix.is_signed = isSigned ? 1 : 0
    unsafe matrix.n = columns
    unsafe matrix.k = depth
    unsafe matrix.block = depth / blocks
    unsafe matrix.scale_dtype = Int32(scales.dtype.rawValue)
    unsafe matrix.scale_row_stride = scales.shape[0] == 1 ? 0 : blocks
    unsafe matrix.zero_dtype = Int32((zeroPoints?.dtype ?? .float32).rawValue)
    unsafe matrix.zero_point = zeroPoint
    return unsafe matrix
  }

  func located(_ context: KernelContext) -> mk_scaled_matrix {
    var matrix = unsafe shape
    unsafe matrix.values = UnsafePointer(context.address(values).assumingMemoryBound(to: UInt8.self))
    unsafe matrix.scales = UnsafeRawPointer(context.address(scales))
    if let zeroPoints { unsafe matrix.zero_points = UnsafeRawPointer(context.address(zeroPoints)) }
    return unsafe matrix
  }

  /// Arranges rows for `product`.
  /// - Parameters:
  ///   - x: [rows, depth] of a type that `readsScales` accepts, any strides.
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
            unsafe mk_scaled_arrange_row(
              matrix, source + row * x.strides[0] * size, x.strides[1], Int32(x.dtype.rawValue), target + row * count)
          }
        }
      }
    }
  }

  /// `activation(alpha * rows * transposed matrix + bias + residual)` for few rows.
  /// - Parameters:
  ///   - a: arranged rows.
  ///   - bias: [columns], float32.
  ///   - residual: with the shape and type of `c`, contiguous columns; may be `c` itself.
  ///   - c: [rows, columns] of a type that `readsScales` accepts, contiguous columns.
  package func product(
    _ a: TensorView, bias: TensorView?, residual: TensorView?, to c: TensorView, alpha: Float, activation: Activation
  ) -> Kernel {
    if c.isEmpty { return { _ in } }
    let (me, rows, count) = (self, c.shape[0], arrangedCount)
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
      var product = unsafe mk_scaled_product()
      unsafe product.matrix = me.located(context)
      unsafe product.a = UnsafePointer(context.pointer(a, as: Float.self))
      unsafe product.a_row_stride = count
      unsafe product.c = context.address(c).assumingMemoryBound(to: Float.self)
      unsafe product.c_row_stride = c.strides[0]
      unsafe product.c_dtype = Int32(c.dtype.rawValue)
      unsafe product.epilogue = epilogue
      unsafe withUnsafePointer(to: product) { product in
        context.parallel(split.chunkCount) { chunk, _ in
          let panels = split.chunk(chunk).panels
          unsafe mk_scaled_product_run(product, 0, rows, panels.lowerBound, panels.upperBound)
        }
      }
    }
  }
}
