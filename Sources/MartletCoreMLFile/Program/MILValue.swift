package import MartletBytes
import MartletTensor

/// A value known before the program runs: a constant, an immediate argument or an attribute.
package indirect enum MILValue: Sendable {
  case tensor(MILTensor)
  case list([MILValue], element: MILType)
  case tuple([MILValue])
  case dictionary([(key: MILValue, value: MILValue)])

  package var tensor: MILTensor? {
    if case .tensor(let tensor) = self { tensor } else { nil }
  }

  /// The string of a one-element string tensor.
  package var string: String? {
    guard let strings = tensor?.strings, strings.count == 1 else { return nil }
    return strings[0]
  }

  package var type: MILType {
    switch self {
    case .tensor(let tensor): .tensor(MILTensorType(tensor.dataType, tensor.shape.map { .constant($0) }))
    case .list(let values, let element): .list(element: element, length: .constant(values.count))
    case .tuple(let values): .tuple(values.map(\.type))
    case .dictionary(let pairs):
      .dictionary(
        key: pairs.first?.key.type ?? .tensor(MILTensorType(.string, [])),
        value: pairs.first?.value.type ?? .tensor(MILTensorType(.string, [])))
    }
  }
}

/// The elements of a constant tensor in row-major order, checked against shape and type.
package struct MILTensor: Sendable {
  /// The location of the elements in a weight file.
  package struct Source: Sendable, Hashable {
    /// Relative to the folder of the model.
    package let path: String
    /// Offset of the record that describes the data.
    package let recordOffset: UInt64
  }

  package let dataType: MILDataType
  /// Empty for a scalar.
  package let shape: [Int]
  /// The product of `shape`.
  package let elementCount: Int
  /// Packed elements, little-endian, without padding (`MILDataType.bitCount`). A `bool` is a byte of 0 or 1 (other values occur in
  /// damaged files and count as true). Elements in a weight file stay mapped. Exactly the bytes of the elements; empty for strings.
  package let data: ByteView
  /// The elements of a `string` tensor; empty for other types.
  package let strings: [String]
  /// `nil` for values stored in the program itself.
  package let source: Source?

  init(dataType: MILDataType, shape: [Int], elementCount: Int, data: ByteView, strings: [String] = [], source: Source? = nil) {
    self.dataType = dataType
    self.shape = shape
    self.elementCount = elementCount
    self.data = data
    self.strings = strings
    self.source = source
  }

  package var isScalar: Bool { shape.isEmpty }
}

extension MILTensor {
  /// The elements as integers; `nil` for types other than integers and `bool`, and if a uint64 exceeds Int64.
  package var integers: [Int64]? {
    guard dataType.isInteger || dataType == .bool else { return nil }
    switch dataType {
    case .bool: return elements(UInt8.self) { $0 == 0 ? 0 : 1 }
    case .int8: return elements(Int8.self) { Int64(widening: $0) }
    case .int16: return elements(Int16.self) { Int64(widening: $0) }
    case .int32: return elements(Int32.self) { Int64(widening: $0) }
    case .int64: return elements(Int64.self) { $0 }
    case .uint8: return elements(UInt8.self) { Int64(widening: $0) }
    case .uint16: return elements(UInt16.self) { Int64(widening: $0) }
    case .uint32: return elements(UInt32.self) { Int64(widening: $0) }
    case .uint64:
      let values = elements(UInt64.self) { $0 }
      guard values.allSatisfy({ $0 <= UInt64(clamping: Int64.max) }) else { return nil }
      return values.map { Int64(clamping: $0) }
    case .int4: return packedElements(bitCount: 4).map { $0 < 8 ? $0 : $0 - 16 }
    case .uint1, .uint2, .uint3, .uint4, .uint6: return packedElements(bitCount: dataType.bitCount ?? 8)
    default: return nil
    }
  }

  /// The exact elements of a floating-point type; `nil` for other types.
  package var doubles: [Double]? {
    switch dataType {
    case .float64: elements(UInt64.self) { Double(bitPattern: $0) }
    case .float32: elements(UInt32.self) { Double(Float(bitPattern: $0)) }
    case .float16: elements(UInt16.self) { SmallFloat.float16.value(ofBits: UInt32(widening: $0)) }
    case .bfloat16: elements(UInt16.self) { Double(Float(bitPattern: UInt32(widening: $0) << 16)) }
    case .float8E4M3FN: elements(UInt8.self) { SmallFloat.float8E4M3FN.value(ofBits: UInt32(widening: $0)) }
    case .float8E5M2: elements(UInt8.self) { SmallFloat.float8E5M2.value(ofBits: UInt32(widening: $0)) }
    default: nil
    }
  }

  /// The elements of a `bool` tensor; `nil` for other types.
  package var booleans: [Bool]? {
    dataType == .bool ? elements(UInt8.self) { $0 != 0 } : nil
  }

  private func elements<Element: FixedWidthInteger & BitwiseCopyable, Value>(
    _ type: Element.Type, _ convert: (Element) -> Value
  ) -> [Value] {
    let size = MemoryLayout<Element>.size
    return unsafe data.withUnsafeBytes { bytes in
      // `data` has exactly `elementCount` elements, as checked by the callers of the initialisers.
      (0..<min(elementCount, bytes.count / size)).map { index in
        // In range: bytes in memory.
        convert(Element(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: index * size, as: Element.self)))
      }
    }
  }

  private func packedElements(bitCount: Int) -> [Int64] {
    let bytes = data.array
    return (0..<elementCount).map { index in
      // In range: bits of bytes that are mapped or held in memory; a mapping has less than 2^47 bytes.
      let bit = index * bitCount
      var window = UInt16(widening: bytes[bit / 8])
      if bit % 8 + bitCount > 8 { window |= UInt16(widening: bytes[bit / 8 + 1]) << 8 }
      return Int64(widening: window >> UInt16(clamping: bit % 8) & ((1 << UInt16(clamping: bitCount)) - 1))
    }
  }
}
