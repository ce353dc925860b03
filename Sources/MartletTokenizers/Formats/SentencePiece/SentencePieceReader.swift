import MartletBytes
import MartletTensor

/// Reads `.model` files of SentencePiece.
struct SentencePieceReader {
  private enum Kind: UInt64 {
    case unigram = 1
    case bytePair, word, character
  }

  private var pieces: [SentencePieceEngine.Piece] = []
  private var kind = Kind.unigram
  private var hasByteFallback = false
  private var engine = SentencePieceEngine()
  private var names = (start: "<s>", end: "</s>")
  private var map: [UInt8] = []

  static func read(_ file: ByteView) throws(TokenizerError) -> SentencePieceEngine {
    var reader = SentencePieceReader()
    do {
      try reader.readModel(file)
    } catch {
      throw TokenizerError(error)
    }
    return try reader.finish()
  }

  // MARK: Messages

  private mutating func readModel(_ file: ByteView) throws(FileError) {
    var fields = ProtobufFields(file, part: "model")
    while let field = try fields.next() {
      switch (field.number, field.payload) {
      case (1, .bytes(let bytes)):
        guard pieces.count < TokenizerLimits.tokenCount else {
          throw file.error(field: "pieces", "there are more than \(TokenizerLimits.tokenCount)")
        }
        pieces.append(try Self.piece(bytes, "pieces[\(pieces.count)]"))
      case (2, .bytes(let bytes)): try readTrainer(bytes)
      case (3, .bytes(let bytes)): try readNormalizer(bytes)
      default: break
      }
    }
  }

  private static func piece(_ bytes: ByteView, _ part: String) throws(FileError) -> SentencePieceEngine.Piece {
    var piece = SentencePieceEngine.Piece(bytes: [], score: 0, kind: .normal)
    var fields = ProtobufFields(bytes, part: part)
    while let field = try fields.next() {
      switch (field.number, field.payload) {
      case (1, .bytes(let text)):
        guard text.count <= TokenizerLimits.tokenByteCount else {
          throw bytes.error(field: part, "has more than \(TokenizerLimits.tokenByteCount) bytes")
        }
        piece.bytes = text.array
      case (2, .fixed32):
        piece.score = Float(bitPattern: try field.stored.load(UInt32.self, at: field.stored.count - 4, field: part))
        guard piece.score.isFinite else { throw bytes.error(field: part, "the score is not finite") }
      case (3, .varint(let value)):
        guard let kind = SentencePieceEngine.Piece.Kind(rawValue: value) else {
          throw bytes.error(field: part, "the type \(value) is unknown")
        }
        piece.kind = kind
      default: break
      }
    }
    guard !piece.bytes.isEmpty else { throw bytes.error(field: part, "is empty") }
    return piece
  }

  private mutating func readTrainer(_ bytes: ByteView) throws(FileError) {
    var fields = ProtobufFields(bytes, part: "trainer_spec")
    while let field = try fields.next() {
      switch (field.number, field.payload) {
      case (3, .varint(let value)):
        guard let kind = Kind(rawValue: value) else { throw bytes.error(field: "trainer_spec.model_type", "\(value) is unknown") }
        self.kind = kind
      case (24, .varint(let value)): engine.marksEnds = value != 0
      case (35, .varint(let value)): hasByteFallback = value != 0
      case (44, .bytes(let text)): engine.unknownText = text.array
      case (46, .bytes(let text)): names.start = try text.text(field: "trainer_spec.bos_piece")
      case (47, .bytes(let text)): names.end = try text.text(field: "trainer_spec.eos_piece")
      default: break
      }
    }
  }

  private mutating func readNormalizer(_ bytes: ByteView) throws(FileError) {
    var fields = ProtobufFields(bytes, part: "normalizer_spec")
    while let field = try fields.next() {
      switch (field.number, field.payload) {
      case (2, .bytes(let map)): self.map = map.array
      case (3, .varint(let value)): engine.addsPrefix = value != 0
      case (4, .varint(let value)): engine.removesExtraBlanks = value != 0
      case (5, .varint(let value)): engine.marksBlanks = value != 0
      default: break
      }
    }
  }

  // MARK: The engine

  private mutating func finish() throws(TokenizerError) -> SentencePieceEngine {
    guard !pieces.isEmpty else { throw TokenizerError(field: "pieces", "there are none") }
    engine.pieces = pieces
    var byteTokens = [Int32](repeating: -1, count: 256)
    var vocabulary = Vocabulary(stringCount: pieces.count, byteCount: pieces.count * 7)
    var reserved = Vocabulary()
    for (id, piece) in pieces.enumerated() {
      do throws(TokenizerError) {
        let isNew =
          piece.kind.isText ? try vocabulary.insert(piece.bytes, id: id) : try reserved.insert(piece.bytes, id: id)
        guard isNew else { throw TokenizerError("occurs twice: '\(String(decoding: piece.bytes, as: UTF8.self))'") }
        if piece.kind == .unknown {
          guard engine.unknown < 0 else { throw TokenizerError("a second piece for unknown characters") }
          engine.unknown = Int32(clamping: id)
        }
        if piece.kind == .byte {
          guard hasByteFallback, let byte = ByteTokens.byte(of: piece.bytes) else {
            throw TokenizerError("a byte's piece is wrong or the model has none")
          }
          byteTokens[Int(widening: byte)] = Int32(clamping: id)
        }
      } catch {
        throw error.within("pieces[\(id)]")
      }
    }
    guard engine.unknown >= 0 else { throw TokenizerError(field: "pieces", "none is for unknown characters") }
    if hasByteFallback {
      guard !byteTokens.contains(-1) else { throw TokenizerError(field: "pieces", "there are not pieces for all 256 bytes") }
      engine.fallback = byteTokens
    }
    engine.vocabulary = vocabulary
    engine.reserved = reserved
    engine.startID = controlID(names.start)
    engine.endID = controlID(names.end)
    engine.userDefined = StringMatcher(
      pieces.enumerated().filter { $0.element.kind == .userDefined }.map { ($0.element.bytes, Int32(clamping: $0.offset)) })
    engine.control = StringMatcher(
      pieces.enumerated().filter { $0.element.kind == .control }.map { ($0.element.bytes, Int32(clamping: $0.offset)) })
    if !map.isEmpty {
      do {
        engine.map = try PrecompiledMap(map[...])
      } catch {
        throw error.within("normalizer_spec.precompiled_charsmap")
      }
    }
    engine.segmentation = try segmentation(vocabulary)
    let mark = vocabulary.id(BlankMark.bytes)
    engine.dividesAtMarks =
      mark >= 0 && pieces[Int(widening: mark)].kind == .normal && !pieces.contains { $0.kind.isText && BlankMark.isInside($0.bytes) }
    return engine
  }

  private func controlID(_ name: String) -> Int? {
    let id = engine.reserved.id(name)
    return id >= 0 && pieces[Int(widening: id)].kind == .control ? Int(widening: id) : nil
  }

  private func segmentation(_ vocabulary: Vocabulary) throws(TokenizerError) -> SentencePieceEngine.Segmentation {
    switch kind {
    case .bytePair:
      return .bytePair(
        RankRule(vocabulary: vocabulary, priorities: RankRule.priorities(ofScores: pieces.map(\.score))))
    case .unigram:
      var strings: [(bytes: ArraySlice<UInt8>, value: Int32)] = []
      var scores = pieces.map { Double($0.score) }
      let normal = pieces.filter { $0.kind == .normal }.map(\.score)
      let largest = normal.reduce(-Float.greatestFiniteMagnitude) { max($0, $1) }
      let smallest = normal.reduce(Float.greatestFiniteMagnitude) { min($0, $1) }
      for (id, piece) in pieces.enumerated() where piece.kind == .normal || piece.kind == .userDefined {
        strings.append((piece.bytes[...], Int32(clamping: id)))
        // Symbols of the user win over any other segmentation.
        if piece.kind == .userDefined { scores[id] = Double(Float(piece.bytes.count) * largest) - 0.1 }
      }
      return .unigram(
        UnigramModel(
          vocabulary: vocabulary, trie: ByteTrie(strings), scores: scores, unknown: engine.unknown,
          unknownScore: Double(smallest - 10), fallback: engine.fallback, isSinglePrecision: true))
    case .word: return .word
    case .character: return .character
    }
  }
}

extension RankRule {
  /// Priorities that put higher scores first; equal scores are equal.
  static func priorities(ofScores scores: [Float]) -> [UInt32] {
    let order = scores.indices.sorted { scores[$0] > scores[$1] }
    var priorities = [UInt32](repeating: 0, count: scores.count)
    var priority: UInt32 = 0
    for (place, index) in order.enumerated() {
      if place > 0, scores[order[place - 1]] != scores[index] { priority += 1 }
      priorities[index] = priority
    }
    return priorities
  }
}
