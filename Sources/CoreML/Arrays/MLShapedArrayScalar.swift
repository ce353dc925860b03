import Martlet
import MartletTensor

/// A Swift type that elements of shaped arrays have.
public protocol MLShapedArrayScalar: BitwiseCopyable, Hashable, Codable, Sendable {
  static var multiArrayDataType: MLMultiArrayDataType { get }
}

extension Double: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { .double } }
extension Float: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { .float32 } }
extension Float16: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { .float16 } }
extension Int32: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { .int32 } }
extension Int8: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { .int8 } }

// Elements that tensors have and multi-arrays do not: shaped arrays of them come from tensors and stay in Swift.
extension Bool: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { unavailable(Bool.self) } }
extension UInt8: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { unavailable(UInt8.self) } }
extension Int16: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { unavailable(Int16.self) } }
extension UInt16: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { unavailable(UInt16.self) } }
extension UInt32: MLShapedArrayScalar { public static var multiArrayDataType: MLMultiArrayDataType { unavailable(UInt32.self) } }

private func unavailable(_ type: Any.Type) -> Never {
  preconditionFailure("Multi-arrays have no elements of type \(type)")
}

extension MLShapedArrayScalar {
  /// The engine's name of the type.
  static var dtype: DType {
    guard let type = Self.self as? any TensorElement.Type else { preconditionFailure("\(Self.self) is no type of elements") }
    return type.dataType.dtype
  }
}
