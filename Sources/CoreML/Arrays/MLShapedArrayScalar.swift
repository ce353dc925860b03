import Martlet

/// A Swift type that can be the element type of shaped arrays.
public protocol MLShapedArrayScalar: BitwiseCopyable, Hashable, Codable, Sendable {
  static var multiArrayDataType: MLMultiArrayDataType { get }
}

extension Double: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { .double } }
extension Float: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { .float32 } }
extension Float16: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { .float16 } }
extension Int32: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { .int32 } }
extension Int8: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { .int8 } }

// Element types that tensors support and multi-arrays do not. Shaped arrays of these types come from tensors and cannot become
// multi-arrays.
extension Bool: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { unavailable(Bool.self) } }
extension UInt8: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { unavailable(UInt8.self) } }
extension Int16: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { unavailable(Int16.self) } }
extension UInt16: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { unavailable(UInt16.self) } }
extension UInt32: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { unavailable(UInt32.self) } }

private func unavailable(_ type: Any.Type) -> Never {
  preconditionFailure("Multi-arrays do not support elements of type \(type)")
}

extension MLShapedArrayScalar {
  /// The engine's data type.
  static var dtype: DType {
    guard let type = Self.self as? any TensorElement.Type else { preconditionFailure("\(Self.self) is not an element type") }
    return type.dataType.dtype
  }
}
