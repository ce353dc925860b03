public import Foundation

/// A type that can be passed to a method as an input.
public protocol ValueConvertible {
  func asValue() -> Value
}

extension Value: ValueConvertible {
  public func asValue() -> Value { self }
}

extension AnyTensor: ValueConvertible {
  public func asValue() -> Value { Value(self) }
}

extension Tensor: ValueConvertible {
  public func asValue() -> Value { Value(self) }
}

extension String: ValueConvertible {
  public func asValue() -> Value { Value(self) }
}

extension Bool: ValueConvertible {
  public func asValue() -> Value { Value(self) }
}

extension Float: ValueConvertible {
  public func asValue() -> Value { Value(self) }
}

extension Double: ValueConvertible {
  public func asValue() -> Value { Value(self) }
}

extension NSNumber: ValueConvertible {
  /// A boolean, an integer or a floating-point number, depending on how the object was created.
  public func asValue() -> Value { Value(self) }
}

extension Int: ValueConvertible {
  public func asValue() -> Value { Value(self) }
}

extension Int8: ValueConvertible {
  public func asValue() -> Value { Value(Int(self)) }
}

extension Int16: ValueConvertible {
  public func asValue() -> Value { Value(Int(self)) }
}

extension Int32: ValueConvertible {
  public func asValue() -> Value { Value(Int(self)) }
}

extension Int64: ValueConvertible {
  public func asValue() -> Value { Value(NSNumber(value: self)) }
}

extension UInt8: ValueConvertible {
  public func asValue() -> Value { Value(Int(self)) }
}

extension UInt16: ValueConvertible {
  public func asValue() -> Value { Value(Int(self)) }
}

extension UInt32: ValueConvertible {
  public func asValue() -> Value { Value(NSNumber(value: self)) }
}

extension UInt64: ValueConvertible {
  public func asValue() -> Value { Value(NSNumber(value: self)) }
}

extension UInt: ValueConvertible {
  public func asValue() -> Value { Value(NSNumber(value: self)) }
}
