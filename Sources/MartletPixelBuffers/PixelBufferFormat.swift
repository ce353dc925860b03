package import CoreVideo
import Martlet
import MartletPixels

/// The samples of a pixel buffer.
enum PixelBufferFormat {
  /// Gray or colour samples of 8 or 10 bits.
  case colors(PixelFormat)
  /// One floating-point sample per pixel.
  case numbers(DType)

  /// Returns nil for other formats.
  init?(_ code: OSType) {
    switch code {
    case kCVPixelFormatType_OneComponent8: self = .colors(.gray8)
    case kCVPixelFormatType_24RGB: self = .colors(.rgb8)
    case kCVPixelFormatType_24BGR: self = .colors(.bgr8)
    case kCVPixelFormatType_32BGRA: self = .colors(.bgra8)
    case kCVPixelFormatType_32RGBA: self = .colors(.rgba8)
    case kCVPixelFormatType_32ARGB: self = .colors(.argb8)
    case kCVPixelFormatType_32ABGR: self = .colors(.abgr8)
    case kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: self = .colors(.yCbCr420VideoRange8)
    case kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: self = .colors(.yCbCr420FullRange8)
    case kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange: self = .colors(.yCbCr420VideoRange10)
    case kCVPixelFormatType_420YpCbCr10BiPlanarFullRange: self = .colors(.yCbCr420FullRange10)
    case kCVPixelFormatType_OneComponent16Half, kCVPixelFormatType_DepthFloat16, kCVPixelFormatType_DisparityFloat16:
      self = .numbers(.float16)
    case kCVPixelFormatType_OneComponent32Float, kCVPixelFormatType_DepthFloat32, kCVPixelFormatType_DisparityFloat32:
      self = .numbers(.float32)
    default: return nil
    }
  }
}

/// The four characters of a pixel format code, or its decimal value if they are not printable.
package func pixelFormatName(_ code: OSType) -> String {
  let characters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
  guard characters.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return "\(code)" }
  return "'" + String(decoding: characters, as: UTF8.self) + "'"
}

/// An error in access to a pixel buffer. Callers add the buffer's purpose.
package enum PixelBufferError: Error {
  /// The buffer cannot be locked.
  case inaccessible
  /// The format is not supported, or the planes do not hold the pixels.
  case unsupported
}
