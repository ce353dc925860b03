package import MartletTensor

extension DType {
  package init(_ type: ArrayFeature.DataType) {
    self =
      switch type {
      case .float16: .float16
      case .float32: .float32
      case .float64: .float64
      case .int8: .int8
      case .int32: .int32
      }
  }
}
