import Martlet

// Negative axes count from the end. Reduced dimensions are removed, or keep extent 1 if `keepRank` is true.

extension MLTensor {
  private func reduced(
    _ function: TensorExpression.Reduction, _ axes: [Int]?, _ keepRank: Bool, _ result: DType, _ name: String
  ) -> MLTensor {
    let normal = axes?.map { normalized($0, name) }.sorted()
    if let axes, let normal {
      require(Set(normal).count == normal.count, "MLTensor.\(name): the axes \(axes) name one twice")
      // Without axes nothing is reduced.
      if normal.isEmpty { return cast(to: result) }
    }
    // In sums and products, Bool counts as the integers 0 and 1.
    let counted = dtype == .bool && result != .bool ? cast(to: .int32) : self
    return .result(name) { try counted.expression.reduced(function, axes: normal, keepsAxes: keepRank, result: result) }
  }

  private func truth(_ function: TensorExpression.Reduction, _ axes: [Int]?, _ keepRank: Bool, _ name: String) -> MLTensor {
    require(dtype == .bool, "MLTensor.\(name) of scalars of type \(scalarType), not Bool")
    return reduced(function, axes, keepRank, .bool, name)
  }

  // MARK: sum

  /// The sum. Integers wrap around.
  public func sum(keepRank: Bool = false) -> MLTensor { reduced(.sum, nil, keepRank, dtype.arithmeticType, "sum(keepRank:)") }

  public func sum(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor { sum(alongAxes: axes, keepRank: keepRank) }

  public func sum(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    reduced(.sum, axes, keepRank, dtype.arithmeticType, "sum(alongAxes:keepRank:)")
  }

  // MARK: mean

  /// The mean. That of integers is truncated toward zero.
  public func mean(keepRank: Bool = false) -> MLTensor {
    reduced(.mean, nil, keepRank, dtype == .bool ? .float32 : dtype, "mean(keepRank:)")
  }

  public func mean(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor { mean(alongAxes: axes, keepRank: keepRank) }

  public func mean(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    reduced(.mean, axes, keepRank, dtype == .bool ? .float32 : dtype, "mean(alongAxes:keepRank:)")
  }

  // MARK: product

  /// The product. Integers wrap around.
  public func product(keepRank: Bool = false) -> MLTensor { reduced(.product, nil, keepRank, dtype.arithmeticType, "product(keepRank:)") }

  public func product(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor { product(alongAxes: axes, keepRank: keepRank) }

  public func product(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    reduced(.product, axes, keepRank, dtype.arithmeticType, "product(alongAxes:keepRank:)")
  }

  // MARK: max

  /// The greatest scalar; NaN if any scalar is NaN.
  public func max(keepRank: Bool = false) -> MLTensor { reduced(.max, nil, keepRank, dtype, "max(keepRank:)") }

  public func max(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor { max(alongAxes: axes, keepRank: keepRank) }

  public func max(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    reduced(.max, axes, keepRank, dtype, "max(alongAxes:keepRank:)")
  }

  // MARK: min

  /// The smallest scalar; NaN if any scalar is NaN.
  public func min(keepRank: Bool = false) -> MLTensor { reduced(.min, nil, keepRank, dtype, "min(keepRank:)") }

  public func min(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor { min(alongAxes: axes, keepRank: keepRank) }

  public func min(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    reduced(.min, axes, keepRank, dtype, "min(alongAxes:keepRank:)")
  }

  // MARK: all

  /// True if all scalars are true.
  /// - Precondition: the scalars are of type Bool.
  public func all(keepRank: Bool = false) -> MLTensor { truth(.all, nil, keepRank, "all(keepRank:)") }

  public func all(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor { all(alongAxes: axes, keepRank: keepRank) }

  public func all(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    truth(.all, axes, keepRank, "all(alongAxes:keepRank:)")
  }

  // MARK: any

  /// True if any scalar is true.
  /// - Precondition: the scalars are of type Bool.
  public func any(keepRank: Bool = false) -> MLTensor { truth(.any, nil, keepRank, "any(keepRank:)") }

  public func any(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor { any(alongAxes: axes, keepRank: keepRank) }

  public func any(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    truth(.any, axes, keepRank, "any(alongAxes:keepRank:)")
  }
}
