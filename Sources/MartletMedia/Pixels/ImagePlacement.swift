/// Where in a target the resized picture goes.
package struct ImagePlacement: Sendable, Equatable {
  package enum Anchor: Sendable, Hashable {
    case center
    case topLeft
  }

  /// Extents of the target in pixels, at least 1.
  package let targetWidth: Int
  package let targetHeight: Int
  /// Extents of the resized picture, at least 1 and no more than the target's.
  package let width: Int
  package let height: Int
  /// Pixels of the target to the left of the picture and above it.
  package let x: Int
  package let y: Int

  /// The picture fills the target, whatever that does to its aspect.
  /// - Returns: nil if an extent is below 1.
  package static func stretched(targetWidth: Int, targetHeight: Int) -> ImagePlacement? {
    guard targetWidth > 0, targetHeight > 0 else { return nil }
    return ImagePlacement(targetWidth: targetWidth, targetHeight: targetHeight, width: targetWidth, height: targetHeight, x: 0, y: 0)
  }

  /// The picture keeps its aspect and is as large as fits. Its extents are rounded from single precision; where the margin of a
  /// centred picture is odd, its smaller half is above and to the left.
  /// - Parameters imageWidth, imageHeight: of the upright picture.
  /// - Returns: nil if an extent is below 1.
  package static func letterboxed(
    imageWidth: Int, imageHeight: Int, targetWidth: Int, targetHeight: Int, anchor: Anchor
  ) -> ImagePlacement? {
    guard imageWidth > 0, imageHeight > 0, targetWidth > 0, targetHeight > 0 else { return nil }
    let scale = min(Float(targetWidth) / Float(imageWidth), Float(targetHeight) / Float(imageHeight))
    func resized(_ extent: Int, within target: Int) -> Int {
      let rounded = (Float(extent) * scale).rounded(.toNearestOrAwayFromZero)
      return rounded >= Float(target) ? target : max(1, Int(rounded))
    }
    let width = resized(imageWidth, within: targetWidth)
    let height = resized(imageHeight, within: targetHeight)
    return ImagePlacement(
      targetWidth: targetWidth, targetHeight: targetHeight, width: width, height: height,
      x: anchor == .center ? (targetWidth - width) / 2 : 0, y: anchor == .center ? (targetHeight - height) / 2 : 0)
  }
}
