package import MartletTensor
package import MartletVocabulary

/// Products with 4-bit weights that are read where they lie in a file: `columns` rows of `depth / 2` bytes, even steps in the low halves.
extension NibbleWeights {
  /// True if the matrix may be used in place, and is at least as fast there as packed.
  package var isUsedInPlace: Bool {
    depth > 0 && columns > 0 && block % 32 == 0 && depth % block == 0 && mk_q4_reads_in_place() != 0
  }

  /// True if block scales of this type are read in place.
  package static func readsScales(_ dtype: DType) -> Bool { dtype == .float32 || dtype == .bfloat16 }

  /// Bytes of a row arranged for a product in place.
  package var arrangedByteCount: Int { mk_q4_arranged_bytes(depth) }

  /// Arranges `rows` quantised rows of `depth` elements for products in place: `arrangedByteCount` bytes each.
  package func arrangement(of quantized: TensorView, rows: Int, to arranged: TensorView) -> Kernel {
    let (depth, byteCount) = (depth, arrangedByteCount)
    return { context in
      let source = unsafe UnsafePointer(context.pointer(quantized, as: Int8.self))
      let target = unsafe context.pointer(arranged, as: UInt8.self)
      context.parallelRanges(rows, grain: max(1, 65536 / depth)) { part, _ in
        for row in part { unsafe mk_q4_arrange_row(source + row * depth, depth, target + row * byteCount) }
      }
    }
  }

  /// The sum of each column's scaled weights, for rows with zero points.
  /// - Parameters:
  ///   - weights: the columns, contiguous.
  ///   - scales: `columns` rows of `blockCount` numbers of type `dtype`.
  package func writeColumnSums(
    of weights: UnsafeRawPointer, scales: UnsafeRawPointer, _ dtype: DType, to sums: UnsafeMutablePointer<Float>
  ) {
    let product = unsafe description(weights, scales, dtype)
    unsafe withUnsafePointer(to: product) { unsafe mk_q4_column_sums($0, 0, columns, sums) }
  }

  private func description(_ weights: UnsafeRawPointer, _ scales: UnsafeRawPointer, _ dtype: DType) -> mk_q4_in_place {
    var product = unsafe mk_q4_in_place()
    unsafe product.weights = weights.assumingMemoryBound(to: UInt8.self)
    unsafe product.scales = scales
    unsafe product.scale_dtype = Int32(dtype.rawValue)
    unsafe product.k = depth
    unsafe product.n = columns
    unsafe product.block = block
    return unsafe product
  }

  /// `activation(row scale * (quantised rows * weights) + bias)`, float32.
  /// - Parameters:
  ///   - a: `rows` arranged rows.
  ///   - scales, zeroPoints: one float32 and one int32 number per row.
  ///   - matrix: uint8. - blockScales: float32 or bfloat16. - sums: made by `writeColumnSums`.
  ///   - bias: float32. - c: dense float32 rows.
  package func kernelInPlace(
    _ a: TensorView, rows: Int, scales: TensorView, zeroPoints: TensorView, matrix: TensorView, blockScales: TensorView, sums: TensorView,
    bias: TensorView?, to c: TensorView, activation: Activation
  ) -> Kernel {
    if rows == 0 { return { _ in } }
    let me = self
    // Four columns are computed together. In range: the rows are in memory, as float32.
    let groups = (columns + 3) / 4
    let grain = max(1, 200_000 / (4 * rows * depth))
    return { context in
      var product = unsafe me.description(context.address(matrix), context.address(blockScales), blockScales.dtype)
      unsafe product.a = UnsafePointer(context.pointer(a, as: UInt8.self))
      unsafe product.a_row_stride = me.arrangedByteCount
      unsafe product.row_scale = UnsafePointer(context.pointer(scales, as: Float.self))
      unsafe product.row_zero_point = UnsafePointer(context.pointer(zeroPoints, as: Int32.self))
      unsafe product.column_sums = UnsafePointer(context.pointer(sums, as: Float.self))
      unsafe product.c = context.pointer(c, as: Float.self)
      unsafe product.c_row_stride = me.columns
      if let bias { unsafe product.bias = UnsafePointer(context.pointer(bias, as: Float.self)) }
      unsafe product.activation = activation.kind.rawValue
      unsafe product.lo = activation.low
      unsafe product.hi = activation.high
      unsafe withUnsafePointer(to: product) { product in
        context.parallelRanges(groups, grain: grain) { part, _ in
          unsafe mk_q4_in_place_run(product, 0, rows, 4 * part.lowerBound, min(4 * part.upperBound, me.columns))
        }
      }
    }
  }
}
