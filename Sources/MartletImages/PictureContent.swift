package import CoreGraphics
import FoundationEssentials
package import ImageIO

/// The primary picture of a file, as stored, and how it is turned.
package struct PictureContent: Sendable {
  package let image: CGImage
  /// 1 for a file that does not say.
  package let orientation: CGImagePropertyOrientation

  /// - Returns: nil for content without a picture that can be decoded.
  package init?(_ data: Data) {
    guard let source = CGImageSourceCreateWithData(data as CFData, nil) else { return nil }
    self.init(source)
  }

  /// - Returns: nil for a file that cannot be read or has no picture that can be decoded.
  package init?(contentsOf url: URL) {
    guard let source = CGImageSourceCreateWithURL(url as CFURL, nil) else { return nil }
    self.init(source)
  }

  private init?(_ source: CGImageSource) {
    let index = CGImageSourceGetPrimaryImageIndex(source)
    guard let image = CGImageSourceCreateImageAtIndex(source, index, nil) else { return nil }
    self.image = image
    let stated = CGImageSourceCopyPropertiesAtIndex(source, index, nil)?[kCGImagePropertyOrientation] as? Int
    orientation = stated.flatMap { UInt32(exactly: $0) }.flatMap { CGImagePropertyOrientation(rawValue: $0) } ?? .up
  }
}
