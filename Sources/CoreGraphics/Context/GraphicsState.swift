import Foundation

/// How much of each pixel a clip leaves.
final class CoverageMask: Sendable {
  let bounds: PixelRect
  /// Rows of `bounds`, 0…1.
  let coverage: [Float]

  init(_ bounds: PixelRect, _ coverage: [Float]) {
    self.bounds = bounds
    self.coverage = coverage
  }

  func row(_ row: Int, from left: Int) -> ArraySlice<Float> {
    let start = (row - bounds.top) * bounds.width
    return coverage[start + left - bounds.left..<start + bounds.width]
  }
}

/// The state of a context that drawing depends on and `saveGState` saves.
struct GraphicsState {
  var transform = CGAffineTransform.identity
  var fill: Pixel
  var stroke: Pixel
  var fillSpace: CGColorSpace
  var strokeSpace: CGColorSpace
  var alpha: Float = 1
  var blendMode = CGBlendMode.normal
  var style = StrokeStyle()
  var quality = CGInterpolationQuality.default
  var isAntialiased = true
  /// The pixels that may change.
  var clipBounds: PixelRect
  /// How much of the pixels of `clipBounds` may change; nil for all.
  var clipMask: CoverageMask?
}
