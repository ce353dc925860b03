import MartletBytes
import MartletTensor

/// Reads the tokenizer files of llama2.c: sizes and ids, then a score and a text for each token.
struct LlamaBinaryReader {
  static func read(_ file: ByteView) throws(TokenizerError) -> LlamaBinaryEngine {
    func number(at offset: Int, _ field: String) throws(TokenizerError) -> Int32 {
      do { return try file.load(Int32.self, at: offset, field: field) } catch { throw TokenizerError(error) }
    }
    let count = Int(widening: try number(at: 0, "vocab_size"))
    let start = Int(widening: try number(at: 4, "bos_id"))
    let end = Int(widening: try number(at: 8, "eos_id"))
    let longest = Int(widening: try number(at: 12, "max_token_length"))
    guard count > 0, count <= TokenizerLimits.tokenCount else {
      throw TokenizerError(field: "vocab_size", "\(count) is not from 1 to \(TokenizerLimits.tokenCount)")
    }
    guard longest >= 0, longest <= TokenizerLimits.tokenByteCount else {
      throw TokenizerError(field: "max_token_length", "\(longest) is not from 0 to \(TokenizerLimits.tokenByteCount)")
    }
    guard (0..<count).contains(start), (0..<count).contains(end) else {
      throw TokenizerError(field: "bos_id", "\(start) or \(end) is not below \(count)")
    }
    var pieces: [[UInt8]] = []
    var scores: [Float] = []
    var vocabulary = Vocabulary()
    var position = 16
    while pieces.count < count, position < file.count {
      let field = "vocab[\(pieces.count)]"
      let score = Float(bitPattern: UInt32(bitPattern: try number(at: position, field)))
      guard !score.isNaN else { throw TokenizerError(field: field, "the score is not a number") }
      let length = Int(widening: try number(at: position + 4, field))
      guard length >= 0, length <= TokenizerLimits.tokenByteCount else {
        throw TokenizerError(field: field, "\(length) bytes are too many")
      }
      let piece: [UInt8]
      do { piece = try file.slice(offset: position + 8, count: length, field: field).array } catch { throw TokenizerError(error) }
      // The first of equal tokens counts. In range: a view's positions.
      _ = try vocabulary.insert(piece, id: pieces.count)
      pieces.append(piece)
      scores.append(score)
      position += 8 + length
    }
    // A short file stands for tokens that pad the vocabulary.
    guard pieces.count >= 259 || pieces.count == count else {
      throw TokenizerError(field: "vocab", "ends after \(pieces.count) of \(count) tokens")
    }
    return LlamaBinaryEngine(
      pieces: pieces, count: count, vocabulary: vocabulary,
      rule: RankRule(vocabulary: vocabulary, priorities: RankRule.priorities(ofScores: scores)),
      startID: start, endID: end)
  }
}

/// The tokenizer of llama2.c: pairs merge in the order of the scores of what they become.
struct LlamaBinaryEngine: TokenEngine {
  let pieces: [[UInt8]]
  let count: Int
  let vocabulary: Vocabulary
  let rule: RankRule
  let startID: Int?
  let endID: Int?

  var idEnd: Int { count }
  var patterns: [RegexProgram] { [] }

  func encode(
    _ text: UnsafeBufferPointer<UInt8>, parsesSpecialTokens: Bool, tracksOffsets: Bool, _ workspace: Workspace
  ) throws(TokenizerError) -> (ids: [Int], offsets: [Range<Int>]) {
    guard text.count < Int(Int32.max) / 4 else { throw TokenizerError("a text of \(text.count) bytes is too long") }
    guard text.count > 0 else { return ([], []) }
    // A blank before the text.
    var bytes: [UInt8] = [0x20]
    unsafe bytes.append(contentsOf: text)
    var parts: [MergePart] = []
    unsafe bytes.withUnsafeBufferPointer { bytes in
      var position = 0
      while position < bytes.count {
        let end = unsafe position + UTF8Text.length(first: bytes[position])
        let id = unsafe vocabulary.id(UnsafeBufferPointer(rebasing: bytes[position..<end]))
        if id >= 0 {
          parts.append(MergePart(id: id, start: Int32(truncatingIfNeeded: position), end: Int32(truncatingIfNeeded: end)))
        } else {
          // The tokens of bytes follow three others. Their texts are names, so that they do not merge.
          for index in position..<end {
            let id = unsafe min(Int(widening: bytes[index]) + 3, count - 1)
            parts.append(
              MergePart(
                id: FreezingRule.frozen(Int32(clamping: id)), start: Int32(truncatingIfNeeded: index),
                end: Int32(truncatingIfNeeded: index + 1)))
          }
        }
        position = end
      }
      unsafe workspace.merger.merge(&parts, by: FreezingRule(rule: rule), in: bytes)
    }
    let ids = parts.map { Int(widening: FreezingRule.thawed($0.id)) }
    guard tracksOffsets else { return (ids, []) }
    return (ids, parts.map { max(Int(widening: $0.start) - 1, 0)..<Int(widening: $0.end) - 1 })
  }

  func piece(_ id: Int) -> [UInt8]? {
    pieces.indices.contains(id) ? pieces[id] : (0..<count).contains(id) ? Array("<pad>".utf8) : nil
  }

  func id(_ piece: [UInt8]) -> Int? {
    let id = vocabulary.id(piece)
    return id < 0 ? nil : Int(widening: id)
  }

  func isSpecial(_ id: Int) -> Bool { id == startID || id == endID }

  func decode(_ ids: [Int], skipsSpecialTokens: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    var isFirst = true
    for id in ids where !(skipsSpecialTokens && isSpecial(id)) {
      bytes += increment(id, isFirst: isFirst) ?? []
      isFirst = false
    }
    return Array(String(decoding: bytes, as: UTF8.self).utf8)
  }

  func increment(_ id: Int, isFirst: Bool) -> [UInt8]? {
    guard let piece = piece(id) else { return [] }
    if let byte = ByteTokens.byte(of: piece) { return [byte] }
    return isFirst && piece.first == 0x20 ? Array(piece.dropFirst()) : piece
  }
}
