import MartletGraph
import MartletKernels
import MartletTensor

/// Bytes of a matrix from which on its product is bound by memory, which gives either form as fast. A smaller one stays in caches, and
/// from there the packed form comes faster.
private let smallestMatrixInPlace = 1 << 20

extension NodePlan {
  /// A constant matrix as `MatrixVectorProduct` reads it, where it lies in the model's memory: a single product reads it once, as packing
  /// would.
  /// - Parameters:
  ///   - constant: a matrix of `shape` [N, K] with these strides.
  ///   - layout: of the packed form that products with more rows take, as are `parameters`.
  /// - Returns: nil where the packed form serves better: the matrix is small, its rows are not contiguous, it is computed, or another plan
  ///   has packed it.
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
