/// Placement of a resized image in a target.
package struct ImagePlacement: Sendable, Equatable {
  package enum Anchor: Sendable, Hashable {
    case center
    case topLeft
  }

  /// Size of the target in pixels, at least 1.
  package let targetWidth: Int
  package let targetHeight: Int
  /// Size of the resized image, at least 1 and at most that of the target.
  package let width: Int
  package let height: Int
  /// Position of the image's upper left corner in the target.
  package let x: Int
  package let y: Int

  /// The image fills the target; its aspect ratio may change.
  /// - Returns: nil if an extent is below 1.
  package static func stretched(targetWidth: Int, targetHeight: Int) -> ImagePlacement? {
    guard targetWidth > 0, targetHeight > 0 else { return nil }
    return ImagePlacement(targetWidth: targetWidth, targetHeight: targetHeight, width: targetWidth, height: targetHeight, x: 0, y: 0)
  }

  /// The image keeps its aspect ratio and is as large as possible. Its size is computed in single precision and rounded. If the margin of
  /// a centred image is odd, its smaller half is above and to the left.
  /// - Parameters imageWidth, imageHeight: size of the upright image.
  /// - Returns: nil if an extent is below 1.
  package static func letterboxed(
    imageWidth: Int, imageHeight: Int, targetWidth: Int, targetHeight: Int, anchor: Anchor
  ) -> ImagePlacement? {
    guard imageWidth > 0, imageHeight > 0, targetWidth > 0, targetHeight > 0 else { return nil }
    let scale = min(Float(targetWidth) / Float(imageWidth), Float(targetHeight) / Float(imageHeight))
    func resized(_ extent: Int, within target: Int) -> Int {
      let rounded = (Float(extent) * scale).rounded(.toNearestOrAwayFromZero)
      // In range: between 0 and the target.
      return rounded >= Float(target) ? target : max(1, Int(rounded))
    }
    let width = resized(imageWidth, within: targetWidth)
    let height = resized(imageHeight, within: targetHeight)
    return ImagePlacement(
      targetWidth: targetWidth, targetHeight: targetHeight, width: width, height: height,
      x: anchor == .center ? (targetWidth - width) / 2 : 0, y: anchor == .center ? (targetHeight - height) / 2 : 0)
  }
}

extension Image {
  /// The image at its placement, surrounded by black.
  /// - Precondition: the image has the size of the placement.
  package func placed(_ placement: ImagePlacement) -> Image {
    precondition(width == placement.width && height == placement.height)
    let channelCount = format.channelCount
    var result = [UInt8](repeating: 0, count: placement.targetWidth * placement.targetHeight * channelCount)
    for row in 0..<height {
      let start = ((placement.y + row) * placement.targetWidth + placement.x) * channelCount
      result.replaceSubrange(
        start..<start + width * channelCount, with: pixels[row * width * channelCount..<(row + 1) * width * channelCount])
    }
    return Image(checkedWidth: placement.targetWidth, height: placement.targetHeight, format: format, pixels: result)
  }
}
