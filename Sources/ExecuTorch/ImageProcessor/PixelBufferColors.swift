import CoreVideo
import MartletPixelBuffers
import MartletPixels

/// The interleaved formats that image processors support.
private let interleavedFormats: Set<OSType> = [kCVPixelFormatType_32BGRA, kCVPixelFormatType_32RGBA]
/// The supported formats with subsampled chroma.
private let subsampledFormats: Set<OSType> = [
  kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange,
  kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr10BiPlanarFullRange,
]

/// Calls `body` with the pixels of a buffer, which is locked for the duration of the call.
///
/// Throws `.invalidArgument` for an unsupported format or for an odd extent in a format with subsampled chroma, and `.accessFailed` if
/// the buffer cannot be locked.
func withColors(of pixelBuffer: CVPixelBuffer, _ body: (PixelView) throws -> Void) throws {
  let width = CVPixelBufferGetWidth(pixelBuffer)
  let height = CVPixelBufferGetHeight(pixelBuffer)
  let code = CVPixelBufferGetPixelFormatType(pixelBuffer)
  guard interleavedFormats.contains(code) || subsampledFormats.contains(code) else {
    throw failure(.invalidArgument, "Pixel buffers of format \(pixelFormatName(code)) are not supported")
  }
  guard !subsampledFormats.contains(code) || (width % 2 == 0 && height % 2 == 0) else {
    throw failure(.invalidArgument, "The size \(width) x \(height) of a pixel buffer with subsampled chroma must be even")
  }
  do {
    try withPixels(of: pixelBuffer, body)
  } catch PixelBufferError.inaccessible {
    throw failure(.accessFailed, "The pixel buffer cannot be locked")
  } catch PixelBufferError.unsupported {
    throw failure(.invalidArgument, "The planes of the pixel buffer do not hold \(width) x \(height) pixels")
  }
}
