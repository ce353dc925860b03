package import MartletTensor

extension FeatureDescription {
  /// The tensor that replaces an omitted optional input: the default shape filled with the default value. Nil if the description
  /// has no default value.
  package func defaultTensor(as dtype: DType) -> HostTensor? {
    guard isOptional, case .multiArray(let array) = type, let value = array.defaultValue else { return nil }
    let number: Scalar =
      switch value {
      case .int(let number): .int(Int64(widening: number))
      case .float(let number): .double(Double(number))
      case .double(let number): .double(number)
      }
    return HostTensor(repeating: number, dtype: dtype, shape: array.shape)
  }
}
