import Martlet

// Indices are integers; negative ones count from the end. One that is out of range stops the program when the result is computed.

extension MLTensor {
  private func checkIndices(_ indices: MLTensor, _ name: String) {
    require(indices.dtype.isInteger, "MLTensor.\(name): indices of type \(indices.scalarType)")
  }

  // MARK: Gathering

  /// The slices that index vectors name, which are the last dimension of the indices: one index for each of the first dimensions.
  /// - Precondition: the indices are not of rank 0, and the vectors no longer than the tensor's rank.
  public func gathering(atIndices indices: MLTensor) -> MLTensor {
    checkIndices(indices, "gathering(atIndices:)")
    require(indices.rank > 0, "MLTensor.gathering(atIndices:): indices of rank 0")
    return .result("gathering(atIndices:)") { try expression.gathered(indices.expression, axis: nil) }
  }

  /// The slices along an axis that indices name: the shape of the indices takes the axis's place.
  public func gathering(atIndices indices: MLTensor, alongAxis axis: Int) -> MLTensor {
    checkIndices(indices, "gathering(atIndices:alongAxis:)")
    let axis = normalized(axis, "gathering(atIndices:alongAxis:)")
    return .result("gathering(atIndices:alongAxis:)") { try expression.gathered(indices.expression, axis: axis) }
  }

  // MARK: Replacing

  /// The scalars where the mask is false, and those of another tensor where it is true.
  ///
  /// Mask and replacement broadcast to the tensor's shape; a mask of rank 1 that does not, but has the first extent, chooses rows.
  /// - Precondition: the mask is of Bool.
  public func replacing(with replacement: MLTensor, where mask: MLTensor) -> MLTensor {
    let name = "replacing(with:where:)"
    require(mask.dtype == .bool, "MLTensor.\(name): a mask of type \(mask.scalarType), not Bool")
    var mask = mask
    if mask.rank == 1, Shape.broadcast(mask.shape, shape) != shape, mask.shape.first == shape.first {
      mask = mask.reshaped(to: mask.shape + Array(repeating: 1, count: rank - 1))
    }
    require(
      Shape.broadcast(mask.shape, shape) == shape && Shape.broadcast(replacement.shape, shape) == shape,
      "MLTensor.\(name): a mask of shape \(mask.shape) and a replacement of shape \(replacement.shape) for the shape \(shape)")
    return .result(name) { try expression.replaced(by: replacement.cast(toKindOf: dtype).expression, where: mask.expression) }
  }

  /// The scalars where the mask is false, and a number where it is true.
  public func replacing(with replacement: some MLTensorScalar, where mask: MLTensor) -> MLTensor {
    replacing(with: MLTensor(operand: replacement), where: mask)
  }

  /// The tensor with the elements that indices name along an axis replaced, by those at the same places of the replacement. If several
  /// name the same place, the last one stays.
  /// - Precondition: the indices have the tensor's shape but along the axis, and the replacement has the indices'.
  public func replacing(with replacement: MLTensor, atIndices indices: MLTensor, alongAxis axis: Int) -> MLTensor {
    let name = "replacing(with:atIndices:alongAxis:)"
    let axis = checkReplacement(indices, axis, name)
    require(
      Shape.broadcast(replacement.shape, indices.shape) == indices.shape,
      "MLTensor.\(name): a replacement of shape \(replacement.shape) for indices of shape \(indices.shape)")
    let source =
      replacement.shape == indices.shape
      ? replacement : .result(name) { try replacement.expression.expanded(to: indices.shape) }
    return .result(name) { try expression.scattered(source.cast(to: dtype).expression, at: indices.expression, axis: axis) }
  }

  /// The tensor with the elements that indices name along an axis replaced by a number.
  /// - Precondition: the indices have the tensor's shape but along the axis.
  public func replacing(atIndices indices: MLTensor, with replacement: some MLTensorScalar, alongAxis axis: Int) -> MLTensor {
    let name = "replacing(atIndices:with:alongAxis:)"
    let axis = checkReplacement(indices, axis, name)
    return .result(name) { try expression.scattered(replacement.number, at: indices.expression, axis: axis) }
  }

  /// The axis, counted from the front.
  private func checkReplacement(_ indices: MLTensor, _ axis: Int, _ name: String) -> Int {
    checkIndices(indices, name)
    let axis = normalized(axis, name)
    require(
      indices.rank == rank && shape.indices.allSatisfy { $0 == axis || indices.shape[$0] == shape[$0] },
      "MLTensor.\(name): indices of shape \(indices.shape) along axis \(axis) of the shape \(shape)")
    return axis
  }

  /// Fractions become integers before they are mixed with some.
  private func cast(toKindOf type: DType) -> MLTensor {
    dtype.isFloatingPoint && !type.isFloatingPoint && !isWeak ? cast(to: type) : self
  }
}
