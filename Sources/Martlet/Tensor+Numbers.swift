import MartletTensor

extension Tensor {
  /// The elements as doubles in row-major order: booleans as 0 and 1, complex numbers as their real parts. Integers beyond 2^53 are
  /// rounded.
  public var doubles: [Double] { host.numbers }

  /// Creates a tensor of an element type from numbers; floating-point types round to nearest.
  /// - Throws: `MartletError.invalidInput` if the count does not match the shape, a number is not a value of an integer type, or the type
  ///   is complex.
  public init(_ numbers: [Double], as dataType: DataType, shape: [Int]) throws {
    func integers<Integer: FixedWidthInteger & TensorElement>(_ type: Integer.Type) throws -> Tensor {
      try Tensor(
        numbers.map { number in
          guard let integer = Integer(exactly: number) else {
            throw MartletError.invalidInput("\(number) is not a value of type \(dataType.rawValue)")
          }
          return integer
        }, shape: shape)
    }
    switch dataType {
    case .float32: self = try Tensor(numbers.map { Float($0) }, shape: shape)
    case .float64: self = try Tensor(numbers, shape: shape)
    case .float16: self = try Tensor(numbers.map { Float16($0) }, shape: shape)
    case .bfloat16:
      guard let host = HostTensor(numbers.map { .double($0) }, dtype: .bfloat16, shape: shape) else {
        throw MartletError.invalidInput("\(numbers.count) elements do not fill the shape \(shape)")
      }
      self.init(host)
    case .int8: self = try integers(Int8.self)
    case .int16: self = try integers(Int16.self)
    case .int32: self = try integers(Int32.self)
    case .int64: self = try integers(Int64.self)
    case .uint8: self = try integers(UInt8.self)
    case .uint16: self = try integers(UInt16.self)
    case .uint32: self = try integers(UInt32.self)
    case .uint64: self = try integers(UInt64.self)
    case .bool: self = try Tensor(numbers.map { $0 != 0 }, shape: shape)
    case .complex64, .complex128: throw MartletError.invalidInput("numbers cannot be converted to \(dataType.rawValue)")
    }
  }

  /// Converts the tensor to another element type of the same kind: floating-point to floating-point, or integer to integer.
  /// - Throws: `MartletError.invalidInput` if the kinds differ or an integer is out of range.
  public func converted(to target: DataType) throws -> Tensor {
    if target == dataType { return self }
    guard dataType.isFloatingPoint && target.isFloatingPoint || dataType.isInteger && target.isInteger else {
      throw MartletError.invalidInput("\(dataType.rawValue) elements cannot be converted to \(target.rawValue)")
    }
    // Integers that doubles cannot represent must not be rounded silently.
    if dataType.isInteger, doubles.contains(where: { abs($0) > 0x1p53 }) {
      throw MartletError.invalidInput("\(dataType.rawValue) elements are too large to convert to \(target.rawValue)")
    }
    return try Tensor(doubles, as: target, shape: shape)
  }
}

extension DataType {
  public var isFloatingPoint: Bool {
    switch self {
    case .float16, .float32, .float64, .bfloat16: true
    default: false
    }
  }

  /// True for signed and unsigned integers, false for booleans.
  public var isInteger: Bool {
    switch self {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: true
    default: false
    }
  }
}
