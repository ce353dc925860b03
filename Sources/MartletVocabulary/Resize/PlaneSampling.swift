/// Images sampled at places that are given one by one or by an affine map of the result's places. Everything is float32.
package struct PlaneSampling: Sendable, Hashable {
  package enum Padding: Sendable, Hashable {
    /// Pixels outside have this value.
    case constant(Float)
    /// Those of the nearest pixel inside.
    case border
    /// The image mirrored at the middles of its border pixels.
    case reflection
    /// The image mirrored at its edges.
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
  /// Whether the ends of normalized coordinates are the middles of the corner pixels, or the image's edges.
  package var alignCorners: Bool

  package init(takesNearest: Bool, padding: Padding, coordinates: Coordinates, alignCorners: Bool) {
    self.takesNearest = takesNearest
    self.padding = padding
    self.coordinates = coordinates
    self.alignCorners = alignCorners
  }
}
