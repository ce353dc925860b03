/// The element type of a tensor.
///
/// Raw values are shared with the C kernels (`mk_dtype` in `martlet_dtype.h`) and must not change.
package enum DType: UInt8, Sendable, Hashable, CaseIterable {
  case float32 = 0
  case float64 = 1
  case float16 = 2
  case bfloat16 = 3
  case int8 = 4
  case int16 = 5
  case int32 = 6
  case int64 = 7
  case uint8 = 8
  case uint16 = 9
  case uint32 = 10
  case uint64 = 11
  case bool = 12
  case complex64 = 13
  case complex128 = 14

  /// Size of one element in bytes.
  @inlinable
  package var byteCount: Int {
    switch self {
    case .int8, .uint8, .bool: 1
    case .float16, .bfloat16, .int16, .uint16: 2
    case .float32, .int32, .uint32: 4
    case .float64, .int64, .uint64, .complex64: 8
    case .complex128: 16
    }
  }

  @inlinable
  package var isFloatingPoint: Bool {
    switch self {
    case .float32, .float64, .float16, .bfloat16: true
    default: false
    }
  }

  @inlinable
  package var isComplex: Bool { self == .complex64 || self == .complex128 }

  /// Whether the type is an integer type; `bool` is not.
  @inlinable
  package var isInteger: Bool {
    switch self {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: true
    default: false
    }
  }

  @inlinable
  package var isUnsigned: Bool {
    switch self {
    case .uint8, .uint16, .uint32, .uint64, .bool: true
    default: false
    }
  }

  /// The name used by NumPy and PyTorch, for messages and dumps.
  package var name: String {
    switch self {
    case .float32: "float32"
    case .float64: "float64"
    case .float16: "float16"
    case .bfloat16: "bfloat16"
    case .int8: "int8"
    case .int16: "int16"
    case .int32: "int32"
    case .int64: "int64"
    case .uint8: "uint8"
    case .uint16: "uint16"
    case .uint32: "uint32"
    case .uint64: "uint64"
    case .bool: "bool"
    case .complex64: "complex64"
    case .complex128: "complex128"
    }
  }
}

extension DType: CustomStringConvertible {
  package var description: String { name }
}
