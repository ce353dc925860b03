import Martlet

// Positions, sorting and cumulative functions. Positions are of type Int32.

extension MLTensor {
  private func position(ofMaximum isMaximum: Bool, _ axis: Int?, _ keepRank: Bool, _ name: String) -> MLTensor {
    let axis = axis.map { normalized($0, name) }
    return .result(name) { try expression.position(ofMaximum: isMaximum, axis: axis, keepsAxes: keepRank) }.cast(to: .int32)
  }

  /// The position of the greatest scalar in row-major order. The first of equal scalars counts, and the first NaN if there is one.
  public func argmax() -> MLTensor { position(ofMaximum: true, nil, false, "argmax()") }

  /// The positions of the greatest scalars along an axis.
  public func argmax(alongAxis axis: Int, keepRank: Bool = false) -> MLTensor {
    position(ofMaximum: true, axis, keepRank, "argmax(alongAxis:keepRank:)")
  }

  /// The position of the smallest scalar in row-major order. The first of equal scalars counts, and the first NaN if there is one.
  public func argmin() -> MLTensor { position(ofMaximum: false, nil, false, "argmin()") }

  /// The positions of the smallest scalars along an axis.
  public func argmin(alongAxis axis: Int, keepRank: Bool = false) -> MLTensor {
    position(ofMaximum: false, axis, keepRank, "argmin(alongAxis:keepRank:)")
  }

  // MARK: Orders

  /// The positions of the scalars along an axis in sorted order. The sort is stable, and NaN is greater than any number.
  public func argsort(alongAxis axis: Int = -1, descendingOrder: Bool = false) -> MLTensor {
    let axis = normalized(axis, "argsort(alongAxis:descendingOrder:)")
    return sorted(nil, axis, descendingOrder, "argsort(alongAxis:descendingOrder:)").indices
  }

  /// The `k` greatest scalars along the last axis, in descending order, and their positions. Equal scalars keep their order.
  /// - Precondition: the last axis has at least `k` scalars.
  public func topK(_ k: Int) -> (values: MLTensor, indices: MLTensor) {
    sorted(k, normalized(-1, "topK(_:)"), true, "topK(_:)")
  }

  private func sorted(_ count: Int?, _ axis: Int, _ descending: Bool, _ name: String) -> (values: MLTensor, indices: MLTensor) {
    let results = MLTensor.fitting(name) {
      try expression.sorted(count: count, axis: axis, descending: descending)
    }
    return (MLTensor(results.elements), MLTensor(results.positions).cast(to: .int32))
  }

  // MARK: Running results

  /// The cumulative sums along an axis.
  /// - Precondition: the tensor does not have rank 0.
  public func cumulativeSum(alongAxis axis: Int = 0) -> MLTensor {
    let axis = normalized(axis, "cumulativeSum(alongAxis:)")
    return .result("cumulativeSum(alongAxis:)") { try expression.runningSum(axis: axis, result: dtype.arithmeticType) }
  }

  /// The cumulative products along an axis.
  /// - Precondition: the tensor does not have rank 0.
  public func cumulativeProduct(alongAxis axis: Int = 0) -> MLTensor {
    let axis = normalized(axis, "cumulativeProduct(alongAxis:)")
    var products = cast(to: dtype.arithmeticType)
    // Each round doubles the number of factors in a product.
    var distance = 1
    while distance < shape[axis] {
      products = products * products.moved(along: axis, by: distance)
      distance *= 2
    }
    return products
  }

  /// Shifts the scalars toward the end of an axis and fills the front with ones.
  private func moved(along axis: Int, by distance: Int) -> MLTensor {
    var before = Array(repeating: 0, count: rank)
    before[axis] = distance
    return .result("cumulativeProduct(alongAxis:)") { try expression.padded(before: before, after: before.map { -$0 }, with: .int(1)) }
  }
}
