import MartletSystem
import Martlet
import MartletKernels
import MartletTensor
import MartletTextGeneration

/// Bytes of weights that a token reads, and the share of the memory's bandwidth that this takes.
struct WeightTraffic {
  /// Bytes of the weights, without tables of which a token reads one row.
  let byteCount: Int
  /// Read bandwidth of this machine's memory, in bytes per second; nil for weights that fit the caches.
  let memoryBytesPerSecond: Double?

  /// Bytes of weights from which on the memory is measured, which takes a moment.
  private static let measuredByteCount = 64 << 20

  /// Reads the file's layout, not its weights.
  init?(of model: LanguageModel, _ options: ModelOptions) {
    guard let inspection = try? ModelInspection(contentsOf: model.model.url, dataFiles: options.dataFiles, options: options),
      let method = inspection.methods.first(where: { $0.signature.name == model.decode.name })
    else { return nil }
    byteCount = Extent.sum(method.weights.filter { !$0.isTable }.map(\.byteCount)).clamped
    guard byteCount >= Self.measuredByteCount else {
      memoryBytesPerSecond = nil
      return
    }
    memoryBytesPerSecond = ProcessorPeak(threads: model.model.threads).bytesReadPerSecond(seconds: 0.1)
  }

  func bytesPerSecond(_ tokensPerSecond: Double) -> Double { Double(byteCount) * tokensPerSecond }

  /// The share of the memory's rate that was used.
  func share(_ tokensPerSecond: Double) -> Double? { memoryBytesPerSecond.map { bytesPerSecond(tokensPerSecond) / max($0, 1) } }
}
