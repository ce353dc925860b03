/// A dense row-major tensor that owns its memory: the form in which values enter and leave the engine.
///
/// Copies share the bytes until one of them is modified (value semantics).
package struct HostTensor: Sendable {
  package let dtype: DType
  package let shape: [Int]
  private var storage: TensorStorage

  /// - Returns: nil if the size of `bytes` does not match the shape, or if it overflows.
  package init?(dtype: DType, shape: [Int], bytes: [UInt8]) {
    guard HostTensor.byteCount(dtype: dtype, shape: shape) == bytes.count else { return nil }
    let storage = TensorStorage(byteCount: bytes.count)
    unsafe bytes.withUnsafeBytes { source in
      if let base = source.baseAddress { unsafe storage.pointer.copyMemory(from: base, byteCount: source.count) }
    }
    self.init(dtype: dtype, shape: shape, storage: storage)
  }

  /// A tensor of zeros.
  package init(zeros dtype: DType, shape: [Int]) {
    guard let count = HostTensor.byteCount(dtype: dtype, shape: shape) else {
      preconditionFailure("the byte count of shape \(shape) overflows")
    }
    self.init(dtype: dtype, shape: shape, storage: TensorStorage(zeroedByteCount: count))
  }

  /// Adopts `storage`, which must have exactly the tensor's size and no other writer.
  package init(dtype: DType, shape: [Int], storage: TensorStorage) {
    precondition(HostTensor.byteCount(dtype: dtype, shape: shape) == storage.byteCount)
    self.dtype = dtype
    self.shape = shape
    self.storage = storage
  }

  package var byteCount: Int { storage.byteCount }

  /// Number of elements; 1 for rank 0.
  package var elementCount: Int { storage.byteCount / dtype.byteCount }

  /// A copy of the elements' bytes in row-major order.
  package var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

  /// Size of a dense tensor in bytes; nil if an extent is negative or the size overflows.
  package static func byteCount(dtype: DType, shape: [Int]) -> Int? {
    Shape.elementCount(shape).flatMap { (Extent($0) * dtype.byteCount).value }
  }

  package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    defer { withExtendedLifetime(storage) {} }
    return try unsafe body(UnsafeRawBufferPointer(start: storage.pointer, count: storage.byteCount))
  }

  package mutating func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer) throws -> R) rethrows -> R {
    if !isUniquelyHeld() {
      let copy = TensorStorage(byteCount: storage.byteCount)
      unsafe copy.pointer.copyMemory(from: storage.pointer, byteCount: storage.byteCount)
      storage = copy
    }
    defer { withExtendedLifetime(storage) {} }
    return try unsafe body(UnsafeMutableRawBufferPointer(start: storage.pointer, count: storage.byteCount))
  }

  /// Whether the memory may be written to and no other tensor shares it.
  package mutating func isUniquelyHeld() -> Bool { isKnownUniquelyReferenced(&storage) && storage.isWritable }

  /// The memory itself, for the executor, which reads inputs in place.
  package var sharedStorage: TensorStorage { storage }
}
