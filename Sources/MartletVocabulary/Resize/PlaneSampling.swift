/// Sampling of images at coordinates given individually or by an affine map of the result's coordinates. All tensors are float32.
package struct PlaneSampling: Sendable, Hashable {
  package enum Padding: Sendable, Hashable {
    /// Pixels outside the image have this value.
    case constant(Float)
    /// The nearest border pixel.
    case border
    /// The image reflected at the centres of its border pixels.
    case reflection
    /// The image reflected at its edges.
    case symmetric
  }

  package enum Coordinates: Sendable, Hashable {
    /// Pixels.
    case pixels
    /// From -1 to 1.
    case minusOneToOne
    /// From 0 to 1.
    case zeroToOne
  }

  package var takesNearest: Bool
  package var padding: Padding
  package var coordinates: Coordinates
  /// True if the ends of normalized coordinates are the centres of the corner pixels; false if they are the edges of the image.
  package var alignCorners: Bool

  package init(takesNearest: Bool, padding: Padding, coordinates: Coordinates, alignCorners: Bool) {
    self.takesNearest = takesNearest
    self.padding = padding
    self.coordinates = coordinates
    self.alignCorners = alignCorners
  }
}
