import MartletGraph
import MartletKernels
import MartletTensor

/// Minimum size of a matrix, in bytes, for use in place. The product with a larger matrix is memory-bound, and both forms are equally
/// fast. A smaller matrix stays in the caches, where the packed form is faster.
private let smallestMatrixInPlace = 1 << 20

/// Minimum size of numbers of a file, in bytes, that are copied into large pages. Smaller ones cost less to read than to find.
private let smallestCopy = 64 << 10

extension NodePlan {
  /// A constant matrix used in place by `MatrixVectorProduct`: a single product reads the matrix once, just as packing would.
  /// - Parameters:
  ///   - constant: a matrix of `shape` [N, K] with these strides.
  ///   - layout: layout of the packed form for products with more rows; `parameters` likewise.
  /// - Returns: nil if the packed form is better: the matrix is small, its rows are not contiguous, it is computed, or another plan has
  ///   packed it.
  func matrixInPlace(
    _ constant: Constant, shape: [Int], strides: [Int], layout: String, parameters: [Int]
  ) throws(OperatorError) -> TensorView? {
    guard constant.isStored, constant.type.byteCount >= smallestMatrixInPlace, MatrixVectorProduct.reads(constant.type.dtype),
      strides[1] == 1 || shape[1] == 1,
      !builder.packed.holds([constant], layout: layout, parameters: parameters)
    else { return nil }
    do {
      let view = try builder.view(of: constant)
      return TensorView(buffer: view.buffer, offset: view.offset, dtype: view.dtype, shape: shape, strides: strides)
    } catch {
      throw .invalid("weights cannot be read: \(error)")
    }
  }

  /// The numbers of a matrix, row-major, where kernels read them in their stored form.
  ///
  /// Every token that a language model writes reads all of its matrices. A mapped file has small pages, from which that takes a third longer
  /// than from large ones. Large matrices of files are therefore copied once per program, and the file's own pages are released. The first
  /// plan for a single row does so: the first token after a prompt need not wait for it.
  /// - Parameter rows: rows that the matrix is multiplied with.
  func storedNumbers(_ constant: Constant, rows: Int) throws(OperatorError) -> TensorView {
    let layout = "stored numbers"
    guard constant.isReleasable, constant.type.byteCount >= smallestCopy,
      rows == 1 || builder.packed.holds([constant], layout: layout, parameters: [])
    else {
      do {
        return try builder.view(of: constant)
      } catch {
        throw .invalid("weights cannot be read: \(error)")
      }
    }
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
}
