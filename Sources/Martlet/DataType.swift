package import MartletTensor

/// The element type of a tensor.
public enum DataType: String, Sendable, Hashable, CaseIterable {
  case float32, float64, float16, bfloat16
  case int8, int16, int32, int64
  case uint8, uint16, uint32, uint64
  case bool
  case complex64, complex128

  /// Size of one element in bytes.
  public var byteCount: Int { dtype.byteCount }

  package var dtype: DType {
    switch self {
    case .float32: .float32
    case .float64: .float64
    case .float16: .float16
    case .bfloat16: .bfloat16
    case .int8: .int8
    case .int16: .int16
    case .int32: .int32
    case .int64: .int64
    case .uint8: .uint8
    case .uint16: .uint16
    case .uint32: .uint32
    case .uint64: .uint64
    case .bool: .bool
    case .complex64: .complex64
    case .complex128: .complex128
    }
  }

  package init(_ dtype: DType) {
    switch dtype {
    case .float32: self = .float32
    case .float64: self = .float64
    case .float16: self = .float16
    case .bfloat16: self = .bfloat16
    case .int8: self = .int8
    case .int16: self = .int16
    case .int32: self = .int32
    case .int64: self = .int64
    case .uint8: self = .uint8
    case .uint16: self = .uint16
    case .uint32: self = .uint32
    case .uint64: self = .uint64
    case .bool: self = .bool
    case .complex64: self = .complex64
    case .complex128: self = .complex128
    }
  }
}

/// A Swift type that can be the element type of a tensor.
public protocol TensorElement: BitwiseCopyable, Sendable {
  static var dataType: DataType { get }
}

extension Float: TensorElement { public static var dataType: DataType { .float32 } }
extension Double: TensorElement { public static var dataType: DataType { .float64 } }
extension Int8: TensorElement { public static var dataType: DataType { .int8 } }
extension Int16: TensorElement { public static var dataType: DataType { .int16 } }
extension Int32: TensorElement { public static var dataType: DataType { .int32 } }
extension Int64: TensorElement { public static var dataType: DataType { .int64 } }
extension Int: TensorElement { public static var dataType: DataType { .int64 } }
extension UInt8: TensorElement { public static var dataType: DataType { .uint8 } }
extension UInt16: TensorElement { public static var dataType: DataType { .uint16 } }
extension UInt32: TensorElement { public static var dataType: DataType { .uint32 } }
extension UInt64: TensorElement { public static var dataType: DataType { .uint64 } }
extension Bool: TensorElement { public static var dataType: DataType { .bool } }
extension Float16: TensorElement { public static var dataType: DataType { .float16 } }
