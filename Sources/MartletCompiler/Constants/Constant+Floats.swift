import MartletGraph
import MartletKernels
import MartletTensor

extension Constant {
  /// A row-major float32 constant with these values.
  convenience init(floats numbers: [Float], shape: [Int]) {
    var tensor = HostTensor(zeros: .float32, shape: shape)
    unsafe tensor.withUnsafeMutableBytes { bytes in unsafe numbers.withUnsafeBytes { unsafe bytes.copyMemory(from: $0) } }
    self.init(tensor)
  }

  /// The elements as a float32 vector, used in place if they already have that form.
  /// - Parameter numbers: the elements in row-major order.
  func line(_ numbers: [Float]) -> Constant {
    let shape = [numbers.count]
    return (type.dtype == .float32 ? reshaped(shape) : nil) ?? Constant(floats: numbers, shape: shape)
  }

  /// The elements in row-major order, converted to `dtype`, whose Swift type is `Element`; nil if they cannot be read, exceed the
  /// memory limit or are complex.
  func numbers<Element: BinaryFloatingPoint>(as dtype: DType, of: Element.Type) -> [Element]? {
    precondition(dtype.byteCount == MemoryLayout<Element>.size && dtype.isFloatingPoint)
    guard !type.dtype.isComplex,
      Allowance.current.map({ type.elementCount <= $0.memory.left / MemoryLayout<Element>.stride }) ?? true,
      let bytes = try? bytes()
    else { return nil }
    defer { withExtendedLifetime(bytes.owner) {} }
    func elements<Stored>(_: Stored.Type) -> UnsafeBufferPointer<Stored> {
      unsafe UnsafeBufferPointer(start: bytes.pointer.assumingMemoryBound(to: Stored.self), count: type.elementCount)
    }
    if isRowMajor, unsafe Int(bitPattern: bytes.pointer) % type.dtype.byteCount == 0 {
      if type.dtype == dtype { return unsafe Array(elements(Element.self)) }
      switch type.dtype {
      case .float32 where dtype == .float64: return unsafe elements(Float.self).map { Element($0) }
      case .int32: return unsafe elements(Int32.self).map { Element($0) }
      case .int64: return unsafe elements(Int64.self).map { Element($0) }
      default: break
      }
    }
    var result = [Element](repeating: 0, count: type.elementCount)
    unsafe result.withUnsafeMutableBytes { target in
      guard let start = target.baseAddress, unsafe !target.isEmpty else { return }
      unsafe copy(bytes, to: start, as: dtype)
    }
    return result
  }

  /// Writes the elements row-major and converted to `dtype`.
  /// - Parameter bytes: those of the constant.
  func copy(_ bytes: Bytes, to target: UnsafeMutableRawPointer, as dtype: DType) {
    unsafe StridedCopy.copy(from: bytes.pointer, type, strides: strides, to: target, as: dtype)
  }
}

extension GraphEditor {
  mutating func add(_ constant: Constant) -> ValueID {
    add(Value(type: .tensor(TensorSignature(constant.type)), origin: .constant(constant)))
  }
}
