public import Foundation

/// A type that an output of a method can be converted to.
public protocol ValueConstructible {
  /// Converts `value` to this type; throws `.invalidType` if it holds something else.
  static func from(_ value: Value) throws -> Self
}

extension ValueConstructible {
  /// Same as `from(_:)`.
  public init(_ value: Value) throws {
    self = try Self.from(value)
  }
}

/// A type that all outputs of a method together can be converted to.
public protocol ValueSequenceConstructible {
  /// Converts `values` to this type; throws `.invalidType` if they hold something else.
  static func from(_ values: [Value]) throws -> Self
}

extension ValueSequenceConstructible {
  /// Same as `from(_:)`.
  public init(_ values: [Value]) throws {
    self = try Self.from(values)
  }
}

extension ValueSequenceConstructible where Self: ValueConstructible {
  /// Converts a single value; throws `.invalidType` if there are none or several.
  public static func from(_ values: [Value]) throws -> Self {
    guard values.count == 1 else {
      throw Error(code: .invalidType, description: "\(values.count) values instead of one")
    }
    return try Self.from(values[0])
  }
}

extension Array: ValueSequenceConstructible where Element: ValueConstructible {
  /// Converts each value to an element.
  public static func from(_ values: [Value]) throws -> [Element] {
    try values.map { try Element.from($0) }
  }
}

extension Value: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> Value { value }
}

extension AnyTensor: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> AnyTensor {
    guard let tensor = value.anyTensor else { throw mismatch(of: value, with: "a tensor") }
    return tensor
  }
}

extension Tensor: ValueConstructible, ValueSequenceConstructible {
  /// The tensor, sharing its memory; throws `.invalidType` if the elements have another type.
  public static func from(_ value: Value) throws -> Tensor {
    let anyTensor = try AnyTensor.from(value)
    guard let tensor: Tensor = anyTensor.asTensor() else {
      throw Error(code: .invalidType, description: "Elements are \(anyTensor.dataType.descriptiveName), not \(T.dataType.descriptiveName)")
    }
    return tensor
  }
}

extension String: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> String {
    guard let string = value.string else { throw mismatch(of: value, with: "a string") }
    return string
  }
}

extension Bool: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> Bool {
    guard value.isBoolean else { throw mismatch(of: value, with: "a boolean") }
    return value.boolean
  }
}

extension Float: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> Float {
    guard value.isFloat else { throw mismatch(of: value, with: "a floating-point number") }
    return value.float
  }
}

extension Double: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> Double {
    guard value.isDouble else { throw mismatch(of: value, with: "a floating-point number") }
    return value.double
  }
}

extension NSNumber: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> Self {
    guard let number = try scalar(of: value) as? Self else { throw mismatch(of: value, with: "of the class \(Self.self)") }
    return number
  }
}

/// Integers are converted from numbers of any kind like `NSNumber` does: truncated towards zero and to their low bits.
extension UInt8: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> UInt8 { try scalar(of: value).uint8Value }
}

extension Int8: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> Int8 { try scalar(of: value).int8Value }
}

extension Int16: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> Int16 { try scalar(of: value).int16Value }
}

extension Int32: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> Int32 { try scalar(of: value).int32Value }
}

extension Int64: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> Int64 { try scalar(of: value).int64Value }
}

extension Int: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> Int { try scalar(of: value).intValue }
}

extension UInt16: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> UInt16 { try scalar(of: value).uint16Value }
}

extension UInt32: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> UInt32 { try scalar(of: value).uint32Value }
}

extension UInt64: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> UInt64 { try scalar(of: value).uint64Value }
}

extension UInt: ValueConstructible, ValueSequenceConstructible {
  public static func from(_ value: Value) throws -> UInt { try scalar(of: value).uintValue }
}

/// The number of any kind that `value` holds.
private func scalar(of value: Value) throws -> NSNumber {
  guard let number = value.scalar else { throw mismatch(of: value, with: "a number") }
  return number
}

private func mismatch(of value: Value, with expected: String) -> NSError {
  Error(code: .invalidType, description: "The value is \(value.tag), not \(expected)")
}
