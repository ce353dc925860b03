extension HostTensor {
  /// Creates a tensor from scalars. Floating-point types round to nearest; integer types truncate and clamp.
  ///
  /// - Returns: nil for complex types, or if the count does not match the shape.
  package init?(_ numbers: [Scalar], dtype: DType, shape: [Int]) {
    guard !dtype.isComplex else { return nil }
    self.init(dtype: dtype, shape: shape, bytes: numbers.flatMap { $0.bytes(as: dtype) })
  }

  /// Creates a tensor filled with one value; nil for complex types and for shapes whose size overflows.
  package init?(repeating number: Scalar, dtype: DType, shape: [Int]) {
    guard HostTensor.byteCount(dtype: dtype, shape: shape) != nil, !dtype.isComplex else { return nil }
    self.init(zeros: dtype, shape: shape)
    let element = number.bytes(as: dtype)
    guard element.contains(where: { $0 != 0 }) else { return }
    unsafe withUnsafeMutableBytes { bytes in
      for index in bytes.indices { unsafe bytes[index] = element[index % element.count] }
    }
  }
}

extension HostTensor {
  /// The elements as doubles, in row-major order: booleans as 0 and 1, complex numbers as their real parts. Integers beyond 2^53 are
  /// rounded.
  package var numbers: [Double] {
    switch dtype {
    case .float32: map(Float.self) { Double($0) }
    case .float64: map(Double.self) { $0 }
    case .float16: map(UInt16.self) { Double(Float16(bitPattern: $0)) }
    case .bfloat16: map(UInt16.self) { Double(Float(bfloat16Bits: $0)) }
    case .int8: map(Int8.self) { Double($0) }
    case .int16: map(Int16.self) { Double($0) }
    case .int32: map(Int32.self) { Double($0) }
    case .int64: map(Int64.self) { Double($0) }
    case .uint8: map(UInt8.self) { Double($0) }
    case .uint16: map(UInt16.self) { Double($0) }
    case .uint32: map(UInt32.self) { Double($0) }
    case .uint64: map(UInt64.self) { Double($0) }
    case .bool: map(UInt8.self) { $0 == 0 ? 0 : 1 }
    case .complex64: map((Float, Float).self) { Double($0.0) }
    case .complex128: map((Double, Double).self) { $0.0 }
    }
  }

  private func map<Element: BitwiseCopyable>(_ type: Element.Type, _ convert: (Element) -> Double) -> [Double] {
    unsafe withUnsafeBytes { bytes in
      // A tensor's bytes are whole elements, so that every load is inside them.
      (0..<bytes.count / MemoryLayout<Element>.stride).map { index in
        // In range: a position in the bytes.
        unsafe convert(bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Element>.stride, as: Element.self))
      }
    }
  }
}

extension Scalar {
  /// The element's bytes in memory, little-endian; zeros for complex types.
  fileprivate func bytes(as dtype: DType) -> [UInt8] {
    func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
      (0..<Value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> Value(8 * $0)) }
    }
    func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> [UInt8] {
      if case .int(let value) = self { return little(Value(clamping: value)) }
      let value = doubleValue.isNaN ? 0 : doubleValue.rounded(.towardZero)
      return little(Value(exactly: value) ?? (value < 0 ? Value.min : Value.max))
    }
    switch dtype {
    case .float32: return little(Float(doubleValue).bitPattern)
    case .float64: return little(doubleValue.bitPattern)
    case .float16: return little(Float16(doubleValue).bitPattern)
    case .bfloat16: return little(Float(doubleValue).bfloat16Bits)
    case .bool: return [boolValue ? 1 : 0]
    case .int8: return integer(Int8.self)
    case .int16: return integer(Int16.self)
    case .int32: return integer(Int32.self)
    case .int64: return integer(Int64.self)
    case .uint8: return integer(UInt8.self)
    case .uint16: return integer(UInt16.self)
    case .uint32: return integer(UInt32.self)
    case .uint64: return integer(UInt64.self)
    case .complex64, .complex128: return Array(repeating: 0, count: dtype.byteCount)
    }
  }
}
