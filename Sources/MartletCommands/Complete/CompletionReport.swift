import MartletBytes
import MartletTextGeneration

/// The figures of `martlet complete`.
struct CompletionReport {
  let modelPath: String
  let prompt: String
  let text: String
  let seed: UInt64
  let loadTime: Duration
  let statistics: Generation.Statistics
  let ending: Generation.Ending
  let threads: Int
  let weights: WeightTraffic?

  /// From the start of loading to the first token.
  private var firstTokenSeconds: Double { (loadTime + statistics.firstTokenTime).seconds }

  private var endingName: String {
    switch ending {
    case .endToken: "end"
    case .limit: "limit"
    case .stopped: "interrupted"
    }
  }

  /// Lines for standard error.
  var lines: String {
    var parts: [String] = []
    if statistics.promptTime > .zero {
      parts.append(
        "prompt \(Formatting.count(statistics.promptTokenCount, "token")), \(Formatting.significant(statistics.promptRate)) per second")
    }
    if statistics.generatedTokenCount > 0 {
      parts.append(
        "generated \(Formatting.count(statistics.generatedTokenCount, "token")), "
          + "\(Formatting.significant(statistics.generationRate)) per second")
      parts.append("first token after \(Formatting.seconds(firstTokenSeconds)), loading included")
    }
    parts += [Formatting.count(threads, "thread"), "seed \(seed)"]
    let line = parts.joined(separator: "; ")
    guard let weights, let memory = weights.memoryBytesPerSecond, let share = weights.share(statistics.generationRate) else { return line }
    return line + "\neach token reads \(Formatting.bytes(weights.byteCount)) of weights: "
      + "\(Formatting.significant(weights.bytesPerSecond(statistics.generationRate) / 1e9)) GB/s, "
      // In range: floating-point numbers.
      + "\(Formatting.fixed(share * 100, 0)) % of the memory's \(Formatting.significant(memory * 1e-9)) GB/s"
  }

  var json: JSONValue {
    .members([
      "model": .string(modelPath), "prompt": .string(prompt), "text": .string(text), "ending": .string(endingName),
      "seed": Int(exactly: seed).map { .integer($0) } ?? .string("\(seed)"), "threads": .integer(threads),
      "promptTokens": .integer(statistics.promptTokenCount), "promptTokensPerSecond": .finite(statistics.promptRate),
      "generatedTokens": .integer(statistics.generatedTokenCount), "tokensPerSecond": .finite(statistics.generationRate),
      "loadSeconds": .number(loadTime.seconds), "firstTokenSeconds": .number(firstTokenSeconds),
      "weightBytesPerToken": weights.map { .integer($0.byteCount) } ?? .null,
      "memoryBytesPerSecond": weights?.memoryBytesPerSecond.map { .number($0) } ?? .null,
      "memoryShare": weights?.share(statistics.generationRate).map { .number($0) } ?? .null,
    ])
  }
}
