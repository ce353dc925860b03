import Foundation

extension CVBuffer {
  private static var dense: CFDictionary {
    [kCVPixelBufferBytesPerRowAlignmentKey: 1, kCVPixelBufferPlaneAlignmentKey: 1] as CFDictionary
  }

  /// A copy of all pixels: plane after plane, row after row, without padding.
  package var packedPixels: Data? {
    guard case .success(let layout) = PixelBufferLayout.layout(width: width, height: height, format: pixelFormat, attributes: Self.dense)
    else { return nil }
    lock(readOnly: true)
    defer { _ = unlock(readOnly: true) }
    var data = Data(capacity: layout.byteCount)
    for (plane, packed) in zip(planes, layout.planes) {
      for row in 0..<plane.height {
        unsafe data.append(
          UnsafeRawPointer(plane.base + row * plane.bytesPerRow).assumingMemoryBound(to: UInt8.self), count: packed.bytesPerRow)
      }
    }
    return data
  }

  /// A new buffer with pixels that `packedPixels` gave.
  /// - Returns: nil if there is no buffer of the format and size, or it has not as many bytes.
  package static func buffer(width: Int, height: Int, format: OSType, packedPixels: Data) -> CVPixelBuffer? {
    guard case .success(let layout) = PixelBufferLayout.layout(width: width, height: height, format: format, attributes: dense),
      layout.byteCount == packedPixels.count
    else { return nil }
    var made: CVPixelBuffer?
    guard unsafe CVPixelBufferCreate(kCFAllocatorDefault, width, height, format, nil, &made) == kCVReturnSuccess, let made else {
      return nil
    }
    unsafe packedPixels.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      for (plane, packed) in zip(made.planes, layout.planes) {
        for row in 0..<plane.height {
          unsafe (plane.base + row * plane.bytesPerRow).copyMemory(
            from: base + packed.offset + row * packed.bytesPerRow, byteCount: packed.bytesPerRow)
        }
      }
    }
    return made
  }
}
