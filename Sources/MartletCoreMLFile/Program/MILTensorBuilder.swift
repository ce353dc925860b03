import MartletBytes
import MartletTensor

/// Creates constant tensors of `type` from elements in the program itself, and checks their number.
struct MILTensorBuilder {
  let type: MILTensorType
  /// Path of the file, for errors.
  let path: String
  /// The extents of nested lists in the text form, for types with unknown extents.
  var actualShape: [Int]?

  private func error(_ reason: String) -> FileError { FileError(file: path, field: "", reason: reason) }

  func strings(_ values: [String]) throws(FileError) -> MILTensor {
    MILTensor(dataType: .string, shape: try shape(elementCount: values.count), elementCount: values.count, data: .empty, strings: values)
  }

  /// Elements of the same width as those of the type.
  func elements<Element: FixedWidthInteger & BitwiseCopyable>(_ values: [Element]) throws(FileError) -> MILTensor {
    guard type.dataType.bitCount == Element.bitWidth else { throw error("the values are not as wide as the type, \(type)") }
    let little = values.map(\.littleEndian)
    return try tensor(elementCount: values.count, bytes: unsafe little.withUnsafeBytes { unsafe [UInt8]($0) })
  }

  /// Integers, packed to the width of the type; `uint64` by bit pattern.
  func integers(_ values: [Int64]) throws(FileError) -> MILTensor {
    let range: ClosedRange<Int64> =
      switch type.dataType {
      case .bool, .uint1: 0...1
      case .uint2: 0...3
      case .uint3: 0...7
      case .uint4: 0...15
      case .uint6: 0...63
      case .uint8: 0...255
      case .uint16: 0...65535
      case .uint32: 0...Int64(widening: UInt32.max)
      case .int4: -8...7
      case .int8: -128...127
      case .int16: -32768...32767
      case .int32: Int64(widening: Int32.min)...Int64(widening: Int32.max)
      case .int64, .uint64: .min ... .max
      case .string, .float8E4M3FN, .float8E5M2, .float16, .bfloat16, .float32, .float64:
        throw error("an integer is not a value of type \(type)")
      }
    if let outside = values.first(where: { !range.contains($0) }) { throw error("\(outside) is not a value of \(type.dataType.textName)") }
    switch type.dataType.bitCount {
    case 64: return try elements(values)
    case 32: return try elements(values.map { Int32(truncatingIfNeeded: $0) })
    case 16: return try elements(values.map { Int16(truncatingIfNeeded: $0) })
    case 8: return try elements(values.map { Int8(truncatingIfNeeded: $0) })
    default: return try packed(values.map { UInt8(truncatingIfNeeded: $0) })
    }
  }

  /// Floating-point numbers, rounded to the type.
  func floats(_ values: [Double]) throws(FileError) -> MILTensor {
    switch type.dataType {
    case .float64: try elements(values.map(\.bitPattern))
    case .float32: try elements(values.map { Float($0).bitPattern })
    case .float16: try elements(values.map { UInt16(truncatingIfNeeded: SmallFloat.float16.bits(of: $0)) })
    case .bfloat16: try elements(values.map { UInt16(truncatingIfNeeded: SmallFloat.bfloat16.bits(of: $0)) })
    case .float8E4M3FN: try elements(values.map { UInt8(truncatingIfNeeded: SmallFloat.float8E4M3FN.bits(of: $0)) })
    case .float8E5M2: try elements(values.map { UInt8(truncatingIfNeeded: SmallFloat.float8E5M2.bits(of: $0)) })
    default: throw error("a floating-point number is not a value of type \(type)")
    }
  }

  /// The stored bytes of any type.
  func bytes(_ bytes: [UInt8]) throws(FileError) -> MILTensor {
    guard let bitCount = type.dataType.bitCount else { throw error("bytes cannot represent strings") }
    // If an extent is unknown, the number of elements of a narrow type is ambiguous: assume the maximum.
    var count = bytes.count * 8 / bitCount
    if let shape = actualShape ?? type.shape { count = try checkedProduct(shape) }
    return try tensor(elementCount: count, bytes: bytes)
  }

  private func packed(_ values: [UInt8]) throws(FileError) -> MILTensor {
    guard let width = type.dataType.bitCount, width < 8, let byteCount = type.dataType.byteCount(elementCount: values.count) else {
      throw error("values of type \(type) cannot be packed")
    }
    var bytes = [UInt8](repeating: 0, count: byteCount)
    for (index, value) in values.enumerated() {
      let bits = UInt16(clamping: value) & (1 << UInt16(clamping: width) - 1)
      let shifted = bits << UInt16(truncatingIfNeeded: index * width % 8)
      bytes[index * width / 8] |= UInt8(truncatingIfNeeded: shifted)
      if shifted > 255 { bytes[index * width / 8 + 1] |= UInt8(truncatingIfNeeded: shifted >> 8) }
    }
    return try tensor(elementCount: values.count, bytes: bytes)
  }

  private func tensor(elementCount: Int, bytes: [UInt8]) throws(FileError) -> MILTensor {
    let shape = try shape(elementCount: elementCount)
    guard type.dataType.byteCount(elementCount: elementCount) == bytes.count else {
      throw error("\(bytes.count) bytes do not hold \(elementCount) elements of \(type.dataType.textName)")
    }
    let data = bytes.isEmpty ? ByteView.empty : ByteView(of: MappedFile(copying: bytes, name: path))
    return MILTensor(dataType: type.dataType, shape: shape, elementCount: elementCount, data: data)
  }

  /// The shape of `elementCount` elements. One unknown extent is inferred from their number.
  private func shape(elementCount: Int) throws(FileError) -> [Int] {
    guard let dimensions = type.dimensions else { return actualShape ?? [elementCount] }
    var shape = dimensions.map(\.extent)
    if let actualShape, actualShape.count == shape.count {
      for axis in shape.indices {
        if let extent = shape[axis], extent != actualShape[axis] {
          throw error("lists with extents \(actualShape) do not match the type \(type)")
        }
        shape[axis] = actualShape[axis]
      }
    }
    let known = try checkedProduct(shape.compactMap { $0 })
    switch shape.count(where: { $0 == nil }) {
    case 0:
      guard known == elementCount else { throw error("there are \(elementCount) elements, but the type \(type) has \(known)") }
    case 1 where known > 0 && elementCount % known == 0:
      shape = shape.map { $0 ?? elementCount / known }
    default: throw error("the shape of \(elementCount) elements cannot be inferred from the type \(type)")
    }
    return shape.compactMap { $0 }
  }

  private func checkedProduct(_ extents: [Int]) throws(FileError) -> Int {
    guard let product = elementCount(of: extents) else { throw error("the type \(type) has too many elements") }
    return product
  }
}

/// The product of `extents`; `nil` if one is negative or the product of the nonzero ones overflows.
func elementCount(of extents: [Int]) -> Int? {
  var product: Extent = 1
  for extent in extents where extent != 0 {
    guard extent > 0 else { return nil }
    product *= extent
  }
  return product.isRepresentable && extents.contains(0) ? 0 : product.value
}
