/// Where the points lie at which an axis, or a stretch of it, is sampled.
///
/// The stretch runs from position `a` to position `b` (its first and last pixel), `extent = b - a + 1`; there are `count` points.
package enum SamplingMode: Sendable, Hashable {
  /// The first and the last point are `a` and `b`; a single point is `a`.
  case strictAlignCorners
  /// As `strictAlignCorners`, but a single point lies in the middle.
  case alignCorners
  /// Points `extent / count` apart from `a` on.
  case regular
  /// The middles of `count` equal parts of `max(1, b - a)`.
  case offsetCorners
  /// Pixels as areas: the middles of `count` equal parts of `extent`.
  case unalignCorners
}
