/// A dense tensor in memory that it owns, in row-major (C) order: the form in which values enter and leave the engine.
///
/// Copies share the bytes until one of them writes (value semantics).
package struct HostTensor: Sendable {
  package let dtype: DType
  package let shape: [Int]
  /// `shape` product times `dtype.byteCount` bytes, row-major.
  package private(set) var bytes: [UInt8]

  /// - Returns: nil if `bytes` does not hold exactly the elements of `shape`, or the count overflows.
  package init?(dtype: DType, shape: [Int], bytes: [UInt8]) {
    guard HostTensor.byteCount(dtype: dtype, shape: shape) == bytes.count else { return nil }
    self.dtype = dtype
    self.shape = shape
    self.bytes = bytes
  }

  /// A tensor of zeros.
  package init(zeros dtype: DType, shape: [Int]) {
    guard let count = HostTensor.byteCount(dtype: dtype, shape: shape) else {
      preconditionFailure("shape \(shape) has no byte count")
    }
    self.dtype = dtype
    self.shape = shape
    self.bytes = [UInt8](repeating: 0, count: count)
  }

  /// Number of elements; 1 for rank 0.
  package var elementCount: Int { bytes.count / dtype.byteCount }

  /// Bytes of a dense tensor, or nil when an extent is negative or the product overflows.
  package static func byteCount(dtype: DType, shape: [Int]) -> Int? {
    var count = dtype.byteCount
    for extent in shape {
      guard extent >= 0 else { return nil }
      let (product, overflow) = count.multipliedReportingOverflow(by: extent)
      guard !overflow else { return nil }
      count = product
    }
    return count
  }

  package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try unsafe bytes.withUnsafeBytes(body)
  }

  package mutating func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer) throws -> R) rethrows -> R {
    try unsafe bytes.withUnsafeMutableBytes(body)
  }
}
