/// How a picture becomes as large as a model's input.
public enum ImageResizeMode: UInt8, Sendable {
  /// It fills the input, whatever that does to its aspect.
  case stretch = 0
  /// It keeps its aspect, and what it leaves of the input is padded.
  case letterbox = 1
}

/// Where a letterboxed picture goes.
public enum ImageLetterboxAnchor: UInt8, Sendable {
  case center = 0
  case topLeft = 1
}

/// How a picture is to be turned to be upright: the values of the EXIF tag of those that do not mirror it.
public enum ImageOrientation: UInt8, Sendable {
  case up = 1
  /// By 180 degrees.
  case down = 3
  /// By 90 degrees, clockwise.
  case right = 6
  /// By 90 degrees, counterclockwise.
  case left = 8
}

/// Pixels beside a letterboxed picture: `x` to its left and right, `y` above and below it.
public struct ImageLetterboxPadding: Sendable {
  public var x: Int
  public var y: Int

  public init() { self.init(x: 0, y: 0) }

  public init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }
}
