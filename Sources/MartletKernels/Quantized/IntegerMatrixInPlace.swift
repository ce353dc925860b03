package import MartletTensor
package import MartletVocabulary

/// An int8 matrix that is read where it lies in a file, `columns` times `depth` contiguous numbers, for products with quantised rows.
package struct IntegerMatrixInPlace: Sendable {
  package var depth: Int
  package var columns: Int

  package init(depth: Int, columns: Int) {
    self.depth = depth
    self.columns = columns
  }

  /// True if the matrix in place is at least about as fast as packed for this number of rows.
  package func isPreferred(rows: Int) -> Bool {
    depth > 0 && depth <= IntegerWeights.greatestDepth && columns > 0 && mk_q8_reads_in_place(rows) != 0
  }

  /// `activation(row scale * scale * sum of (row - zero point) * weights + bias)`, float32.
  /// - Parameters:
  ///   - a: `rows` int8 rows of `depth` elements. - scales, zeroPoints: one float32 and one int32 number per row.
  ///   - matrix: int8. - columnScales: float32, one for each column or one for all.
  ///   - bias: float32. - c: dense float32 rows.
  package func kernel(
    _ a: TensorView, rows: Int, scales: TensorView, zeroPoints: TensorView, matrix: TensorView, columnScales: TensorView,
    bias: TensorView?, to c: TensorView, activation: Activation
  ) -> Kernel {
    if rows == 0 { return { _ in } }
    let me = self
    // Four columns are computed together. In range: the rows are in memory, as float32.
    let groups = (columns + 3) / 4
    let grain = max(1, 150_000 / (4 * rows * depth))
    return { context in
      var product = unsafe mk_q8_in_place()
      unsafe product.a = UnsafePointer(context.pointer(a, as: Int8.self))
      unsafe product.a_row_stride = me.depth
      unsafe product.row_scale = UnsafePointer(context.pointer(scales, as: Float.self))
      unsafe product.row_zero_point = UnsafePointer(context.pointer(zeroPoints, as: Int32.self))
      unsafe product.weights = UnsafePointer(context.pointer(matrix, as: Int8.self))
      unsafe product.scales = UnsafePointer(context.pointer(columnScales, as: Float.self))
      unsafe product.scale_count = columnScales.elementCount
      unsafe product.c = context.pointer(c, as: Float.self)
      unsafe product.c_row_stride = me.columns
      unsafe product.k = me.depth
      unsafe product.n = me.columns
      if let bias { unsafe product.bias = UnsafePointer(context.pointer(bias, as: Float.self)) }
      unsafe product.activation = activation.kind.rawValue
      unsafe product.lo = activation.low
      unsafe product.hi = activation.high
      unsafe withUnsafePointer(to: product) { product in
        context.parallelRanges(groups, grain: grain) { part, _ in
          unsafe mk_q8_in_place_run(product, 0, rows, 4 * part.lowerBound, min(4 * part.upperBound, me.columns))
        }
      }
    }
  }
}
