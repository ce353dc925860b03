import Martlet

extension MLTensor {
  /// The scalars in row-major order with another shape, one extent of which may be -1 and stands for what is left.
  /// - Precondition: the shapes have the same number of scalars.
  public func reshaped(to newShape: [Int]) -> MLTensor { reshaped(to: newShape, "reshaped(to:)") }

  private func reshaped(to newShape: [Int], _ name: String) -> MLTensor {
    require(newShape.count { $0 == -1 } <= 1, "MLTensor.\(name): the shape \(newShape) leaves more than one extent open")
    if newShape == shape { return self }
    return .result(name) { try expression.reshaped(to: newShape) }
  }

  /// One dimension with all scalars.
  public func flattened() -> MLTensor { reshaped(to: [scalarCount], "flattened()") }

  /// The shape with dimensions of extent 1 inserted, one after the other: each position counts in the shape that the ones before it make.
  public func expandingShape(at axes: Int...) -> MLTensor { expandingShape(at: axes) }

  /// The shape with dimensions of extent 1 inserted, one after the other: each position counts in the shape that the ones before it make.
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

  /// The shape without dimensions of extent 1.
  public func squeezingShape() -> MLTensor { reshaped(to: shape.filter { $0 != 1 }, "squeezingShape()") }

  /// The shape without those of the dimensions that have extent 1.
  public func squeezingShape(at axes: Int...) -> MLTensor { squeezingShape(at: axes) }

  /// The shape without those of the dimensions that have extent 1.
  public func squeezingShape(at axes: [Int]) -> MLTensor {
    let removed = axes.map { normalized($0, "squeezingShape(at:)") }
    return reshaped(to: shape.indices.filter { shape[$0] != 1 || !removed.contains($0) }.map { shape[$0] }, "squeezingShape(at:)")
  }

  /// The dimensions in reverse order.
  public func transposed() -> MLTensor { transposed(permutation: Array((0..<rank).reversed())) }

  /// The dimensions in another order: that of each of the result's dimensions in the tensor.
  public func transposed(permutation: Int...) -> MLTensor { transposed(permutation: permutation) }

  /// The dimensions in another order: that of each of the result's dimensions in the tensor.
  public func transposed(permutation: [Int]) -> MLTensor {
    rank < 2 && permutation.count == rank && permutation.allSatisfy { $0 == 0 || $0 == -1 }
      ? self : .result("transposed(permutation:)") { try expression.permuted(permutation) }
  }

  /// The scalars of dimensions in reverse order.
  public func reversed(alongAxes axes: Int...) -> MLTensor { reversed(alongAxes: axes) }

  /// The scalars of dimensions in reverse order.
  public func reversed(alongAxes axes: [Int]) -> MLTensor {
    let normal = axes.map { normalized($0, "reversed(alongAxes:)") }
    return axes.isEmpty ? self : .result("reversed(alongAxes:)") { try expression.reversed(axes: normal) }
  }

  /// Copies side by side, so many along each dimension.
  /// - Precondition: there is one number, not negative, for each dimension.
  public func tiled(multiples: [Int]) -> MLTensor {
    require(
      multiples.count == rank, "MLTensor.tiled(multiples:): \(multiples.count) multiples for the shape \(shape)")
    return .result("tiled(multiples:)") { try expression.tiled(multiples) }
  }

  /// The matrices of the last two dimensions with the scalars outside a band around the diagonal set to 0.
  /// - Parameters:
  ///   - lowerBandCount: diagonals below the main one that stay; all if negative.
  ///   - upperBandCount: diagonals above the main one that stay; all if negative.
  /// - Precondition: the tensor has at least rank 2.
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

  /// How the pixels of a resized image are found.
  public enum ResizeMethod: Sendable, Hashable {
    /// The pixel that each new one falls into.
    case nearestNeighbor
    /// Interpolated linearly; corner pixels' centres stay where they are if corners are aligned, otherwise the image's edges.
    case bilinear(alignCorners: Bool)
  }

  /// Images of another size; height and width are the last dimensions.
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
