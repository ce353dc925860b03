import MartletBytes
import MartletTensor

/// Reads files of tiktoken: a token in base 64 and its rank on each line. The files name neither a pattern nor special tokens.
struct TiktokenReader {
  static func read(
    _ bytes: [UInt8], pattern: String, specialTokens: [(text: String, id: Int?)], startToken: String?, endToken: String?
  ) throws(TokenizerError) -> Pipeline {
    var vocabulary = Vocabulary(stringCount: bytes.count / 16, byteCount: bytes.count / 2)
    var token: [UInt8] = []
    var line = 0
    var position = 0
    while position < bytes.count {
      line += 1
      let end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
      var text = bytes[position..<end]
      position = end + 1
      if text.last == 0x0D { text = text.dropLast() }
      if text.isEmpty { continue }
      func error(_ reason: String) -> TokenizerError { TokenizerError(field: "line \(line)", reason) }
      guard let blank = text.firstIndex(of: 0x20) else { throw error("is not a token and its rank") }
      token.removeAll(keepingCapacity: true)
      let isBase64 = unsafe bytes.withUnsafeBufferPointer {
        unsafe Base64.append(UnsafeBufferPointer(rebasing: $0[text.startIndex..<blank]), to: &token)
      }
      guard isBase64, !token.isEmpty else { throw error("the token is not base 64") }
      guard let rank = Self.number(text[(blank + 1)...]) else { throw error("the rank is not a number") }
      do throws(TokenizerError) {
        guard !vocabulary.contains(id: rank) else { throw TokenizerError("the rank \(rank) occurs twice") }
        guard try vocabulary.insert(token, id: rank) else { throw TokenizerError("the token occurs twice") }
      } catch {
        throw error.within("line \(line)")
      }
    }
    var specials: [(text: String, id: Int)] = []
    for special in specialTokens {
      // In range: ids are bounded.
      specials.append((special.text, special.id ?? vocabulary.count + specials.count))
    }
    return try RankedPipeline.make(vocabulary, pattern: pattern, specials, startToken: startToken, endToken: endToken)
  }

  /// Decimal digits; nil for anything else and for more than nine.
  private static func number(_ text: ArraySlice<UInt8>) -> Int? {
    guard !text.isEmpty, text.count <= 9 else { return nil }
    var value = 0
    for digit in text {
      guard digit &- 0x30 < 10 else { return nil }
      value = value &* 10 &+ Int(widening: digit &- 0x30)
    }
    return value
  }
}

/// The pipeline that tiktoken and tekken share.
enum RankedPipeline {
  static func make(
    _ vocabulary: Vocabulary, pattern: String, _ specialTokens: [(text: String, id: Int)], startToken: String?, endToken: String?
  ) throws(TokenizerError) -> Pipeline {
    for byte in UInt8.min...UInt8.max where vocabulary.id([byte]) < 0 {
      throw TokenizerError("there is no token for the byte \(byte)")
    }
    let rule = RankRule(vocabulary: vocabulary, priorities: nil)
    var pipeline = Pipeline(model: .ranked(RankedModel(vocabulary: vocabulary, rule: rule)))
    do {
      pipeline.patterns = [try RegexProgram(pattern, dialect: .rust)]
    } catch {
      throw TokenizerError(field: "pattern", "is wrong or not supported: \(error)")
    }
    // Text that the pattern does not match is dropped.
    pipeline.preTokenizers = [.pattern(0, .removed, inverted: true)]
    var tokens: [AddedTokens.Token] = []
    for special in specialTokens {
      guard special.id >= 0, special.id < TokenizerLimits.tokenCount, !special.text.isEmpty else {
        throw TokenizerError(field: "special tokens", "'\(special.text)' has a wrong id or text")
      }
      let content = Array(special.text.utf8)
      tokens.append(AddedTokens.Token(id: Int32(clamping: special.id), content: content, normalizedContent: content, isSpecial: true))
    }
    pipeline.added = AddedTokens(tokens)
    pipeline.startID = startToken.flatMap { pipeline.id(Array($0.utf8)) }
    pipeline.endID = endToken.flatMap { pipeline.id(Array($0.utf8)) }
    return pipeline
  }
}
