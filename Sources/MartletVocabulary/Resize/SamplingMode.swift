/// The points at which an axis, or a part of it, is sampled.
///
/// The part ranges from position `a` to position `b` (its first and last pixel), with `extent = b - a + 1`. There are `count` points.
package enum SamplingMode: Sendable, Hashable {
  /// The first and the last point are `a` and `b`; a single point is `a`.
  case strictAlignCorners
  /// As `strictAlignCorners`, but a single point is in the middle.
  case alignCorners
  /// Points at distances of `extent / count`, starting at `a`.
  case regular
  /// The centres of `count` equal parts of `max(1, b - a)`.
  case offsetCorners
  /// The centres of `count` equal parts of `extent`, with pixels as areas.
  case unalignCorners
}
