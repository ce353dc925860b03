import MartletSystem
import MartletCoreMLFile
import MartletFeatures
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Spectrograms for networks that classify sound.
extension ClassicRows {
  /// The logarithmic mel spectrogram of 0.975 s of sound, as VGGish takes it: 96 frames of 64 bands.
  ///
  /// Frames of 400 samples, 160 apart, with a periodic Hann window; magnitudes of a Fourier transform of 512 elements; mel filters; log(x + 0.01).
  /// The format's comment states all numbers except for the shape of the filters, which is that of TensorFlow's `mel_features.py`. Computed in double
  /// precision.
  func addVGGish(_ member: ClassicMember) throws {
    guard let input = member.function.inputs.first, let output = member.function.outputs.first else {
      throw CallError("there is no input or no output")
    }
    let filters = MelFilters(bandCount: 64, lowest: 125, highest: 7500, transformLength: 512, sampleRate: 16000)
    let samples = try converted(feature(input.name), to: .float64)
    try check(samples, columns: SoundAnalysisPreprocessing.vggishSampleCount)
    let window = (0..<400).map { 0.5 - 0.5 * cos(2 * .pi * Double($0) / 400) }
    let frames = try applied(Unfold(axis: 1, size: window.count, step: 160), [samples])
    let windowed = try map("window", frames, row(window)) { build, x in build.binary(.mul, x[0], x[1]) }
    let padded = try applied(
      Pad(.constant, before: [.constant(0)], after: [.constant(filters.transformLength - window.count)]),
      [windowed, number(.double(0))])
    let spectrum = try applied(RealFourier(axes: [2], scaling: .none, isOneSided: true), [padded])
    let magnitudes = try applied(ComplexPointwise(.magnitude, dtype: .float64), [spectrum])
    let weights = builder.addConstant(Constant(filters.weights, shape: [filters.binCount, filters.bandCount]))
    let bands = try applied(MatMul(dtype: .float64), [magnitudes, weights])
    let logarithms = try map("log", bands) { build, x in
      let sum = build.binary(.add, x[0], build.literal(0.01))
      build.unary(.log, sum)
    }
    let count = Extent.product(SoundAnalysisPreprocessing.vggishOutputShape).clamped
    set(try reshaped(logarithms, [GraphNumber(-1), GraphNumber(count)]), as: output.name)
  }
}

/// Triangular filters whose edges are equally spaced on the mel scale, 1127 ln(1 + f / 700). Along that scale a filter rises linearly from 0 at its
/// lower edge to 1 at its centre, which is the next filter's lower edge, and falls to 0 at its upper edge.
struct MelFilters {
  let bandCount: Int
  let transformLength: Int
  /// Row-major: a row for each frequency of the transform, a column for each band. The frequency 0 counts for no band.
  let weights: [Double]

  /// Number of frequencies of a transform of real elements.
  // In range: at most the length.
  var binCount: Int { transformLength / 2 + 1 }

  /// - Parameters:
  ///   - lowest, highest: the outer edges of the first and the last band, in hertz.
  ///   - sampleRate: in hertz.
  init(bandCount: Int, lowest: Double, highest: Double, transformLength: Int, sampleRate: Double) {
    self.bandCount = bandCount
    self.transformLength = transformLength
    func mel(_ frequency: Double) -> Double { 1127 * log(1 + frequency / 700) }
    let step = (mel(highest) - mel(lowest)) / Double(bandCount + 1)
    let edges = (0..<bandCount + 2).map { mel(lowest) + step * Double($0) }
    weights = (0...transformLength / 2).flatMap { bin -> [Double] in
      let position = mel(Double(bin) * sampleRate / Double(transformLength))
      return (0..<bandCount).map { band in
        let rise = (position - edges[band]) / (edges[band + 1] - edges[band])
        let fall = (edges[band + 2] - position) / (edges[band + 2] - edges[band + 1])
        return bin == 0 ? 0 : max(0, min(rise, fall))
      }
    }
  }
}
