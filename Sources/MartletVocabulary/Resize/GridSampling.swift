/// Images sampled at places that a grid gives in coordinates from -1 to 1.
package struct GridSampling: Sendable {
  package enum Interpolation: Int, Sendable, Hashable { case bilinear = 0, nearest = 1, bicubic = 2 }

  /// What lies outside of an image.
  package enum Padding: Int, Sendable, Hashable {
    case zeros = 0
    /// The nearest pixel at the border.
    case border = 1
    /// The image mirrored at its border.
    case reflection = 2
  }

  package let interpolation: Interpolation
  package let padding: Padding
  /// Whether -1 and 1 are the centres of the corner pixels, or the image's edges.
  package let alignCorners: Bool

  package init(_ interpolation: Interpolation, _ padding: Padding, alignCorners: Bool) {
    self.interpolation = interpolation
    self.padding = padding
    self.alignCorners = alignCorners
  }
}
