/// Per-channel normalisation of red, green and blue: `sample * scale + bias`, with samples from 0 to 255.
package struct ColorNormalization: Sendable, Equatable {
  package var scale: SIMD3<Float>
  package var bias: SIMD3<Float>

  package init(scale: SIMD3<Float>, bias: SIMD3<Float>) {
    self.scale = scale
    self.bias = bias
  }

  /// `(sample * factor - mean) / standardDeviation`. Standard deviations must not be 0.
  package init(factor: Float, mean: SIMD3<Float>, standardDeviation: SIMD3<Float>) {
    self.init(scale: factor / standardDeviation, bias: -mean / standardDeviation)
  }
}
