import MartletTensor

/// The element type of a value in an ML Program.
package enum MILDataType: String, Sendable, Hashable, CaseIterable {
  case bool
  case string
  case float8E4M3FN, float8E5M2
  case float16, bfloat16, float32, float64
  case int4, int8, int16, int32, int64
  case uint1, uint2, uint3, uint4, uint6, uint8, uint16, uint32, uint64

  /// Bits of one stored element; 8 for `bool`, `nil` for `string`.
  ///
  /// Elements narrower than a byte form a bit stream, least significant bit of a byte first; 3-bit and 6-bit elements cross byte
  /// boundaries.
  package var bitCount: Int? {
    switch self {
    case .string: nil
    case .uint1: 1
    case .uint2: 2
    case .uint3: 3
    case .int4, .uint4: 4
    case .uint6: 6
    case .bool, .int8, .uint8, .float8E4M3FN, .float8E5M2: 8
    case .float16, .bfloat16, .int16, .uint16: 16
    case .float32, .int32, .uint32: 32
    case .float64, .int64, .uint64: 64
    }
  }

  package var isFloat: Bool {
    switch self {
    case .float8E4M3FN, .float8E5M2, .float16, .bfloat16, .float32, .float64: true
    default: false
    }
  }

  /// The values of all 256 bytes of an 8-bit floating-point type; `nil` for other types.
  package var valuesOfFloat8: [Double]? {
    switch self {
    case .float8E4M3FN: (0..<256).map { SmallFloat.float8E4M3FN.value(ofBits: $0) }
    case .float8E5M2: (0..<256).map { SmallFloat.float8E5M2.value(ofBits: $0) }
    default: nil
    }
  }

  /// True for signed and unsigned integers of every width; false for `bool`.
  package var isInteger: Bool { !isFloat && self != .bool && self != .string }

  /// Size of `elementCount` elements in bytes, rounded up; `nil` for strings and on overflow.
  package func byteCount(elementCount: Int) -> Int? {
    guard let bitCount else { return nil }
    guard elementCount >= 0 else { return nil }
    return (Extent(elementCount) * bitCount).dividedRoundingUp(by: 8).value
  }

  /// Name in the text form of programs (`fp16`, `int32`).
  package var textName: String {
    switch self {
    case .float16: "fp16"
    case .bfloat16: "bf16"
    case .float32: "fp32"
    case .float64: "fp64"
    case .float8E4M3FN: "fp8e4m3fn"
    case .float8E5M2: "fp8e5m2"
    default: rawValue
    }
  }

  package init?(textName: some StringProtocol) {
    switch textName {
    case "fp16": self = .float16
    case "bf16": self = .bfloat16
    case "fp32": self = .float32
    case "fp64": self = .float64
    case "fp8e4m3fn", "f8e4m3fn": self = .float8E4M3FN
    case "fp8e5m2", "f8e5m2": self = .float8E5M2
    default:
      guard let type = MILDataType(rawValue: String(textName)), type.textName == textName else { return nil }
      self = type
    }
  }
}
