import CoreGraphics
import ImageIO
import Martlet
import MartletPixels

/// Colours of an image as models expect them.
enum ImageColors {
  /// The upright picture of an image in sRGB, over black.
  /// - Throws: `MLModelError.generic` if the image's colours cannot be converted.
  static func picture(_ image: CGImage, orientation: CGImagePropertyOrientation) throws -> Picture {
    // In range: the image has its pixels in memory.
    let rowByteCount = image.width * 4
    let info = CGImageAlphaInfo.premultipliedLast.rawValue
    guard let space = CGColorSpace(name: CGColorSpace.sRGB),
      let context = unsafe CGContext(
        data: nil, width: image.width, height: image.height, bitsPerComponent: 8, bytesPerRow: rowByteCount, space: space, bitmapInfo: info)
    else { throw MLModelError(.generic, "There is not enough memory for an image of \(image.width) × \(image.height) pixels") }
    context.interpolationQuality = .none
    context.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
    guard let data = unsafe context.data else { throw MLModelError(.generic, "The colours of the image cannot be converted to sRGB") }
    let pixels = unsafe [UInt8](UnsafeRawBufferPointer(start: data, count: rowByteCount * image.height))
    // Colours are multiplied by alpha, as over black.
    let picture = Picture(Image(checkedWidth: image.width, height: image.height, format: .rgba8, pixels: pixels).converted(to: .rgb8))
    return picture.upright(from: Picture.Orientation(rawValue: Int(orientation.rawValue)) ?? .up)
  }
}
