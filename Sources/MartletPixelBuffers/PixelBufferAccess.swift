package import CoreVideo
package import Martlet
package import MartletFeatures
package import MartletPixels

/// Calls `body` with the pixels of a buffer, which is locked for reading during the call. The attachment of a matrix says how luma and chroma
/// become colours; without one it is that of ITU-R BT.601.
/// - Throws: `PixelBufferError`; the errors of `body`.
package func withPixels<R>(of buffer: CVPixelBuffer, _ body: (PixelView) throws -> R) throws -> R {
  guard CVPixelBufferLockBaseAddress(buffer, .readOnly) == kCVReturnSuccess else { throw PixelBufferError.inaccessible }
  defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
  guard let pixels = PixelView(buffer) else { throw PixelBufferError.unsupported }
  return try body(pixels)
}

extension CVPixelBuffer {
  /// Writes a picture to the buffer, which has the size of the fitting's target: colours of 8 bits, luma of 8 bits, or luma from 0 to 1.
  /// - Throws: `PixelBufferError`.
  package func write(_ source: PixelSource, fitting: PictureFitting, changing change: PictureFitting.ColorChange? = nil) throws {
    try withTarget { target in
      switch target {
      case .numbers(let plane): unsafe fitting.write(source, to: plane, changing: change)
      case .colors(let target, _): unsafe fitting.write(source, to: target, changing: change)
      }
    }
  }
}

extension ImageFeature {
  /// Writes the image in a tensor to a pixel buffer.
  /// - Precondition: the tensor is an image with the size of the buffer.
  /// - Throws: `PixelBufferError`; `AllocationError`.
  package func read(_ tensor: UnsafeRawPointer, _ type: TensorType, into buffer: CVPixelBuffer) throws {
    try buffer.withTarget { target in
      switch target {
      case .numbers(let plane) where isGray: unsafe read(tensor, type, into: plane)
      case .colors(let target, let isGray) where isGray == self.isGray: try unsafe read(tensor, type, into: target)
      case .numbers, .colors: throw PixelBufferError.unsupported
      }
    }
  }
}

// MARK: - Memory of buffers

extension PixelView {
  /// The pixels of a locked buffer; nil for unsupported formats.
  fileprivate init?(_ buffer: CVPixelBuffer) {
    let width = CVPixelBufferGetWidth(buffer)
    let height = CVPixelBufferGetHeight(buffer)
    switch PixelBufferFormat(CVPixelBufferGetPixelFormatType(buffer)) {
    case .numbers(let dtype):
      guard let plane = NumberPlane(buffer, dtype) else { return nil }
      self = .numbers(plane)
    case .colors(let format):
      func plane(_ index: Int) -> PixelSource.Plane? {
        guard let base = unsafe CVPixelBufferGetBaseAddressOfPlane(buffer, index) else { return nil }
        return unsafe PixelSource.Plane(base: base, rowByteCount: CVPixelBufferGetBytesPerRowOfPlane(buffer, index))
      }
      let matrix = format.isYCbCr ? CVBufferCopyAttachment(buffer, kCVImageBufferYCbCrMatrixKey, nil) as? String : nil
      guard let first = plane(0),
        let source = PixelSource(
          width: width, height: height, format: format, chromaStandard: .init(attachment: matrix), plane: first,
          chroma: format.isYCbCr ? plane(1) : nil)
      else { return nil }
      self = .colors(source)
    case nil: return nil
    }
  }
}

extension NumberPlane {
  /// The numbers of a locked buffer; nil if it does not hold them.
  fileprivate init?(_ buffer: CVPixelBuffer, _ dtype: DType) {
    guard let base = unsafe CVPixelBufferGetBaseAddress(buffer) else { return nil }
    unsafe self.init(
      width: CVPixelBufferGetWidth(buffer), height: CVPixelBufferGetHeight(buffer), dtype: dtype, base: base,
      rowByteCount: CVPixelBufferGetBytesPerRow(buffer))
  }
}

/// The writable memory of a locked buffer.
private enum PixelBufferTarget {
  case numbers(NumberPlane)
  case colors(PixelTarget, isGray: Bool)
}

extension CVPixelBuffer {
  /// Calls `body` with the memory of the buffer, which is locked during the call.
  /// - Throws: `PixelBufferError`; the errors of `body`.
  fileprivate func withTarget(_ body: (PixelBufferTarget) throws -> Void) throws {
    guard CVPixelBufferLockBaseAddress(self, []) == kCVReturnSuccess else { throw PixelBufferError.inaccessible }
    defer { CVPixelBufferUnlockBaseAddress(self, []) }
    switch PixelBufferFormat(CVPixelBufferGetPixelFormatType(self)) {
    case .numbers(let dtype):
      guard let plane = NumberPlane(self, dtype) else { throw PixelBufferError.inaccessible }
      try body(.numbers(plane))
    case .colors(let format):
      guard let base = unsafe CVPixelBufferGetBaseAddress(self) else { throw PixelBufferError.inaccessible }
      guard
        let target = unsafe PixelTarget(
          width: CVPixelBufferGetWidth(self), height: CVPixelBufferGetHeight(self), format: format, base: base,
          rowByteCount: CVPixelBufferGetBytesPerRow(self))
      else { throw PixelBufferError.unsupported }
      try body(.colors(target, isGray: format == .gray8))
    case nil: throw PixelBufferError.unsupported
    }
  }
}
