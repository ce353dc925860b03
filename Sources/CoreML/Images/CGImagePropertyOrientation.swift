/// How stored rows and columns of a picture relate to the upright one: the values of the EXIF tag `Orientation`.
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
