import Martlet

/// A scalar type of tensors.
public protocol MLTensorScalar: Sendable {}

extension Bool: MLTensorScalar {}
extension Int8: MLTensorScalar {}
extension UInt8: MLTensorScalar {}
extension Int16: MLTensorScalar {}
extension UInt16: MLTensorScalar {}
extension Int32: MLTensorScalar {}
extension UInt32: MLTensorScalar {}
extension Float16: MLTensorScalar {}
extension Float: MLTensorScalar {}

extension MLTensorScalar {
  /// The engine's dtype of the type.
  static var tensorDType: DType {
    switch self {
    case is Float.Type: .float32
    case is Float16.Type: .float16
    case is Int32.Type: .int32
    case is Bool.Type: .bool
    case is Int8.Type: .int8
    case is UInt8.Type: .uint8
    case is Int16.Type: .int16
    case is UInt16.Type: .uint16
    case is UInt32.Type: .uint32
    default: fatalError("Tensors have no scalars of type \(self)")
    }
  }

  /// The value as a scalar of the engine.
  var number: MartletTensor.Scalar {
    switch self {
    case let value as Float: .double(Double(value))
    case let value as Float16: .double(Double(value))
    case let value as Bool: .bool(value)
    case let value as any BinaryInteger: .int(Int64(value))
    default: fatalError("Tensors have no scalars of type \(Self.self)")
    }
  }
}

extension DType {
  /// The Swift type of the scalars. Defined only for dtypes of tensors.
  var scalarType: any MLTensorScalar.Type {
    switch self {
    case .float32: Float.self
    case .float16: Float16.self
    case .int32: Int32.self
    case .bool: Bool.self
    case .int8: Int8.self
    case .uint8: UInt8.self
    case .int16: Int16.self
    case .uint16: UInt16.self
    case .uint32: UInt32.self
    case .float64, .bfloat16, .int64, .uint64, .complex64, .complex128: fatalError("Tensors have no scalars of type \(self)")
    }
  }

  /// True if tensors can have scalars of this dtype.
  var isTensorScalar: Bool {
    switch self {
    case .float32, .float16, .int32, .bool, .int8, .uint8, .int16, .uint16, .uint32: true
    case .float64, .bfloat16, .int64, .uint64, .complex64, .complex128: false
    }
  }

  /// The dtype of sums and products: Int32 for Bool.
  var arithmeticType: DType { self == .bool ? .int32 : self }

  /// The dtype of functions such as the exponential: Float for integers and Bool.
  var realType: DType { isFloatingPoint ? self : .float32 }
}
