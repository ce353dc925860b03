import Martlet

/// The element type of a multi-array.
public enum MLMultiArrayDataType: Int, Sendable, Hashable {
  case double = 0x10040
  case float32 = 0x10020
  case float16 = 0x10010
  case int32 = 0x20020
  case int8 = 0x20008

  public static var float64: MLMultiArrayDataType { .double }
  public static var float: MLMultiArrayDataType { .float32 }
}

extension MLMultiArrayDataType {
  var dtype: DType {
    switch self {
    case .double: .float64
    case .float32: .float32
    case .float16: .float16
    case .int32: .int32
    case .int8: .int8
    }
  }

  /// - Returns: nil for types that multi-arrays do not support.
  init?(_ dtype: DType) {
    switch dtype {
    case .float64: self = .double
    case .float32: self = .float32
    case .float16: self = .float16
    case .int32: self = .int32
    case .int8: self = .int8
    default: return nil
    }
  }

  /// Name in messages and descriptions.
  var name: String {
    switch self {
    case .double: "Double"
    case .float32: "Float32"
    case .float16: "Float16"
    case .int32: "Int32"
    case .int8: "Int8"
    }
  }
}
