package import MartletTensor

extension FeatureDescription {
  /// The tensor that replaces an omitted optional input: the default shape filled with the default value, or with the value that stands for
  /// a missing one. Nil if there is neither.
  package func defaultTensor(as dtype: DType) -> HostTensor? {
    guard isOptional else { return nil }
    switch type {
    case .multiArray(let array):
      guard let number = array.defaultValue.map({ Scalar($0) }) ?? missingValue.map({ .double($0) }) else { return nil }
      return HostTensor(repeating: number, dtype: dtype, shape: array.shape)
    case .int64, .double: return missingValue.flatMap { HostTensor(repeating: .double($0), dtype: dtype, shape: [1]) }
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
