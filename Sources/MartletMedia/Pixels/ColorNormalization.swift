/// What becomes of the red, green and blue of a pixel: `sample * scale + bias`, with samples 0...255.
package struct ColorNormalization: Sendable, Equatable {
  package var scale: SIMD3<Float>
  package var bias: SIMD3<Float>

  package init(scale: SIMD3<Float>, bias: SIMD3<Float>) {
    self.scale = scale
    self.bias = bias
  }

  /// `(sample * factor - mean) / standardDeviation`, whose entries must not be 0.
  package init(factor: Float, mean: SIMD3<Float>, standardDeviation: SIMD3<Float>) {
    self.init(scale: factor / standardDeviation, bias: -mean / standardDeviation)
  }
}
