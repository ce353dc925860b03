/// The value of an element during a conversion between types.
enum ElementNumber {
  case integer(Int64)
  case unsigned(UInt64)
  case real(Double)
}

/// The memory representation of elements of one data type. Conversions are those of a C cast.
protocol TensorElement: BitwiseCopyable {
  init(_ number: ElementNumber)
  var number: ElementNumber { get }
}

/// Wider integers are truncated to their low bits. Reals are truncated towards zero and clamped to the range of the type; NaN becomes 0.
extension TensorElement where Self: FixedWidthInteger {
  init(_ number: ElementNumber) {
    switch number {
    case .integer(let value): self.init(truncatingIfNeeded: value)
    case .unsigned(let value): self.init(truncatingIfNeeded: value)
    case .real(let value):
      let whole = value.rounded(.towardZero)
      self = Self(exactly: whole) ?? (whole > 0 ? .max : whole < 0 ? .min : 0)
    }
  }

  var number: ElementNumber { .integer(Int64(truncatingIfNeeded: self)) }
}

extension UInt8: TensorElement {}
extension Int8: TensorElement {}
extension Int16: TensorElement {}
extension Int32: TensorElement {}
extension Int64: TensorElement {}
extension UInt16: TensorElement {}
extension UInt32: TensorElement {}

extension UInt64: TensorElement {
  var number: ElementNumber { .unsigned(self) }
}

extension Float: TensorElement {
  init(_ number: ElementNumber) {
    switch number {
    case .integer(let value): self = Float(value)
    case .unsigned(let value): self = Float(value)
    case .real(let value): self = Float(value)
    }
  }

  var number: ElementNumber { .real(Double(self)) }
}

extension Double: TensorElement {
  init(_ number: ElementNumber) {
    switch number {
    case .integer(let value): self = Double(value)
    case .unsigned(let value): self = Double(value)
    case .real(let value): self = value
    }
  }

  var number: ElementNumber { .real(self) }
}

extension Float16: TensorElement {
  /// Converts by way of `Float`, as the ExecuTorch runtime does.
  init(_ number: ElementNumber) { self = Float16(Float(number)) }
  var number: ElementNumber { .real(Double(self)) }
}

/// bfloat16: the upper half of a `Float`.
struct BFloat16: TensorElement {
  let bits: UInt16

  /// Rounds to nearest, ties to even; NaN stays NaN.
  init(_ number: ElementNumber) {
    let value = Float(number)
    let pattern = value.bitPattern
    bits = value.isNaN ? 0x7fc0 : UInt16(truncatingIfNeeded: (pattern &+ 0x7fff &+ ((pattern >> 16) & 1)) >> 16)
  }

  var number: ElementNumber { .real(Double(Float(bitPattern: UInt32(bits) << 16))) }
}

/// A byte that is 1 or 0; any nonzero byte is read as true.
struct BooleanElement: TensorElement {
  let byte: UInt8

  init(_ number: ElementNumber) {
    byte =
      switch number {
      case .integer(let value): value == 0 ? 0 : 1
      case .unsigned(let value): value == 0 ? 0 : 1
      case .real(let value): value == 0 ? 0 : 1
      }
  }

  var number: ElementNumber { .integer(byte == 0 ? 0 : 1) }
}

/// An operation on elements whose type is known only at run time.
protocol ElementOperation {
  associatedtype Result
  func callAsFunction<Element: TensorElement>(_ element: Element.Type) -> Result
}

extension DataType {
  /// Calls `operation` with the representation of this type; nil for complex, quantized, bit and 8-bit floating-point types.
  func withElement<Operation: ElementOperation>(_ operation: Operation) -> Operation.Result? {
    switch self {
    case .byte: operation(UInt8.self)
    case .char: operation(Int8.self)
    case .short: operation(Int16.self)
    case .int: operation(Int32.self)
    case .long: operation(Int64.self)
    case .half: operation(Float16.self)
    case .float: operation(Float.self)
    case .double: operation(Double.self)
    case .bool: operation(BooleanElement.self)
    case .bFloat16: operation(BFloat16.self)
    case .uInt16: operation(UInt16.self)
    case .uInt32: operation(UInt32.self)
    case .uInt64: operation(UInt64.self)
    default: nil
    }
  }

  /// Same as `withElement`; a type without a numeric representation is a programming error.
  func withNumericElement<Operation: ElementOperation>(_ operation: Operation) -> Operation.Result {
    guard let result = withElement(operation) else { fatalError("Elements of type \(descriptiveName) are not numbers") }
    return result
  }
}
