/// Resizing mode of an image processor.
public enum ImageResizeMode: UInt8, Sendable {
  /// Fills the target; the aspect ratio may change.
  case stretch = 0
  /// Keeps the aspect ratio and pads the rest of the target.
  case letterbox = 1
}

/// Position of a letterboxed image in the target.
public enum ImageLetterboxAnchor: UInt8, Sendable {
  case center = 0
  case topLeft = 1
}

/// Orientation of an image. Raw values are the EXIF orientations without mirroring.
public enum ImageOrientation: UInt8, Sendable {
  case up = 1
  /// Rotated by 180 degrees.
  case down = 3
  /// Rotated upright by 90 degrees clockwise.
  case right = 6
  /// Rotated upright by 90 degrees counterclockwise.
  case left = 8
}

/// Padding of a letterboxed image in pixels: `x` on the left and right, `y` above and below.
public struct ImageLetterboxPadding: Sendable {
  public var x: Int
  public var y: Int

  public init() { self.init(x: 0, y: 0) }

  public init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }
}
