import Foundation
import ImageIO
import MartletMedia
import MartletPixels

/// From files to tensors and small pictures.
enum Files {
  /// Shorter side 256, central square of 224, normalised: the usual preparation for networks trained on ImageNet.
  static func classifierInput(_ path: String) throws {
    let image = try Image.read(path: path).converted(to: .rgb8)
    let shorter = min(image.width, image.height)
    let (width, height) = (image.width * 256 / shorter, image.height * 256 / shorter)
    let (x, y) = ((width - 224) / 2, (height - 224) / 2)
    let square = image.resized(width: width, height: height, window: (x..<x + 224, y..<y + 224))
    _ = square.tensor(mean: [0.485, 0.456, 0.406], standardDeviation: [0.229, 0.224, 0.225])
  }

  static func thumbnail(_ path: String) throws {
    let options: [CFString: Any] = [
      kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceThumbnailMaxPixelSize: 256,
      kCGImageSourceCreateThumbnailWithTransform: true,
    ]
    guard let source = CGImageSourceCreateWithURL(URL(fileURLWithPath: path) as CFURL, nil),
      let image = CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary), image.width == 256 || image.height == 256
    else { throw Failure(description: "no thumbnail of \(path)") }
  }
}

/// Frames of a camera as tensors of 640 x 640 with samples from 0 to 1.
final class Frames {
  private let (width, height, side) = (1920, 1080, 640)
  private let bytes: [UInt8]
  private var planes: [Float]

  init() {
    bytes = (0..<width * height * 4).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
    planes = [Float](repeating: 0, count: 3 * side * side)
  }

  func detectorInput(_ format: PixelFormat) {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe planes.withUnsafeMutableBufferPointer { planes in
        let base = bytes.baseAddress!
        let chroma = unsafe base + width * height
        let hasChroma = format.planeCount > 1
        guard
          let source = unsafe PixelSource(
            width: width, height: height, format: format, plane: .init(base: base, rowByteCount: (hasChroma ? 1 : 4) * width),
            chroma: hasChroma ? .init(base: chroma, rowByteCount: width) : nil),
          let placement = ImagePlacement.stretched(targetWidth: side, targetHeight: side)
        else { return }
        unsafe source.writePlanes(
          upright: .up, placement: placement,
          normalization: ColorNormalization(factor: 1 / 255, mean: .zero, standardDeviation: .one), paddingValue: 0,
          into: planes.baseAddress!)
      }
    }
  }
}
