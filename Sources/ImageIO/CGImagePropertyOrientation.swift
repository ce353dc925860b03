/// Orientation of stored pixel rows and columns relative to the upright image. Raw values are those of the EXIF tag `Orientation`.
public enum CGImagePropertyOrientation: UInt32, Sendable, Hashable {
  case up = 1
  case upMirrored = 2
  case down = 3
  case downMirrored = 4
  case leftMirrored = 5
  case right = 6
  case rightMirrored = 7
  case left = 8
}
