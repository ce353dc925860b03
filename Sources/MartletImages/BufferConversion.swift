import CoreGraphics
package import CoreVideo
import MartletBufferImages
import MartletColor

/// The conversion of a pixel buffer's colours to sRGB, by its attachments.
package struct BufferConversion: Sendable {
  private let transform: ColorTransform

  /// - Returns: nil for a buffer without a space of colours, or whose colours keep their numbers.
  package init?(_ buffer: CVPixelBuffer) {
    guard let space = BufferColors.attachedSpace(of: buffer), let transform = space.transformToSRGB, transform.convertsBytes,
      !transform.isByteIdentity
    else { return nil }
    self.transform = transform
  }

  /// Converts a row of pixels of four bytes.
  package func change(_ pixels: UnsafeMutablePointer<UInt8>, count: Int) {
    unsafe transform.convert(bytes: UnsafeMutableBufferPointer(start: pixels, count: 4 * count), pixelStride: 4)
  }
}
