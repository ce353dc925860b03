import Martlet

extension MLTensor {
  /// The scalars in row-major order with another shape. One extent may be -1 and is then inferred.
  /// - Precondition: the shapes have the same number of scalars.
  public func reshaped(to newShape: [Int]) -> MLTensor { reshaped(to: newShape, "reshaped(to:)") }

  private func reshaped(to newShape: [Int], _ name: String) -> MLTensor {
    require(newShape.count { $0 == -1 } <= 1, "MLTensor.\(name): the shape \(newShape) has more than one extent to infer")
    if newShape == shape { return self }
    return .result(name) { try expression.reshaped(to: newShape) }
  }

  /// All scalars in one dimension.
  public func flattened() -> MLTensor { reshaped(to: [scalarCount], "flattened()") }

  /// Inserts dimensions of extent 1, one after the other. Each position counts in the shape that the previous insertions give.
  public func expandingShape(at axes: Int...) -> MLTensor { expandingShape(at: axes) }

  /// Inserts dimensions of extent 1, one after the other. Each position counts in the shape that the previous insertions give.
  public func expandingShape(at axes: [Int]) -> MLTensor {
    var extents = shape
    for axis in axes {
      let position = axis < 0 ? axis + extents.count + 1 : axis
      require(
        position >= 0 && position <= extents.count, "MLTensor.expandingShape(at:): axis \(axis) is out of range for the shape \(extents)")
      extents.insert(1, at: position)
    }
    return reshaped(to: extents, "expandingShape(at:)")
  }

  /// Removes all dimensions of extent 1.
  public func squeezingShape() -> MLTensor { reshaped(to: shape.filter { $0 != 1 }, "squeezingShape()") }

  /// Removes those of the given dimensions that have extent 1.
  public func squeezingShape(at axes: Int...) -> MLTensor { squeezingShape(at: axes) }

  /// Removes those of the given dimensions that have extent 1.
  public func squeezingShape(at axes: [Int]) -> MLTensor {
    let removed = axes.map { normalized($0, "squeezingShape(at:)") }
    return reshaped(to: shape.indices.filter { shape[$0] != 1 || !removed.contains($0) }.map { shape[$0] }, "squeezingShape(at:)")
  }

  /// Reverses the order of the dimensions.
  public func transposed() -> MLTensor { transposed(permutation: Array((0..<rank).reversed())) }

  /// Permutes the dimensions. `permutation` lists, for each dimension of the result, the dimension of the tensor.
  public func transposed(permutation: Int...) -> MLTensor { transposed(permutation: permutation) }

  /// Permutes the dimensions. `permutation` lists, for each dimension of the result, the dimension of the tensor.
  public func transposed(permutation: [Int]) -> MLTensor {
    rank < 2 && permutation.count == rank && permutation.allSatisfy { $0 == 0 || $0 == -1 }
      ? self : .result("transposed(permutation:)") { try expression.permuted(permutation) }
  }

  /// Reverses the scalars along the given dimensions.
  public func reversed(alongAxes axes: Int...) -> MLTensor { reversed(alongAxes: axes) }

  /// Reverses the scalars along the given dimensions.
  public func reversed(alongAxes axes: [Int]) -> MLTensor {
    let normal = axes.map { normalized($0, "reversed(alongAxes:)") }
    return axes.isEmpty ? self : .result("reversed(alongAxes:)") { try expression.reversed(axes: normal) }
  }

  /// Repeats the tensor along each dimension.
  /// - Precondition: there is one multiple, not negative, for each dimension.
  public func tiled(multiples: [Int]) -> MLTensor {
    require(
      multiples.count == rank, "MLTensor.tiled(multiples:): \(multiples.count) multiples for the shape \(shape)")
    return .result("tiled(multiples:)") { try expression.tiled(multiples) }
  }

  /// Sets the scalars outside a band around the diagonal to 0, in each matrix of the last two dimensions.
  /// - Parameters:
  ///   - lowerBandCount: number of diagonals to keep below the main diagonal; all if negative.
  ///   - upperBandCount: number of diagonals to keep above the main diagonal; all if negative.
  /// - Precondition: the tensor's rank is at least 2.
  public func bandPart(lowerBandCount: Int, upperBandCount: Int) -> MLTensor {
    let name = "bandPart(lowerBandCount:upperBandCount:)"
    require(rank >= 2, "MLTensor.\(name) of the shape \(shape)")
    if lowerBandCount < 0, upperBandCount < 0 { return self }
    return .result(name) {
      var band = expression
      if lowerBandCount >= 0 { band = try band.triangle(keepsUpper: true, diagonal: -Swift.min(lowerBandCount, shape[rank - 2])) }
      if upperBandCount >= 0 { band = try band.triangle(keepsUpper: false, diagonal: Swift.min(upperBandCount, shape[rank - 1])) }
      return band
    }
  }

  // MARK: Images

  /// The interpolation of resized images.
  public enum ResizeMethod: Sendable, Hashable {
    /// The pixel that contains the sampling point.
    case nearestNeighbor
    /// Linear interpolation. With `alignCorners` the centres of the corner pixels coincide, otherwise the edges of the images.
    case bilinear(alignCorners: Bool)
  }

  /// Resizes images. Height and width are the last dimensions.
  /// - Precondition: the tensor has rank 3 or 4, and no image is empty.
  public func resized(to size: (newHeight: Int, newWidth: Int), method: ResizeMethod = .nearestNeighbor) -> MLTensor {
    require(rank == 3 || rank == 4, "MLTensor.resized(to:method:) of the shape \(shape)")
    let (height, width) = (size.newHeight, size.newWidth)
    return .result("resized(to:method:)") {
      switch method {
      case .nearestNeighbor: try expression.resizedToNearest(height: height, width: width)
      case .bilinear(let alignCorners): try expression.resizedLinearly(height: height, width: width, alignsCorners: alignCorners)
      }
    }
  }
}

extension MLTensor.ResizeMethod: CustomStringConvertible {
  public var description: String {
    switch self {
    case .nearestNeighbor: "nearestNeighbor"
    case .bilinear(let alignCorners): "bilinear(alignCorners: \(alignCorners))"
    }
  }
}
