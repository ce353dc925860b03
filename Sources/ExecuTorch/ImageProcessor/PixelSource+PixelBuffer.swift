import CoreVideo
import MartletMedia

extension PixelFormat {
  /// The format of a pixel buffer; nil if image processors do not support it.
  init?(pixelBufferFormat: OSType) {
    switch pixelBufferFormat {
    case kCVPixelFormatType_32BGRA: self = .bgra8
    case kCVPixelFormatType_32RGBA: self = .rgba8
    case kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: self = .yCbCr420VideoRange8
    case kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: self = .yCbCr420FullRange8
    case kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange: self = .yCbCr420VideoRange10
    case kCVPixelFormatType_420YpCbCr10BiPlanarFullRange: self = .yCbCr420FullRange10
    default: return nil
    }
  }
}

/// Calls `body` with the pixels of a buffer, which is locked for the duration of the call.
///
/// Throws `.invalidArgument` for an unsupported format or for an odd extent in a format with subsampled chroma, and `.accessFailed` if
/// the buffer cannot be locked.
func withPixels(of pixelBuffer: CVPixelBuffer, _ body: (PixelSource) throws -> Void) throws {
  let width = CVPixelBufferGetWidth(pixelBuffer)
  let height = CVPixelBufferGetHeight(pixelBuffer)
  let code = CVPixelBufferGetPixelFormatType(pixelBuffer)
  guard let format = PixelFormat(pixelBufferFormat: code) else {
    throw failure(.invalidArgument, "Pixel buffers of format \(name(ofPixelFormat: code)) are not supported")
  }
  guard format.planeCount == 1 || (width % 2 == 0 && height % 2 == 0) else {
    throw failure(.invalidArgument, "The size \(width) x \(height) of a pixel buffer with subsampled chroma must be even")
  }
  guard CVPixelBufferLockBaseAddress(pixelBuffer, .readOnly) == kCVReturnSuccess else {
    throw failure(.accessFailed, "The pixel buffer cannot be locked")
  }
  defer { CVPixelBufferUnlockBaseAddress(pixelBuffer, .readOnly) }
  var planes: [PixelSource.Plane] = []
  if format.planeCount == 1 {
    if let base = unsafe CVPixelBufferGetBaseAddress(pixelBuffer) {
      unsafe planes.append(PixelSource.Plane(base: base, rowByteCount: CVPixelBufferGetBytesPerRow(pixelBuffer)))
    }
  } else {
    for index in 0..<format.planeCount {
      guard let base = unsafe CVPixelBufferGetBaseAddressOfPlane(pixelBuffer, index) else { break }
      unsafe planes.append(PixelSource.Plane(base: base, rowByteCount: CVPixelBufferGetBytesPerRowOfPlane(pixelBuffer, index)))
    }
  }
  guard let source = PixelSource(width: width, height: height, format: format, planes: planes) else {
    throw failure(.invalidArgument, "The planes of the pixel buffer do not hold \(width) x \(height) pixels")
  }
  try body(source)
}

/// The four-character code of a pixel format, or its number if a character is not printable.
private func name(ofPixelFormat code: OSType) -> String {
  let characters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
  guard characters.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return "\(code)" }
  return "'" + String(decoding: characters, as: UTF8.self) + "'"
}
