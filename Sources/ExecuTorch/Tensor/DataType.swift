package import Martlet

/// The element type of a tensor. Raw values are those of the ExecuTorch file format.
public enum DataType: Int8, Sendable, Hashable {
  case byte, char, short, int, long
  case half, float, double
  case complexHalf, complexFloat, complexDouble
  case bool
  case qInt8, quInt8, qInt32
  case bFloat16
  case quInt4x2, quInt2x4
  case bits1x8, bits2x4, bits4x2, bits8, bits16
  case float8_e5m2, float8_e4m3fn, float8_e5m2fnuz, float8_e4m3fnuz
  case uInt16, uInt32, uInt64
  case undefined
  /// The number of types, including `undefined`. Not a type itself.
  case numOptions
}

/// Describes whether a tensor's shape may change.
public enum ShapeDynamism: UInt8, Sendable, Hashable {
  /// The shape is fixed.
  case `static`
  /// The shape may change up to the number of elements that the tensor was created with.
  case dynamicBound
  /// The shape may change. Because tensors have no allocator, the bound is the same as for `dynamicBound`.
  case dynamicUnbound
}

/// Size of one element in bytes. Passing `.undefined` or `.numOptions` is a programming error.
public func size(ofDataType dataType: DataType) -> Int {
  guard let size = dataType.elementSize else { fatalError("\(dataType) is not the type of an element") }
  return size
}

/// The product of the extents; 1 for an empty shape. A product that overflows `Int` is a programming error.
public func elementCount(ofShape shape: [Int]) -> Int {
  shape.reduce(1, *)
}

extension DataType {
  /// Size of one element in bytes; nil for `.undefined` and `.numOptions`.
  var elementSize: Int? {
    switch self {
    case .byte, .char, .bool, .qInt8, .quInt8, .quInt4x2, .quInt2x4, .bits1x8, .bits2x4, .bits4x2, .bits8,
      .float8_e5m2, .float8_e4m3fn, .float8_e5m2fnuz, .float8_e4m3fnuz:
      1
    case .short, .uInt16, .half, .bFloat16, .bits16: 2
    case .int, .uInt32, .float, .complexHalf, .qInt32: 4
    case .long, .uInt64, .double, .complexFloat: 8
    case .complexDouble: 16
    case .undefined, .numOptions: nil
    }
  }

  /// The engine's data type; nil for types that the engine does not compute with.
  package var dtype: DType? {
    switch self {
    case .byte: .uint8
    case .char: .int8
    case .short: .int16
    case .int: .int32
    case .long: .int64
    case .half: .float16
    case .float: .float32
    case .double: .float64
    case .complexFloat: .complex64
    case .complexDouble: .complex128
    case .bool: .bool
    case .bFloat16: .bfloat16
    case .uInt16: .uint16
    case .uInt32: .uint32
    case .uInt64: .uint64
    default: nil
    }
  }

  /// The data type that corresponds to the engine's `dtype`.
  package init(_ dtype: DType) {
    self =
      switch dtype {
      case .uint8: .byte
      case .int8: .char
      case .int16: .short
      case .int32: .int
      case .int64: .long
      case .float16: .half
      case .float32: .float
      case .float64: .double
      case .complex64: .complexFloat
      case .complex128: .complexDouble
      case .bool: .bool
      case .bfloat16: .bFloat16
      case .uint16: .uInt16
      case .uint32: .uInt32
      case .uint64: .uInt64
      }
  }

  /// Name in descriptions of tensors.
  var descriptiveName: String {
    switch self {
    case .qInt8, .quInt8, .qInt32, .bFloat16, .quInt4x2, .quInt2x4, .uInt16, .uInt32, .uInt64: "\(self)".lowercased()
    case .numOptions: "undefined"
    default: "\(self)"
    }
  }
}
