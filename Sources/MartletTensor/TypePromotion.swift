/// PyTorch's type promotion (torch.result_type; "tensor attributes", section on type promotion).
package enum TypePromotion {
  /// Priority of an operand: a tensor of rank at least 1 outranks a rank-0 tensor, which outranks a scalar.
  package enum Priority: Int, Sendable, Comparable {
    case number, zeroRank, tensor
    package static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
  }

  /// The promoted dtype of two dtypes of equal priority.
  package static func promote(_ a: DType, _ b: DType) -> DType {
    if a == b { return a }
    if a.isComplex || b.isComplex {
      return a == .complex128 || b == .complex128 || a == .float64 || b == .float64 ? .complex128 : .complex64
    }
    if a.isFloatingPoint || b.isFloatingPoint {
      guard a.isFloatingPoint, b.isFloatingPoint else { return a.isFloatingPoint ? a : b }
      if a == .float64 || b == .float64 { return .float64 }
      return .float32  // float32 with anything, or float16 with bfloat16
    }
    if a == .bool { return b }
    if b == .bool { return a }
    if a.isUnsigned == b.isUnsigned { return a.byteCount >= b.byteCount ? a : b }
    let (signed, unsigned) = a.isUnsigned ? (b, a) : (a, b)
    if signed.byteCount > unsigned.byteCount { return signed }
    switch unsigned {
    case .uint8: return .int16
    case .uint16: return .int32
    case .uint32: return .int64
    default: return .float32
    }
  }

  /// The result dtype of an operation on operands of different priorities. Scalars count as int64, float32 (the default float type) or
  /// bool.
  package static func result(_ operands: [(dtype: DType, priority: Priority)]) -> DType? {
    func combined(_ priority: Priority) -> DType? {
      operands.lazy.filter { $0.priority == priority }.map(\.dtype).reduce(nil) { sofar, dtype in
        sofar.map { promote($0, dtype) } ?? dtype
      }
    }
    func category(_ dtype: DType) -> Int { dtype == .bool ? 0 : dtype.isInteger ? 1 : dtype.isFloatingPoint ? 2 : 3 }
    var result: DType?
    for priority in [Priority.tensor, .zeroRank, .number] {
      guard let candidate = combined(priority) else { continue }
      guard let current = result else {
        result = candidate
        continue
      }
      // A weaker operand matters only if it belongs to a higher category (bool < integer < float < complex).
      if category(candidate) > category(current) {
        result = candidate == .complex64 && current == .float64 ? .complex128 : candidate
      }
    }
    return result
  }
}
