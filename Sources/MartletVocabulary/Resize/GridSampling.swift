/// Sampling of images at the coordinates in a grid, which range from -1 to 1.
package struct GridSampling: Sendable {
  package enum Interpolation: Int, Sendable, Hashable { case bilinear = 0, nearest = 1, bicubic = 2 }

  /// Pixels outside the image.
  package enum Padding: Int, Sendable, Hashable {
    case zeros = 0
    /// The nearest border pixel.
    case border = 1
    /// The image reflected at its border.
    case reflection = 2
  }

  package let interpolation: Interpolation
  package let padding: Padding
  /// True if -1 and 1 are the centres of the corner pixels; false if they are the edges of the image.
  package let alignCorners: Bool

  package init(_ interpolation: Interpolation, _ padding: Padding, alignCorners: Bool) {
    self.interpolation = interpolation
    self.padding = padding
    self.alignCorners = alignCorners
  }
}
