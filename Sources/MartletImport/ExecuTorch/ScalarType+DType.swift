package import MartletExecuTorchFile
package import MartletTensor

extension DType {
  /// The engine's dtype for an ExecuTorch scalar type. Nil for the packed and 8-bit float types, which only payloads and quantised
  /// operators interpret.
  package init?(_ scalarType: ScalarType) {
    switch scalarType {
    case .float32: self = .float32
    case .float64: self = .float64
    case .float16: self = .float16
    case .bfloat16: self = .bfloat16
    case .int8, .qint8: self = .int8
    case .int16: self = .int16
    case .int32, .qint32: self = .int32
    case .int64: self = .int64
    case .uint8, .quint8, .bits8: self = .uint8
    case .uint16, .bits16: self = .uint16
    case .uint32: self = .uint32
    case .uint64: self = .uint64
    case .bool: self = .bool
    case .complex64: self = .complex64
    case .complex128: self = .complex128
    default: return nil
    }
  }

  /// The dtype for an ATen `ScalarType` number, the form of `dtype` arguments.
  package init?(scalarTypeNumber number: Int64) {
    guard let raw = Int8(exactly: number), let type = ScalarType(rawValue: raw) else { return nil }
    self.init(type)
  }
}
