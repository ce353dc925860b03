package import MartletTensor

extension FeatureDescription {
  /// The tensor that replaces an omitted optional input: the default shape filled with the default value, or with the value that stands for
  /// a missing one. Nil if there is neither.
  package func defaultTensor(as dtype: DType) -> HostTensor? {
    guard let number = defaultNumber else { return nil }
    let shape = if case .multiArray(let array) = type { array.shape } else { [1] }
    return HostTensor(repeating: number, dtype: dtype, shape: shape)
  }

  /// The number that fills an omitted optional input: the default value, or the value that stands for a missing one. Nil if there is neither.
  package var defaultNumber: Scalar? {
    guard isOptional else { return nil }
    let missing = missingValue.map { Scalar.double($0) }
    switch type {
    case .multiArray(let array): return array.defaultValue.map { Scalar($0) } ?? missing
    case .int64, .double: return missing
    case .string, .image, .dictionary, .sequence, .state: return nil
    }
  }
}

extension Scalar {
  fileprivate init(_ value: ArrayFeature.DefaultValue) {
    self =
      switch value {
      case .int(let number): .int(Int64(widening: number))
      case .float(let number): .double(Double(number))
      case .double(let number): .double(number)
      }
  }
}
