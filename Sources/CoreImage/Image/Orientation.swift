import CoreGraphics
import ImageIO

/// Turns of images.
enum Orientation {
  /// The map that makes an image upright whose pixels are stored in an orientation; the corner of the extent stays where it is.
  static func transform(_ orientation: CGImagePropertyOrientation, _ extent: PixelRegion) -> CGAffineTransform {
    let turn: (CGFloat, CGFloat, CGFloat, CGFloat) =
      switch orientation {
      case .up: (1, 0, 0, 1)
      case .upMirrored: (-1, 0, 0, 1)
      case .down: (-1, 0, 0, -1)
      case .downMirrored: (1, 0, 0, -1)
      case .leftMirrored: (0, -1, -1, 0)
      case .right: (0, -1, 1, 0)
      case .rightMirrored: (0, 1, 1, 0)
      case .left: (0, 1, -1, 0)
      }
    let map = CGAffineTransform(a: turn.0, b: turn.1, c: turn.2, d: turn.3, tx: 0, ty: 0)
    if extent.isEmpty || extent.isUnbounded { return map }
    let result = extent.applying(map)
    return map.concatenating(
      CGAffineTransform(
        translationX: CGFloat(extent.x.lowerBound - result.x.lowerBound), y: CGFloat(extent.y.lowerBound - result.y.lowerBound)))
  }
}
