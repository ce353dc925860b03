package import MartletTensor
package import MartletVocabulary

/// `y = activation(alpha * W x + bias + residual)` with float32 sums and a matrix that is read in place. Sums are in another order than
/// those of `MatrixProduct`.
package struct MatrixVectorProduct: Sendable {
  /// [N, K], of a type that `reads` accepts, each row contiguous.
  package var matrix: TensorView
  /// [K], of a type that `reads` accepts; contiguous unless it is float32.
  package var x: TensorView
  /// [N], contiguous, of a type that `reads` accepts.
  package var y: TensorView
  /// [N], contiguous.
  package var bias: TensorView?
  /// [N], contiguous, of the type of `y`; may be `y` itself.
  package var residual: TensorView?
  package var activation = Activation.none
  package var alpha: Float = 1

  package init(matrix: TensorView, x: TensorView, y: TensorView) {
    self.matrix = matrix
    self.x = x
    self.y = y
  }

  /// True if the matrix and the vectors may have elements of this type.
  package static func reads(_ dtype: DType) -> Bool { [.float32, .float16, .bfloat16].contains(dtype) }

  /// Multiplications and additions of one run.
  package var flops: Double { 2 * Double(matrix.elementCount) }

  package var kernel: Kernel {
    let (n, k) = (matrix.shape[0], matrix.shape[1])
    let split = WorkSplit(
      rows: 1, panels: mk_gemm_panel_count(n), batches: 1, flopsPerCell: 2 * Double(k * mk_gemm_panel_width()))
    let product = self
    return { context in
      var epilogue = unsafe mk_epilogue()
      unsafe epilogue.bias = product.bias.map { unsafe UnsafePointer(context.pointer($0, as: Float.self)) }
      unsafe epilogue.residual = product.residual.map {
        unsafe UnsafePointer(context.address($0).assumingMemoryBound(to: Float.self))
      }
      unsafe epilogue.activation = product.activation.kind.rawValue
      unsafe epilogue.lo = product.activation.low
      unsafe epilogue.hi = product.activation.high
      unsafe epilogue.alpha = product.alpha
      let call = unsafe mk_matvec(
        x: context.address(product.x).assumingMemoryBound(to: Float.self), x_stride: product.x.strides[0],
        weights: context.address(product.matrix),
        dtype: Int32(product.matrix.dtype.rawValue), row_stride: product.matrix.strides[0],
        y: context.address(product.y).assumingMemoryBound(to: Float.self), k: k, n: n, epilogue: epilogue,
        x_dtype: Int32(product.x.dtype.rawValue), y_dtype: Int32(product.y.dtype.rawValue))
      context.parallel(split.chunkCount) { chunk, _ in
        let panels = split.chunk(chunk).panels
        unsafe withUnsafePointer(to: call) { unsafe mk_matvec_f32($0, panels.lowerBound, panels.upperBound) }
      }
    }
  }
}
