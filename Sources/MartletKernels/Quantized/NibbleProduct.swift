package import MartletTensor
package import MartletVocabulary

/// 4-bit weights with one scale per block, for products with quantised rows (`mk_q4_linear`).
package struct NibbleWeights: Sendable {
  /// Extents of the matrix: products per sum, and number of columns.
  package var depth: Int
  package var columns: Int
  /// Number of consecutive steps along the depth that share a scale: a multiple of 8, or at least `depth`.
  package var block: Int

  package init(depth: Int, columns: Int, block: Int) {
    self.depth = depth
    self.columns = columns
    self.block = block
  }

  package var blockCount: Int { (depth + block - 1) / block }

  /// Number of readable elements that `mk_q4_linear` requires of a row.
  package var rowStride: Int { blockCount == 1 ? (block + 7) / 8 * 8 : blockCount * block }

  package var packedByteCount: Int { mk_q4_packed_bytes(depth, columns, block) }

  /// - Parameters:
  ///   - weights: `columns` rows of `depth` numbers from -8 to 7.
  ///   - scales: `columns` rows of `blockCount`.
  package func pack(_ weights: [Int8], scales: [Float], into packed: UnsafeMutablePointer<UInt8>) {
    unsafe weights.withUnsafeBufferPointer { weights in
      unsafe scales.withUnsafeBufferPointer { scales in
        unsafe mk_q4_pack_weights(
          weights.baseAddress!, depth, depth, columns, block, scales.baseAddress!, blockCount, packed)
      }
    }
  }

  /// `activation(row scale * (quantised rows * weights) + bias)`, float32.
  /// - Parameters:
  ///   - a: `rows` int8 rows at a distance of `rowStride`.
  ///   - scales, zeroPoints: one float32 and one int32 number per row.
  ///   - packed: uint8.
  ///   - bias: float32, padded to a multiple of 32.
  ///   - c: dense float32 rows.
  package func kernel(
    _ a: TensorView, rows: Int, scales: TensorView, zeroPoints: TensorView, packed: TensorView, bias: TensorView?, to c: TensorView,
    activation: Activation
  ) -> Kernel {
    if rows == 0 || columns == 0 || depth == 0 { return { _ in } }
    let me = self
    let panels = (columns + 31) / 32
    let chunks = max(1, min(panels, Int(Double(rows * depth * columns) / 200_000)))
    let perChunk = (panels + chunks - 1) / chunks
    return { context in
      var linear = unsafe mk_q4_linear()
      unsafe linear.a = UnsafePointer(context.pointer(a, as: Int8.self))
      unsafe linear.a_row_stride = me.rowStride
      unsafe linear.row_scale = UnsafePointer(context.pointer(scales, as: Float.self))
      unsafe linear.row_zero_point = UnsafePointer(context.pointer(zeroPoints, as: Int32.self))
      unsafe linear.weights = UnsafePointer(context.pointer(packed, as: UInt8.self))
      unsafe linear.c = context.pointer(c, as: Float.self)
      unsafe linear.c_row_stride = me.columns
      unsafe linear.k = me.depth
      unsafe linear.n = me.columns
      unsafe linear.block = me.block
      if let bias { unsafe linear.bias = UnsafePointer(context.pointer(bias, as: Float.self)) }
      unsafe linear.activation = activation.kind.rawValue
      unsafe linear.lo = activation.low
      unsafe linear.hi = activation.high
      unsafe withUnsafePointer(to: linear) { linear in
        context.parallel((panels + perChunk - 1) / perChunk) { chunk, _ in
          unsafe mk_q4_linear_run(linear, 0, rows, chunk * perChunk, min((chunk + 1) * perChunk, panels))
        }
      }
    }
  }
}
