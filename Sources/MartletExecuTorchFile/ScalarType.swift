package import MartletBytes

/// The element type of a stored tensor.
///
/// Source: `scalar_type.fbs` of ExecuTorch. Raw values are those of the file format and equal PyTorch's `c10::ScalarType`.
package enum ScalarType: Int8, Sendable, Hashable, CaseIterable {
  case uint8 = 0
  case int8 = 1
  case int16 = 2
  case int32 = 3
  case int64 = 4
  case float16 = 5
  case float32 = 6
  case float64 = 7
  case complex32 = 8
  case complex64 = 9
  case complex128 = 10
  case bool = 11
  case qint8 = 12
  case quint8 = 13
  case qint32 = 14
  case bfloat16 = 15
  case quint4x2 = 16
  case quint2x4 = 17
  case bits1x8 = 18
  case bits2x4 = 19
  case bits4x2 = 20
  case bits8 = 21
  case bits16 = 22
  case float8e5m2 = 23
  case float8e4m3fn = 24
  case float8e5m2fnuz = 25
  case float8e4m3fnuz = 26
  case uint16 = 27
  case uint32 = 28
  case uint64 = 29

  /// Size of one element in bytes; `nil` for types that pack several elements into a byte.
  package var byteCount: Int? {
    switch self {
    case .uint8, .int8, .bool, .qint8, .quint8, .bits8, .float8e5m2, .float8e4m3fn, .float8e5m2fnuz, .float8e4m3fnuz: 1
    case .int16, .float16, .bfloat16, .bits16, .uint16: 2
    case .int32, .float32, .complex32, .qint32, .uint32: 4
    case .int64, .float64, .complex64, .uint64: 8
    case .complex128: 16
    case .quint4x2, .quint2x4, .bits1x8, .bits2x4, .bits4x2: nil
    }
  }
}

extension FlatBufferTable {
  /// The scalar type in `slot`.
  ///
  /// - Throws: `FileError` if the value is not a known scalar type.
  package func scalarType(_ slot: Int, _ name: StaticString = "scalar_type") throws(FileError) -> ScalarType {
    let number: Int8 = try integer(slot, name)
    guard let type = ScalarType(rawValue: number) else { throw error("\(number) is not a known scalar type", field: name) }
    return type
  }
}
