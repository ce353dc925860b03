import MartletGraph
import MartletKernels
import MartletTensor
import MartletVocabulary

/// Minimum size of a matrix, in bytes, for use in place. The product with a larger matrix is memory-bound, and both forms are equally
/// fast. A smaller matrix stays in the caches, where the packed form is faster.
private let smallestMatrixInPlace = 1 << 20

/// Minimum size of numbers of a file, in bytes, that are copied into large pages. Smaller ones cost less to read than to find.
private let smallestCopy = 64 << 10

extension NodePlan {
  /// True if products are better off with a constant matrix of floats in place than with a packed one.
  ///
  /// One row reads the matrix once, just as packing would. More rows gain from a packed matrix if the product runs often. A prompt that a
  /// language model reads is followed by many single rows, for which the file's own form is as fast, needs no memory and is there at once.
  /// A small matrix, a computed one, and one without contiguous rows are packed.
  /// - Parameters:
  ///   - constant: a matrix of `shape` [N, K] with these strides.
  ///   - rows: rows that it is multiplied with.
  func readsInPlace(_ constant: Constant, shape: [Int], strides: [Int], rows: Int) -> Bool {
    (rows == 1 || builder.isStreamed) && constant.isStored && constant.type.byteCount >= smallestMatrixInPlace
      && StoredMatrix.reads(constant.type.dtype) && (strides[1] == 1 || shape[1] == 1) && strides[0] >= shape[1]
  }

  /// A constant matrix of floats for which `readsInPlace` is true.
  func matrixInPlace(_ constant: Constant, shape: [Int], strides: [Int], rows: Int) throws(OperatorError) -> StoredMatrix {
    let view = builder.isStreamed ? try storedNumbers(constant, rows: rows) : try storedView(of: constant)
    return StoredMatrix(TensorView(buffer: view.buffer, offset: view.offset, dtype: view.dtype, shape: shape, strides: strides))
  }

  /// The numbers of a matrix where kernels read them in their stored form and order.
  ///
  /// Every token that a language model writes reads all of its matrices. A mapped file may have small pages, from which that takes up to a third
  /// longer than from large ones. Large matrices are therefore copied once per program, and the file's own pages are released. The first plan of
  /// single rows only does so: the first token after a prompt need not wait for it. Copies take at most half of the memory that the program may
  /// take.
  /// - Parameter rows: rows that the matrix is multiplied with.
  func storedNumbers(_ constant: Constant, rows: Int) throws(OperatorError) -> TensorView {
    let layout = "stored numbers"
    builder.mostStoredRows = max(builder.mostStoredRows, rows)
    guard constant.isReleasable, constant.type.byteCount >= smallestCopy,
      builder.packed.holds([constant], layout: layout, parameters: [])
        || builder.mostStoredRows == 1 && (Extent(builder.packedByteCount) + constant.type.byteCount).fits(builder.largestByteCount / 2)
    else { return try storedView(of: constant) }
    let type = constant.type
    let copy = try packed(
      [constant], layout: layout, parameters: [], dtype: type.dtype, byteCount: type.byteCount, isLasting: false
    ) { storage in
      let bytes = try constant.bytesAtAnyAddress()
      unsafe storage.pointer.copyMemory(from: bytes.pointer, byteCount: storage.byteCount)
      withExtendedLifetime(bytes.owner) {}
    }
    return TensorView(buffer: copy.buffer, dtype: type.dtype, shape: type.shape, strides: constant.strides)
  }

  private func storedView(of constant: Constant) throws(OperatorError) -> TensorView {
    do {
      return try builder.view(of: constant)
    } catch {
      throw .invalid("weights cannot be read: \(error)")
    }
  }

  /// Emits the product of few rows with a matrix in place.
  /// - Parameters:
  ///   - x: [rows, K]; `result`, `residual`: [rows, N].
  func emitProduct(
    _ label: String, of x: TensorView, _ matrix: StoredMatrix, bias: TensorView?, residual: TensorView?, to result: TensorView,
    alpha: Float = 1, activation: Activation
  ) {
    let arranged = arrangedRows(x, for: matrix)
    emit(
      label, flops: 2 * Double(result.elementCount) * Double(matrix.depth),
      // In range: bytes of tensors of the plan.
      bytes: Double(matrix.byteCount + x.byteCount + result.byteCount), work: .product,
      matrix.product(arranged, bias: bias, residual: residual, to: result, alpha: alpha, activation: activation))
  }

  /// The rows of `x` [rows, K] arranged for products with the matrix. Products of the same rows share them.
  private func arrangedRows(_ x: TensorView, for matrix: StoredMatrix) -> TensorView {
    if matrix.isArranged(x) { return x }
    let key = ArrangedRows(bits: matrix.bits, blocks: matrix.blockCount)
    return builder.derived(from: x, key) {
      let arranged = temporary(.float32, [x.shape[0], matrix.arrangedCount])
      // In range: bytes of tensors of the plan.
      emit("arrange rows \(x.shape)", bytes: Double(x.byteCount + arranged.byteCount), matrix.arrangement(of: x, to: arranged))
      return [arranged]
    }[0]
  }

  /// Properties of a matrix that decide how rows are arranged.
  private struct ArrangedRows: Hashable {
    let bits: Int
    let blocks: Int
  }
}
