import Martlet
import MartletTensor

extension Tensor {
  /// The elements as doubles in row-major order: booleans as 0 and 1, complex numbers as their real parts. Integers beyond 2^53 are
  /// rounded.
  var doubles: [Double] { host.numbers }

  /// Creates a tensor of an element type from numbers; floating-point types round to nearest.
  /// - Throws: `CommandFailure` if a number is out of range, `MartletError` if the count does not match the shape.
  init(_ numbers: [Double], as dataType: DataType, shape: [Int]) throws {
    func integers<Integer: FixedWidthInteger & TensorElement>(_ type: Integer.Type) throws -> Tensor {
      try Tensor(
        numbers.map { number in
          guard let integer = Integer(exactly: number) else {
            throw CommandFailure("\(Formatting.element(number)) is not a value of type \(dataType.rawValue)")
          }
          return integer
        }, shape: shape)
    }
    switch dataType {
    case .float32: self = try Tensor(numbers.map { Float($0) }, shape: shape)
    case .float64: self = try Tensor(numbers, shape: shape)
    case .float16: self = try Tensor(numbers.map { Float16($0) }, shape: shape)
    case .bfloat16:
      var tensor = try Tensor(zeros: .bfloat16, shape: shape)
      guard tensor.elementCount == numbers.count else {
        throw MartletError.invalidInput("\(numbers.count) elements do not fill the shape \(shape)")
      }
      unsafe tensor.withUnsafeMutableBytes { bytes in
        let elements = unsafe bytes.bindMemory(to: UInt16.self)
        for (index, number) in numbers.enumerated() { unsafe elements[index] = Self.bfloat16Bits(Float(number)) }
      }
      self = tensor
    case .int8: self = try integers(Int8.self)
    case .int16: self = try integers(Int16.self)
    case .int32: self = try integers(Int32.self)
    case .int64: self = try integers(Int64.self)
    case .uint8: self = try integers(UInt8.self)
    case .uint16: self = try integers(UInt16.self)
    case .uint32: self = try integers(UInt32.self)
    case .uint64: self = try integers(UInt64.self)
    case .bool: self = try Tensor(numbers.map { $0 != 0 }, shape: shape)
    case .complex64, .complex128: throw CommandFailure("\(dataType.rawValue) inputs can only be given as .npy files")
    }
  }

  /// Rounded to nearest, ties to even.
  private static func bfloat16Bits(_ value: Float) -> UInt16 {
    if value.isNaN { return 0x7FC0 }
    let bits = value.bitPattern
    return UInt16(truncatingIfNeeded: (UInt64(bits) + 0x7FFF + UInt64(bits >> 16 & 1)) >> 16)
  }

  /// Converts the tensor to another element type of the same kind: floating-point to floating-point, or integer to integer.
  /// - Throws: `CommandFailure` if the kinds differ or an integer is out of range.
  func converted(to target: DataType) throws -> Tensor {
    if target == dataType { return self }
    guard dataType.sort == target.sort, let sort = target.sort else {
      throw CommandFailure("it holds \(dataType.rawValue) elements, the input takes \(target.rawValue)")
    }
    // Integers that doubles cannot represent must not be rounded silently.
    if sort == .integer, doubles.contains(where: { abs($0) > 0x1p53 }) {
      throw CommandFailure("it holds \(dataType.rawValue) elements too large to convert to \(target.rawValue)")
    }
    return try Tensor(doubles, as: target, shape: shape)
  }
}

extension DataType {
  enum Sort { case floating, integer }

  /// nil for types without conversions.
  var sort: Sort? {
    switch self {
    case .float32, .float64, .float16, .bfloat16: .floating
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: .integer
    case .bool, .complex64, .complex128: nil
    }
  }
}
