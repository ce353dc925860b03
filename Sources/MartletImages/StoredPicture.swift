package import CoreGraphics
package import CoreVideo
import MartletPixelBuffers
import MartletPixels

/// A picture as it is stored, ready to be fitted to models.
package enum StoredPicture: Sendable {
  case buffer(PixelBuffer)
  case image(ImagePixels)

  /// A pixel buffer with the conversion of its colours. The buffer's owner must not write to it meanwhile.
  package struct PixelBuffer: @unchecked Sendable {
    package let buffer: CVPixelBuffer
    let colors: BufferConversion?
  }

  package init(_ buffer: CVPixelBuffer) { self = .buffer(PixelBuffer(buffer: buffer, colors: BufferConversion(buffer))) }

  /// - Returns: nil if the image has no pixels, or colours that cannot be converted.
  package init?(_ image: CGImage) {
    guard let pixels = ImagePixels(image) else { return nil }
    self = .image(pixels)
  }

  /// In pixels.
  package var width: Int {
    switch self {
    case .buffer(let picture): CVPixelBufferGetWidth(picture.buffer)
    case .image(let pixels): pixels.width
    }
  }

  package var height: Int {
    switch self {
    case .buffer(let picture): CVPixelBufferGetHeight(picture.buffer)
    case .image(let pixels): pixels.height
    }
  }
}
