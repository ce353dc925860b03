import MartletBytes
import MartletTensor

/// Reads Mistral's `tekken.json`.
struct TekkenReader {
  static func read(_ document: JSONDocument) throws(TokenizerError) -> Pipeline {
    let root = JSONField(element: document.root, path: "")
    let config = try root.required("config")
    let pattern = try config.text("pattern")
    let limit = TokenizerLimits.tokenCount
    let size = try config.required("default_vocab_size").integer(1...limit)
    let specialCount = try config.required("default_num_special_tokens").integer(0...size)
    let count = size - specialCount
    let vocab = try root.required("vocab")
    guard vocab.element.kind == .array else { throw vocab.error("is not a list") }
    var vocabulary = Vocabulary(stringCount: min(count, document.bytes.count / 16), byteCount: document.bytes.count / 8)
    var number = 0
    var text: [UInt8] = []
    var token: [UInt8] = []
    try vocab.element.forEachElement { (element) throws(TokenizerError) in
      // Ids beyond the vocabulary's size are left out.
      guard number < count else { return }
      func error(_ reason: String) -> TokenizerError { TokenizerError(field: "vocab[\(number)]", reason) }
      var rank: Int?
      text.removeAll(keepingCapacity: true)
      token.removeAll(keepingCapacity: true)
      element.forEachMember { key, value in
        if key.equals("rank") { rank = value.shortInteger }
        if key.equals("token_bytes") { value.appendString(to: &text) }
      }
      guard rank == number else { throw error("the rank is not \(number)") }
      let isBase64 = unsafe text.withUnsafeBufferPointer { unsafe Base64.append($0, to: &token) }
      guard isBase64, !token.isEmpty else { throw error("'token_bytes' is not base 64") }
      do throws(TokenizerError) {
        // In range: both are bounded.
        guard try vocabulary.insert(token, id: specialCount + number) else { throw TokenizerError("the token occurs twice") }
      } catch {
        throw error.within("vocab[\(number)]")
      }
      number += 1
    }
    guard number == count else { throw vocab.error("has \(number) tokens instead of \(count)") }
    let specials = try specialTokens(root, count: specialCount)
    return try RankedPipeline.make(vocabulary, pattern: pattern, specials, startToken: "<s>", endToken: "</s>")
  }

  /// Special tokens have the first ids. Files of old versions do not list them.
  private static func specialTokens(_ root: JSONField, count: Int) throws(TokenizerError) -> [(text: String, id: Int)] {
    var texts: [Int: String] = [:]
    if let list = root.optional("special_tokens") {
      for item in try list.elements() {
        let rank = try item.required("rank").integer(0...max(count - 1, 0))
        guard texts.updateValue(try item.text("token_str"), forKey: rank) == nil else { throw item.error("the rank \(rank) occurs twice") }
      }
    } else {
      for (id, text) in oldSpecialTokens.enumerated() where id < count { texts[id] = text }
    }
    return (0..<count).map { (texts[$0] ?? "<SPECIAL_\($0)>", $0) }
  }

  private static let oldSpecialTokens = [
    "<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]",
    "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]",
  ]
}
