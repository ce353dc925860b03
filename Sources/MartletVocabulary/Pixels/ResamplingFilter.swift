/// How samples are weighted when the number of rows or columns changes.
package enum ResamplingFilter: Sendable, Hashable, CaseIterable {
  /// The sample at the centre of an output position.
  case nearest
  /// The mean of the samples whose centres lie in the output position.
  case box
  /// The triangle filter, radius 1.
  case bilinear
  /// Keys' cubic with a = -0.5, radius 2.
  case bicubic
  /// The windowed sinc function, radius 3.
  case lanczos
  /// Every sample by the share of it that the output position covers, as OpenCV's `INTER_AREA` for reductions.
  case area
}
