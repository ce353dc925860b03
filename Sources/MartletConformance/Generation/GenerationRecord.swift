import MartletBytes
import FoundationEssentials
import MartletSystem
import MartletMedia

/// What a language model says to prompts: `generation.json` in a case's folder. Members that say nothing about this are ignored.
struct GenerationRecord {
  struct Continuation {
    var prompt: String?
    var promptTokens: [Int]?
    var tokens: [Int]
    /// Difference between the largest logit and the next one, for each token, or the least of these for all.
    var margins: [Double]
    var leastMargin: Double?
    /// The text of `tokens`.
    var text: String?

    /// The number of tokens before the first whose choice is as close as `noise`.
    func certainCount(_ noise: Double) -> Int {
      if margins.isEmpty { return leastMargin.map { $0 > noise } ?? true ? tokens.count : 0 }
      return min(margins.firstIndex { $0 <= noise } ?? tokens.count, tokens.count)
    }
  }

  /// Path of the tokenizer, relative to the folder or the one above.
  var tokenizer: String?
  var addsStartToken = false
  var continuations: [Continuation] = []

  /// - Returns: nil if there is no such file.
  init?(folder: String) throws {
    let path = "\(folder)/generation.json"
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let json = try JSONValue(parsing: FileContents.read(path: path))
    tokenizer = json["tokenizer"]?.string
    addsStartToken = json["add_bos"] == .boolean(true)
    for item in json["generations"]?.items ?? [] {
      guard let tokens = (item["generated_ids"] ?? item["ids"])?.integers else { continue }
      continuations.append(
        Continuation(
          prompt: item["prompt"]?.string, promptTokens: item["prompt_ids"]?.integers, tokens: tokens,
          margins: (item["margins"]?.items ?? []).compactMap(\.double), leastMargin: item["min_margin"]?.double,
          text: item["text"]?.string))
    }
  }
}

extension JSONValue {
  /// A member of an object; nil for other values.
  subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The items of an array; nil for other values.
  var items: [JSONValue]? { if case .array(let items) = self { items } else { nil } }
  var string: String? { if case .string(let text) = self { text } else { nil } }
  var integer: Int? { if case .integer(let number) = self { number } else { nil } }
}
