import MartletBytes
import MartletTensor

/// Reads the field `model` of a `tokenizer.json`.
struct HuggingFaceModelReader {
  private let field: JSONField

  /// True if a model's words may be bytes instead of letters of the byte-level alphabet.
  static func canUseBytes(_ field: JSONField) -> Bool {
    guard (try? type(of: field)) == "BPE" else { return false }
    let isPlain = ["continuing_subword_prefix", "end_of_word_suffix"].allSatisfy { (field.optional($0)?.element.string ?? "").isEmpty }
    return isPlain && field.optional("byte_fallback")?.element.boolean != true
  }

  static func read(_ field: JSONField, usesBytes: Bool) throws(TokenizerError) -> TokenModel {
    let reader = HuggingFaceModelReader(field: field)
    switch try type(of: field) {
    case "BPE": return .bytePair(try reader.bytePairModel(usesBytes: usesBytes))
    case "Unigram": return .unigram(try reader.unigramModel())
    case "WordPiece": return .wordPiece(try reader.wordPieceModel())
    case "WordLevel":
      let vocabulary = try reader.vocabulary()
      return .wordLevel(WordLevelModel(vocabulary: vocabulary, unknown: vocabulary.id(try field.text("unk_token"))))
    case let type: throw field.error("the model '\(type)' is not supported")
    }
  }

  /// The model's type; files of old versions do not name it.
  private static func type(of field: JSONField) throws(TokenizerError) -> String {
    if let type = field.optional("type") { return try type.text() }
    if field.optional("merges") != nil { return "BPE" }
    if field.optional("vocab")?.element.kind == .array { return "Unigram" }
    return field.optional("continuing_subword_prefix") == nil ? "WordLevel" : "WordPiece"
  }

  /// Tokens and their ids.
  private func vocabulary() throws(TokenizerError) -> Vocabulary {
    let field = try field.required("vocab")
    guard field.element.kind == .object else { throw field.error("is not an object") }
    let count = field.element.count
    guard count <= TokenizerLimits.tokenCount else {
      throw field.error("has \(count) tokens, more than \(TokenizerLimits.tokenCount)")
    }
    var vocabulary = Vocabulary(stringCount: count, byteCount: count * 7)
    var bytes: [UInt8] = []
    try field.element.forEachMember { (key, value) throws(TokenizerError) in
      bytes.removeAll(keepingCapacity: true)
      key.appendString(to: &bytes)
      guard let id = value.shortInteger else {
        throw TokenizerError(field: "\(field.path).\(key.string ?? "")", "is not an id")
      }
      do throws(TokenizerError) {
        guard try vocabulary.insert(bytes, id: id) else { throw TokenizerError("the token occurs twice") }
      } catch {
        throw error.within("\(field.path).\(key.string ?? "")")
      }
    }
    return vocabulary
  }

  // MARK: Byte pairs

  private func bytePairModel(usesBytes: Bool) throws(TokenizerError) -> BytePairModel {
    let vocabulary = try vocabulary()
    var byteVocabulary: Vocabulary?
    if usesBytes { byteVocabulary = try Self.byteVocabulary(vocabulary) }
    var model = BytePairModel(vocabulary: vocabulary, byteVocabulary: byteVocabulary, merges: MergeTable(pairCount: 0))
    model.prefix = try field.optional("continuing_subword_prefix")?.bytes() ?? []
    model.suffix = try field.optional("end_of_word_suffix")?.bytes() ?? []
    model.fusesUnknown = try field.flag("fuse_unk", default: false)
    model.ignoresMerges = try field.flag("ignore_merges", default: false)
    if let dropout = field.optional("dropout") {
      let value = try dropout.number()
      guard value >= 0, value <= 1 else { throw dropout.error("is not a probability") }
      model.dropout = Float(value)
    }
    if let unknown = field.optional("unk_token") {
      model.unknown = vocabulary.id(try unknown.bytes())
      guard model.unknown >= 0 else { throw unknown.error("is not in the vocabulary") }
    }
    if try field.flag("byte_fallback", default: false) { model.fallback = ByteTokens.ids(in: vocabulary) }
    if let byteVocabulary { model.byteTokens = (0..<256).map { byteVocabulary.id([UInt8(truncatingIfNeeded: $0)]) } }
    let merges = try merges(vocabulary, prefixCount: model.prefix.count)
    model.merges = merges.table
    model.dividesAtMarks =
      !merges.joinMarks && byteVocabulary == nil && !model.ignoresMerges && model.prefix.isEmpty && model.suffix.isEmpty
      && vocabulary.id(BlankMark.bytes) >= 0
    return model
  }

  /// The vocabulary in bytes. Tokens with other letters never come out of a byte-level text.
  private static func byteVocabulary(_ vocabulary: Vocabulary) throws(TokenizerError) -> Vocabulary {
    var result = Vocabulary(stringCount: vocabulary.count, byteCount: vocabulary.byteCount)
    var bytes: [UInt8] = []
    for id in 0..<vocabulary.idEnd {
      bytes.removeAll(keepingCapacity: true)
      let isMapped = unsafe vocabulary.withBytes(of: id) { unsafe ByteAlphabet.append($0, to: &bytes) }
      if isMapped == true, !bytes.isEmpty { _ = try result.insert(bytes, id: id) }
    }
    return result
  }

  /// The merges, and whether some join `▁` to what is before it.
  private func merges(
    _ vocabulary: Vocabulary, prefixCount: Int
  ) throws(TokenizerError) -> (table: MergeTable, joinMarks: Bool) {
    let field = try field.required("merges")
    guard field.element.kind == .array else { throw field.error("is not a list") }
    let count = field.element.count
    guard count <= TokenizerLimits.tokenCount else { throw field.error("has \(count) pairs, more than \(TokenizerLimits.tokenCount)") }
    var table = MergeTable(pairCount: count)
    var bytes: [UInt8] = []
    var joinMarks = false
    var number = 0
    try field.element.forEachElement { (element) throws(TokenizerError) in
      bytes.removeAll(keepingCapacity: true)
      var split = 0
      var isPair = false
      if element.kind == .string {
        element.appendString(to: &bytes)
        // Two tokens with a blank between them.
        if let blank = bytes.firstIndex(of: 0x20) {
          split = blank
          bytes.remove(at: blank)
          isPair = !bytes[blank...].contains(0x20)
        }
      } else {
        var parts = 0
        element.forEachElement { part in
          if parts == 1 { split = bytes.count }
          if part.appendString(to: &bytes) { parts += 1 } else { parts = 3 }
        }
        isPair = parts == 2
      }
      guard isPair else { throw TokenizerError(field: "\(field.path)[\(number)]", "is not a pair of tokens") }
      let ids = unsafe bytes.withUnsafeBufferPointer { bytes -> (Int32, Int32, Int32) in
        let right = unsafe vocabulary.id(UnsafeBufferPointer(rebasing: bytes[split...]))
        let left = unsafe vocabulary.id(UnsafeBufferPointer(rebasing: bytes[..<split]))
        if unsafe BlankMark.isAt(split, in: bytes) && !BlankMark.isAt(split - 3, in: bytes) { joinMarks = true }
        // The prefix of the right token is not part of the whole.
        if prefixCount == 0 { return unsafe (left, right, vocabulary.id(bytes)) }
        let whole = unsafe Array(bytes[..<split]) + Array(bytes[split...].dropFirst(prefixCount))
        return (left, right, vocabulary.id(whole))
      }
      guard ids.0 >= 0, ids.1 >= 0, ids.2 >= 0 else {
        throw TokenizerError(field: "\(field.path)[\(number)]", "a token of the pair, or both together, are not in the vocabulary")
      }
      table.insert(ids.0, ids.1, PairMerge(priority: UInt32(clamping: number), id: ids.2))
      number += 1
    }
    return (table, joinMarks)
  }

  // MARK: Unigram and words

  private func unigramModel() throws(TokenizerError) -> UnigramModel {
    let vocab = try field.required("vocab")
    guard vocab.element.kind == .array else { throw vocab.error("is not a list") }
    var pieces = UnigramPieces()
    try vocab.element.forEachElement { (element) throws(TokenizerError) in
      let parts = element.elements
      let number = pieces.scores.count
      var bytes: [UInt8] = []
      guard parts.count == 2, parts[0].appendString(to: &bytes), let score = parts[1].roundedTwice else {
        throw TokenizerError(field: "\(vocab.path)[\(number)]", "is not a piece and its score")
      }
      do throws(TokenizerError) {
        try pieces.append(bytes, score: score)
      } catch {
        throw error.within("\(vocab.path)[\(number)]")
      }
    }
    guard !pieces.scores.isEmpty else { throw vocab.error("is empty") }
    var unknown: Int32 = -1
    if let field = field.optional("unk_id") {
      unknown = Int32(clamping: try field.integer(0...pieces.scores.count - 1))
    }
    let hasFallback = try field.flag("byte_fallback", default: false)
    let smallest = pieces.scores.reduce(Double.infinity) { min($0, $1) }
    return UnigramModel(
      vocabulary: pieces.vocabulary, trie: pieces.trie, scores: pieces.scores, unknown: unknown, unknownScore: smallest - 10,
      fallback: hasFallback ? ByteTokens.ids(in: pieces.vocabulary) : nil)
  }

  private func wordPieceModel() throws(TokenizerError) -> WordPieceModel {
    let vocabulary = try vocabulary()
    let prefix = try field.bytes("continuing_subword_prefix")
    var first: [(bytes: ArraySlice<UInt8>, value: Int32)] = []
    var continuing: [(bytes: ArraySlice<UInt8>, value: Int32)] = []
    for id in 0..<vocabulary.idEnd {
      guard let bytes = vocabulary.bytes(of: id), !bytes.isEmpty else { continue }
      first.append((bytes[...], Int32(clamping: id)))
      if bytes.count > prefix.count, bytes.starts(with: prefix) { continuing.append((bytes[prefix.count...], Int32(clamping: id))) }
    }
    return WordPieceModel(
      vocabulary: vocabulary, first: ByteTrie(first), continuing: ByteTrie(continuing),
      unknown: vocabulary.id(try field.text("unk_token")),
      longestWord: try field.required("max_input_chars_per_word").integer(0...1 << 30))
  }
}

/// Pieces with scores while they are read.
struct UnigramPieces {
  private(set) var vocabulary = Vocabulary()
  private(set) var scores: [Double] = []

  mutating func append(_ bytes: [UInt8], score: Double) throws(TokenizerError) {
    guard score.isFinite else { throw TokenizerError("the score is not finite") }
    // Of equal pieces the last one counts; trainers write such.
    _ = try vocabulary.insert(bytes, id: scores.count, replaces: true)
    scores.append(score)
  }

  /// A tree of the pieces.
  var trie: ByteTrie {
    var strings: [(bytes: ArraySlice<UInt8>, value: Int32)] = []
    strings.reserveCapacity(scores.count)
    for id in scores.indices {
      guard let bytes = vocabulary.bytes(of: id), !bytes.isEmpty, Int(widening: vocabulary.id(bytes)) == id else { continue }
      strings.append((bytes[...], Int32(clamping: id)))
    }
    return ByteTrie(strings)
  }
}
