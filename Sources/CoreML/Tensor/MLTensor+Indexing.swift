import Martlet

// Indices are integers; negative ones count from the end. An index out of range stops the program when the result is computed.

extension MLTensor {
  private func checkIndices(_ indices: MLTensor, _ name: String) {
    require(indices.dtype.isInteger, "MLTensor.\(name): indices of type \(indices.scalarType)")
  }

  // MARK: Gathering

  /// Gathers slices by index vectors, which lie along the last dimension of `indices`. A vector has one index for each of the first
  /// dimensions.
  /// - Precondition: the indices do not have rank 0, and a vector is not longer than the tensor's rank.
  public func gathering(atIndices indices: MLTensor) -> MLTensor {
    checkIndices(indices, "gathering(atIndices:)")
    require(indices.rank > 0, "MLTensor.gathering(atIndices:): indices of rank 0")
    return .result("gathering(atIndices:)") { try expression.gathered(indices.expression, axis: nil) }
  }

  /// Gathers slices along an axis. The shape of the indices replaces the axis.
  public func gathering(atIndices indices: MLTensor, alongAxis axis: Int) -> MLTensor {
    checkIndices(indices, "gathering(atIndices:alongAxis:)")
    let axis = normalized(axis, "gathering(atIndices:alongAxis:)")
    return .result("gathering(atIndices:alongAxis:)") { try expression.gathered(indices.expression, axis: axis) }
  }

  // MARK: Replacing

  /// Replaces the scalars where the mask is true by those of another tensor.
  ///
  /// Mask and replacement broadcast to the tensor's shape. A mask of rank 1 that does not broadcast but has the first extent selects
  /// rows.
  /// - Precondition: the mask has scalars of type Bool.
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

  /// Replaces the scalars where the mask is true by a number.
  public func replacing(with replacement: some MLTensorScalar, where mask: MLTensor) -> MLTensor {
    replacing(with: MLTensor(operand: replacement), where: mask)
  }

  /// Replaces elements at indices along an axis by the corresponding elements of the replacement. If an index occurs several times, the
  /// last one wins.
  /// - Precondition: the indices have the tensor's shape except along the axis, and the replacement has the shape of the indices.
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

  /// Replaces elements at indices along an axis by a number.
  /// - Precondition: the indices have the tensor's shape except along the axis.
  public func replacing(atIndices indices: MLTensor, with replacement: some MLTensorScalar, alongAxis axis: Int) -> MLTensor {
    let name = "replacing(atIndices:with:alongAxis:)"
    let axis = checkReplacement(indices, axis, name)
    return .result(name) { try expression.scattered(replacement.number, at: indices.expression, axis: axis) }
  }

  /// Checks the indices of a replacement and returns the axis counted from the front.
  private func checkReplacement(_ indices: MLTensor, _ axis: Int, _ name: String) -> Int {
    checkIndices(indices, name)
    let axis = normalized(axis, name)
    require(
      indices.rank == rank && shape.indices.allSatisfy { $0 == axis || indices.shape[$0] == shape[$0] },
      "MLTensor.\(name): indices of shape \(indices.shape) along axis \(axis) of the shape \(shape)")
    return axis
  }

  /// Fractional replacements of integers are truncated first.
  private func cast(toKindOf type: DType) -> MLTensor {
    dtype.isFloatingPoint && !type.isFloatingPoint && !isWeak ? cast(to: type) : self
  }
}
