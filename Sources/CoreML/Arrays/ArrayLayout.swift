import CoreVideo
import Foundation
import Martlet

extension TensorStorage {
  /// The memory of a non-planar pixel buffer. The buffer stays locked for the life of the storage.
  convenience init(_ pixelBuffer: CVPixelBuffer) {
    CVPixelBufferLockBaseAddress(pixelBuffer, [])
    guard let base = unsafe CVPixelBufferGetBaseAddress(pixelBuffer) else { preconditionFailure("the pixel buffer has no memory") }
    let byteCount = CVPixelBufferGetBytesPerRow(pixelBuffer) * CVPixelBufferGetHeight(pixelBuffer)
    unsafe self.init(borrowing: base, byteCount: byteCount, owner: pixelBuffer) { CVPixelBufferUnlockBaseAddress(pixelBuffer, []) }
  }

  /// The pixel buffer that owns the memory, if any.
  var pixelBuffer: CVPixelBuffer? { owner as? CVPixelBuffer }

  /// A copy of `data`'s bytes.
  convenience init(copying data: Data) {
    self.init(byteCount: data.count)
    unsafe data.withUnsafeBytes { bytes in
      if let source = bytes.baseAddress { unsafe pointer.copyMemory(from: source, byteCount: bytes.count) }
    }
  }
}

extension Data.Deallocator {
  /// Frees the memory.
  func callAsFunction(_ base: UnsafeMutableRawPointer, _ byteCount: Int) {
    switch self {
    case .free: unsafe Foundation.free(base)
    case .unmap: unsafe munmap(base, byteCount)
    case .custom(let body): unsafe body(base, byteCount)
    case .none: break
    @unknown default: break
    }
  }
}

/// Memory layout of arrays.
enum ArrayLayout {
  /// Number of elements from the first to the last one in memory, gaps included; nil if a stride is negative or the number exceeds
  /// `Shape.largestElementCount`.
  static func elementSpan(shape: [Int], strides: [Int]) -> Int? {
    guard shape.count == strides.count, Shape.elementCount(shape) != nil else { return nil }
    if shape.contains(0) { return 0 }
    var last = 0
    for (extent, stride) in zip(shape, strides) {
      guard stride >= 0 else { return nil }
      let (distance, overflow) = (extent - 1).multipliedReportingOverflow(by: stride)
      let (sum, sumOverflow) = last.addingReportingOverflow(distance)
      guard !overflow, !sumOverflow else { return nil }
      last = sum
    }
    return last < Shape.largestElementCount ? last + 1 : nil
  }

  /// Strides of an array over a one-component pixel buffer, whose rows are the last axis; nil if the shape does not match the buffer.
  static func strides(shape: [Int], of pixelBuffer: CVPixelBuffer, byteCount: Int) -> [Int]? {
    let rowByteCount = CVPixelBufferGetBytesPerRow(pixelBuffer)
    guard let width = shape.last, width == CVPixelBufferGetWidth(pixelBuffer), rowByteCount % byteCount == 0,
      Shape.elementCount(Array(shape.dropLast())) == CVPixelBufferGetHeight(pixelBuffer)
    else { return nil }
    return Shape.contiguousStrides(Array(shape.dropLast())).map { $0 * (rowByteCount / byteCount) } + [1]
  }
}
