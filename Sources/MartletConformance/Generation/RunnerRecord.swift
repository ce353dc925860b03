import MartletBytes
import FoundationEssentials
import MartletSystem
import MartletMedia
import MartletTextGeneration

/// Conversations with ExecuTorch's own runner: `runner_cases.json`, written by Oracles/make_runner_cases.py.
struct RunnerRecord {
  struct Call {
    var prompt: String
    var options: TextGenerator.Options
    /// The number of pieces after which the call is stopped.
    var stopCount: Int?
    /// What the callback got; nil if only the text is known.
    var pieces: [String]?
    var text: String?
    /// Whether the call fails.
    var fails: Bool
    var leastMargin: Double?
  }

  enum Step {
    case call(Call)
    case reset
  }

  var tokenizer: String?
  /// Each with the model's file; nil for the case's own.
  var conversations: [(model: String?, steps: [Step])] = []

  /// - Returns: nil if there is no such file.
  init?(folder: String) throws {
    let path = "\(folder)/runner_cases.json"
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let json = try JSONValue(parsing: FileContents.read(path: path))
    tokenizer = json["tokenizer"]?.string
    for run in json["runs"]?.items ?? json["cases"]?.items ?? json.items ?? [] {
      let calls = run["calls"]?.items ?? run.items ?? [run]
      conversations.append((run["model"]?.string, calls.compactMap(Self.step)))
    }
  }

  private static func step(_ json: JSONValue) -> Step? {
    if json["reset"] == .boolean(true) { return .reset }
    guard let prompt = json["prompt"]?.string else { return nil }
    let settings = json["config"] ?? json
    var options = TextGenerator.Options()
    options.choosesFirstTokenAsUpstream = true
    options.echoesPrompt = settings["echo"] != .boolean(false)
    func count(_ key: String) -> Int? { settings[key]?.integer.flatMap { $0 == -1 ? nil : $0 } }
    options.maximumTokenCount = count("max_new_tokens")
    options.maximumLength = count("seq_len")
    options.startTokenCount = settings["num_bos"]?.integer ?? 0
    options.endTokenCount = settings["num_eos"]?.integer ?? 0
    options.sampling.temperature = Float(settings["temperature"]?.double ?? 0)
    let status = json["status"]?.integer ?? 0
    return .call(
      Call(
        prompt: prompt, options: options, stopCount: json["stop_at"]?.integer, pieces: json["pieces"]?.strings, text: json["text"]?.string,
        fails: status != 0, leastMargin: json["min_margin"]?.double))
  }
}
