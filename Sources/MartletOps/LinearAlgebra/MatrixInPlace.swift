import MartletGraph
import MartletKernels
import MartletTensor

/// Minimum size of a matrix, in bytes, for use in place. The product with a larger matrix is memory-bound, and both forms are equally
/// fast. A smaller matrix stays in the caches, where the packed form is faster.
private let smallestMatrixInPlace = 1 << 20

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
}
