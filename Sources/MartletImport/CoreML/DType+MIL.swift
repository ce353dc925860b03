package import MartletCoreMLFile
package import MartletTensor

extension DType {
  /// The engine's dtype for an element type of ML Programs. Nil for strings, elements narrower than a byte, and 8-bit floats: only decoding
  /// operators interpret these.
  package init?(_ type: MILDataType) {
    switch type {
    case .bool: self = .bool
    case .float16: self = .float16
    case .bfloat16: self = .bfloat16
    case .float32: self = .float32
    case .float64: self = .float64
    case .int8: self = .int8
    case .int16: self = .int16
    case .int32: self = .int32
    case .int64: self = .int64
    case .uint8: self = .uint8
    case .uint16: self = .uint16
    case .uint32: self = .uint32
    case .uint64: self = .uint64
    case .string, .float8E4M3FN, .float8E5M2, .int4, .uint1, .uint2, .uint3, .uint4, .uint6: return nil
    }
  }

  /// The dtype of constants of an element type. 8-bit floats become float16, which represents all their values.
  init?(ofConstants type: MILDataType) {
    switch type {
    case .float8E4M3FN, .float8E5M2: self = .float16
    default: self.init(type)
    }
  }
}

extension TensorSignature {
  /// The signature of a declared type. Unknown extents have no bound.
  /// - Throws: for element types that the engine does not compute with, and for types of unknown rank.
  package init(_ type: MILTensorType) throws(CallError) {
    guard let dtype = DType(type.dataType) else { throw CallError("elements of type \(type.dataType.textName) are not supported") }
    guard let dimensions = type.dimensions, !dimensions.contains(.unknown(variadic: true)) else {
      throw CallError("a value of type \(type) has no known rank")
    }
    guard dimensions.count <= 16 else { throw CallError("a value has \(dimensions.count) axes, more than 16") }
    self.init(dtype: dtype, dimensions: dimensions.map { $0.extent.map { .fixed($0) } ?? .symbolic(bound: nil) })
  }
}
