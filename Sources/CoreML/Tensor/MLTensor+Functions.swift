import Martlet

// Elementwise functions. Functions with fractional results give Float for integer and Bool tensors.

extension MLTensor {
  /// A function with fractional results.
  private func real(_ function: TensorExpression.UnaryFunction, _ name: String = #function) -> MLTensor {
    let type = dtype.realType
    return .result(name, isWeak: isWeak) { try expression.unary(function, computing: type, result: type) }
  }

  /// A function that keeps integers integers.
  private func same(_ function: TensorExpression.UnaryFunction, _ name: String = #function) -> MLTensor {
    let type = dtype.arithmeticType
    return .result(name, isWeak: isWeak) { try expression.unary(function, computing: type, result: type) }
  }

  public func abs() -> MLTensor { same(.abs) }
  public func acos() -> MLTensor { real(.acos) }
  public func acosh() -> MLTensor { real(.acosh) }
  public func asin() -> MLTensor { real(.asin) }
  public func asinh() -> MLTensor { real(.asinh) }
  public func atan() -> MLTensor { real(.atan) }
  public func atanh() -> MLTensor { real(.atanh) }
  public func ceil() -> MLTensor { same(.ceil) }
  public func cos() -> MLTensor { real(.cos) }
  public func cosh() -> MLTensor { real(.cosh) }
  public func exp() -> MLTensor { real(.exp) }
  /// 2 to the power of each scalar.
  public func exp2() -> MLTensor { real(.exp2) }
  public func floor() -> MLTensor { same(.floor) }
  public func log() -> MLTensor { real(.log) }
  public func reciprocal() -> MLTensor { real(.reciprocal) }
  /// Rounds to the nearest integer, ties to even.
  public func round() -> MLTensor { same(.round) }
  /// The reciprocal of the square root.
  public func rsqrt() -> MLTensor { real(.rsqrt) }
  /// -1, 0 or 1.
  public func sign() -> MLTensor { same(.sign) }
  public func sin() -> MLTensor { real(.sin) }
  public func sinh() -> MLTensor { real(.sinh) }
  public func squareRoot() -> MLTensor { real(.sqrt) }
  public func squared() -> MLTensor { same(.square) }
  public func tan() -> MLTensor { real(.tan) }
  public func tanh() -> MLTensor { real(.tanh) }

  // MARK: Powers

  public func pow(_ exponent: MLTensor) -> MLTensor { .arithmetic(.pow, self, exponent, "pow(_:)") }
  public func pow(_ exponent: some MLTensorScalar & Numeric) -> MLTensor { pow(MLTensor(operand: exponent)) }

  // MARK: Bounds

  /// Replaces scalars outside the bounds by the nearest bound. For integer tensors, bounds are truncated toward zero.
  public func clamped(to bounds: ClosedRange<Float>) -> MLTensor { clamped(bounds.lowerBound, bounds.upperBound) }

  /// Replaces smaller scalars by the bound.
  public func clamped(to bounds: PartialRangeFrom<Float>) -> MLTensor { clamped(bounds.lowerBound, nil) }

  /// Replaces greater scalars by the bound.
  public func clamped(to bounds: PartialRangeThrough<Float>) -> MLTensor { clamped(nil, bounds.upperBound) }

  private func clamped(_ low: Float?, _ high: Float?) -> MLTensor {
    // float64 represents all integers of tensors exactly.
    let type = dtype.arithmeticType
    let (first, last) = (low.map { MLTensor(operand: $0).expression }, high.map { MLTensor(operand: $0).expression })
    return .result("clamped(to:)", isWeak: isWeak) {
      try expression.clamped(from: first, through: last, computing: type.isFloatingPoint ? type : .float64, result: type)
    }
  }

  // MARK: Products and normalisation

  /// The matrix product over the last two dimensions; the other dimensions broadcast. A tensor of rank 1 counts as a row on the left and
  /// as a column on the right, and that dimension is removed from the result.
  /// - Precondition: neither tensor has rank 0, and the inner extents are equal.
  public func matmul(_ other: MLTensor) -> MLTensor {
    require(rank > 0 && other.rank > 0, "MLTensor.matmul(_:) of the shapes \(shape) and \(other.shape)")
    let type = TypePromotion.promote(dtype.arithmeticType, other.dtype.arithmeticType)
    require(
      type.isTensorScalar, "MLTensor.matmul(_:): scalars of the types \(scalarType) and \(other.scalarType) have no common type; cast one")
    let left = (rank == 1 ? expandingShape(at: 0) : self).cast(to: type)
    let right = (other.rank == 1 ? other.expandingShape(at: 1) : other).cast(to: type)
    let product = MLTensor.result("matmul(_:)") { try left.expression.matrixProduct(right.expression) }
    let vanishing = (rank == 1 ? [product.rank - 2] : []) + (other.rank == 1 ? [product.rank - 1] : [])
    guard !vanishing.isEmpty else { return product }
    return product.reshaped(to: product.shape.indices.filter { !vanishing.contains($0) }.map { product.shape[$0] })
  }

  /// The exponentials of the scalars, divided by their sum along the axis.
  public func softmax(alongAxis axis: Int = -1) -> MLTensor {
    let axis = normalized(axis, "softmax(alongAxis:)")
    return .result("softmax(alongAxis:)") { try cast(to: dtype.realType).expression.softmax(axis: axis) }
  }
}
