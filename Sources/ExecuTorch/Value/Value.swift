public import Foundation

/// The kind of a `Value`.
public enum ValueTag: UInt32, Sendable, Hashable {
  case none, tensor, string, double, integer, boolean
}

public typealias ScalarValue = NSNumber
public typealias StringValue = String
public typealias BoolValue = Bool
public typealias IntegerValue = Int
public typealias DoubleValue = Double
public typealias FloatValue = Float

/// An input or output of a method: a tensor, a string, a number or none.
public final class Value: NSObject, NSCopying {
  private enum Content: Hashable {
    case none
    case tensor(AnyTensor)
    case string(String)
    /// Numbers are kept as the objects they were created from, without loss of precision.
    case double(NSNumber)
    case integer(NSNumber)
    case boolean(NSNumber)
  }

  private let content: Content

  private init(content: Content) {
    self.content = content
    super.init()
  }

  /// A value of kind `.none`.
  public override convenience init() { self.init(content: .none) }
  public convenience init(_ value: AnyTensor) { self.init(content: .tensor(value)) }
  public convenience init<T: Scalar>(_ tensor: Tensor<T>) { self.init(tensor.anyTensor) }
  public convenience init(_ value: StringValue) { self.init(content: .string(value)) }
  public convenience init(_ value: BoolValue) { self.init(content: .boolean(NSNumber(value: value))) }
  public convenience init(_ value: IntegerValue) { self.init(content: .integer(NSNumber(value: value))) }
  public convenience init(_ value: DoubleValue) { self.init(content: .double(NSNumber(value: value))) }
  /// A value with the tag `.double`, which all floating-point numbers share.
  public convenience init(_ value: FloatValue) { self.init(content: .double(NSNumber(value: value))) }

  /// A boolean, an integer or a floating-point number, depending on how the object was created.
  public convenience init(_ value: ScalarValue) {
    // Booleans have a class of their own; the type encoding distinguishes reals from integers.
    if type(of: value) == type(of: NSNumber(value: true)) {
      self.init(content: .boolean(value))
    } else {
      let encoding = unsafe UInt8(bitPattern: value.objCType.pointee)
      let isReal = encoding == UInt8(ascii: "f") || encoding == UInt8(ascii: "d")
      self.init(content: isReal ? .double(value) : .integer(value))
    }
  }

  public var tag: ValueTag {
    switch content {
    case .none: .none
    case .tensor: .tensor
    case .string: .string
    case .double: .double
    case .integer: .integer
    case .boolean: .boolean
    }
  }

  public var isNone: Bool { tag == .none }
  public var isTensor: Bool { tag == .tensor }
  public var isString: Bool { tag == .string }
  /// Whether the value is a boolean, an integer or a floating-point number.
  public var isScalar: Bool { scalar != nil }
  public var isBoolean: Bool { tag == .boolean }
  public var isInteger: Bool { tag == .integer }
  public var isDouble: Bool { tag == .double }
  /// The same as `isDouble`.
  public var isFloat: Bool { tag == .double }

  /// The tensor; nil for other kinds.
  public var anyTensor: AnyTensor? {
    if case .tensor(let tensor) = content { tensor } else { nil }
  }

  /// The tensor with elements of type `T`; nil for other kinds, or if the elements have another type.
  public func tensor<T: Scalar>() -> Tensor<T>? { anyTensor?.asTensor() }

  /// The string; nil for other kinds.
  public var string: StringValue? {
    if case .string(let string) = content { string } else { nil }
  }

  /// The number, of any kind; nil for other kinds of value.
  public var scalar: ScalarValue? {
    switch content {
    case .double(let number), .integer(let number), .boolean(let number): number
    default: nil
    }
  }

  /// The boolean; false for other kinds.
  public var boolean: BoolValue {
    if case .boolean(let number) = content { number.boolValue } else { false }
  }

  /// The integer; 0 for other kinds.
  public var integer: IntegerValue {
    if case .integer(let number) = content { number.intValue } else { 0 }
  }

  /// The floating-point number; 0 for other kinds.
  public var double: DoubleValue {
    if case .double(let number) = content { number.doubleValue } else { 0 }
  }

  /// The floating-point number in single precision; 0 for other kinds.
  public var float: FloatValue {
    if case .double(let number) = content { number.floatValue } else { 0 }
  }

  /// A copy; a tensor is copied deeply.
  public func copy() -> Value {
    anyTensor.map { Value($0.copy()) } ?? Value(content: content)
  }

  public func copy(with zone: NSZone?) -> Any { copy() as Value }

  /// The inherited method. Without this attribute, calls of the typed method would be ambiguous.
  @_disfavoredOverload
  public override func copy() -> Any { copy() as Value }

  /// Values are equal if they have the same tag and equal contents.
  public func isEqual(to other: Value?) -> Bool { content == other?.content }

  public override func isEqual(_ object: Any?) -> Bool {
    (object as? Value).map(isEqual(to:)) ?? false
  }

  public override var hash: Int { content.hashValue }

  public override var description: String {
    let text =
      switch content {
      case .none: "nil"
      case .tensor(let tensor): tensor.description.replacingOccurrences(of: "\n", with: "\n  ")
      case .string(let string): string.replacingOccurrences(of: "\n", with: "\n  ")
      case .double(let number), .integer(let number), .boolean(let number): number.description
      }
    return "Value {\n  tag: \(tag),\n  value: \(text)\n}"
  }
}
