import MartletBytes
import MartletFeatures

/// The conversion of a waveform to the spectrogram that a network takes.
package enum SoundAnalysisPreprocessing: Sendable, Equatable {
  /// 15600 samples at 16 kHz to 96 frames of 64 logarithmic mel bands.
  case vggish

  package static let vggishSampleCount = 15600
  package static let vggishOutputShape = [1, 96, 64]
}

extension ClassicReader {
  func soundAnalysisPreprocessing(_ source: SpecSoundAnalysisPreprocessing) throws(FileError) -> SoundAnalysisPreprocessing {
    guard case .vggish? = source.soundAnalysisPreprocessingType else {
      throw error("SoundAnalysisPreprocessingType", "the kind of preprocessing is missing")
    }
    let input = try interface.only(.input, .multiArray)
    let output = try interface.only(.output, .multiArray)
    for (side, feature, shape) in [
      (ClassicInterface.Side.input, input, [SoundAnalysisPreprocessing.vggishSampleCount]),
      (.output, output, SoundAnalysisPreprocessing.vggishOutputShape),
    ] {
      guard feature.array?.shape == shape, feature.array?.dataType == .float32 else {
        throw interface.error(side, feature, "is not an array of float32 with the shape \(shape)")
      }
    }
    return .vggish
  }
}
