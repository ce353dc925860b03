public import Foundation

/// A Swift type that can be the element type of tensors.
///
/// The memory layout of a conforming type must be that of its `dataType`.
public protocol Scalar {
  static var dataType: DataType { get }
  /// The value as an `NSNumber`.
  func asNSNumber() -> NSNumber
}

extension UInt8: Scalar {
  public static var dataType: DataType { .byte }
  public func asNSNumber() -> NSNumber { NSNumber(value: self) }
}

extension Int8: Scalar {
  public static var dataType: DataType { .char }
  public func asNSNumber() -> NSNumber { NSNumber(value: self) }
}

extension Int16: Scalar {
  public static var dataType: DataType { .short }
  public func asNSNumber() -> NSNumber { NSNumber(value: self) }
}

extension Int32: Scalar {
  public static var dataType: DataType { .int }
  public func asNSNumber() -> NSNumber { NSNumber(value: self) }
}

extension Int64: Scalar {
  public static var dataType: DataType { .long }
  public func asNSNumber() -> NSNumber { NSNumber(value: self) }
}

extension Int: Scalar {
  public static var dataType: DataType { .long }
  public func asNSNumber() -> NSNumber { NSNumber(value: self) }
}

extension Float: Scalar {
  public static var dataType: DataType { .float }
  public func asNSNumber() -> NSNumber { NSNumber(value: self) }
}

extension Double: Scalar {
  public static var dataType: DataType { .double }
  public func asNSNumber() -> NSNumber { NSNumber(value: self) }
}

extension Bool: Scalar {
  public static var dataType: DataType { .bool }
  public func asNSNumber() -> NSNumber { NSNumber(value: self) }
}

extension UInt16: Scalar {
  public static var dataType: DataType { .uInt16 }
  public func asNSNumber() -> NSNumber { NSNumber(value: self) }
}

extension UInt32: Scalar {
  public static var dataType: DataType { .uInt32 }
  public func asNSNumber() -> NSNumber { NSNumber(value: self) }
}

extension UInt64: Scalar {
  public static var dataType: DataType { .uInt64 }
  public func asNSNumber() -> NSNumber { NSNumber(value: self) }
}

extension UInt: Scalar {
  public static var dataType: DataType { .uInt64 }
  public func asNSNumber() -> NSNumber { NSNumber(value: self) }
}
