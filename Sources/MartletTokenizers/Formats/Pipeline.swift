import MartletTensor

/// The steps of a `tokenizer.json`: added tokens, normalizers, pre-tokenizers, a model, post-processors and decoders.
struct Pipeline: TokenEngine {
  var added = AddedTokens([])
  var normalizers: [Normalizer] = []
  var preTokenizers: [PreTokenizer] = []
  var model: TokenModel
  var postProcessors: [PostProcessor] = []
  /// Nil if tokens are joined by blanks.
  var decoders: [Decoder]?
  var patterns: [RegexProgram] = []
  var lengths = LengthRules()
  var startID: Int?
  var endID: Int?

  /// True if a step asks where in the source a stretch begins, and normalizers move it.
  private var needsOrigins: Bool {
    !normalizers.isEmpty
      && preTokenizers.contains { if case .metaspace(let metaspace) = $0 { metaspace.scheme == .first } else { false } }
  }

  var idEnd: Int { max(model.vocabulary.idEnd, added.largestID + 1) }

  var replacesEachByte: Bool {
    decoders?.contains { if case .byteFallback = $0 { true } else { false } } ?? false
  }

  var limitsLength: Bool { lengths.truncation != nil || lengths.padding != nil }

  // MARK: Encoding

  func encode(
    _ text: UnsafeBufferPointer<UInt8>, parsesSpecialTokens: Bool, tracksOffsets: Bool, _ workspace: Workspace
  ) throws(TokenizerError) -> (ids: [Int], offsets: [Range<Int>]) {
    guard text.count < Int(Int32.max) / 4 else { throw TokenizerError("a text of \(text.count) bytes is too long") }
    unsafe divide(
      text, parsesSpecialTokens: parsesSpecialTokens, tracksOffsets: tracksOffsets || needsOrigins, workspace)
    for preTokenizer in preTokenizers { preTokenizer.apply(workspace) }
    var buffer = TokenBuffer(tracksRanges: tracksOffsets)
    buffer.ids.reserveCapacity(workspace.splits.count)
    let isKnown = unsafe workspace.text.bytes.withUnsafeBufferPointer { unsafe encodeSplits($0, workspace, to: &buffer) }
    guard isKnown else { throw TokenizerError("a word of the text is unknown, and there is no token for unknown words") }
    let ids = buffer.ids.map { Int(widening: $0) }
    guard tracksOffsets else { return (ids, []) }
    return (ids, buffer.ranges.map { workspace.text.sourceRange(Int(widening: $0.lowerBound)..<Int(widening: $0.upperBound)) })
  }

  /// Finds added tokens, normalizes what lies between, and puts both into the workspace's text.
  private func divide(
    _ text: UnsafeBufferPointer<UInt8>, parsesSpecialTokens: Bool, tracksOffsets: Bool, _ workspace: Workspace
  ) {
    if workspace.text.tracksOrigins != tracksOffsets { workspace.text = AlignedText(tracksOrigins: tracksOffsets) }
    workspace.text.removeAll()
    workspace.splits.removeAll(keepingCapacity: true)
    func append(_ id: Int32, _ body: () -> Void) {
      let start = workspace.text.bytes.count
      body()
      if workspace.text.bytes.count > start { workspace.splits.append(PreToken(start, workspace.text.bytes.count, id: id)) }
    }
    unsafe added.forEachStretch(of: text, isNormalized: false, parsesSpecial: parsesSpecialTokens) { range, id in
      if id >= 0 || (normalizers.isEmpty && !added.hasNormalized) {
        append(id) { unsafe workspace.text.append(source: text, range: range) }
        return
      }
      var piece = AlignedText(tracksOrigins: tracksOffsets)
      unsafe piece.append(source: text, range: range)
      for normalizer in normalizers { normalizer.apply(&piece, workspace) }
      unsafe piece.bytes.withUnsafeBufferPointer { bytes in
        unsafe added.forEachStretch(of: bytes, isNormalized: true, parsesSpecial: parsesSpecialTokens) { range, id in
          append(id) { workspace.text.append(piece, range) }
        }
      }
    }
  }

  /// - Returns: false if a word is unknown and there is no token for that.
  private func encodeSplits(_ text: UnsafeBufferPointer<UInt8>, _ workspace: Workspace, to buffer: inout TokenBuffer) -> Bool {
    var isKnown = true
    func forEachWord(_ encode: (_ range: Range<Int>, _ buffer: inout TokenBuffer) -> Bool) {
      for split in workspace.splits {
        if split.id < 0 {
          isKnown = encode(split.range, &buffer) && isKnown
        } else {
          buffer.append(split.id, split.range.lowerBound, split.range.upperBound)
        }
      }
    }
    switch model {
    case .bytePair(let model):
      forEachWord {
        unsafe model.encode(text, $0, workspace, to: &$1)
        return true
      }
    case .ranked(let model):
      forEachWord {
        unsafe model.encode(text, $0, workspace, to: &$1)
        return true
      }
    case .unigram(let model): forEachWord { unsafe model.encode(text, $0, workspace, to: &$1) }
    case .wordPiece(let model): forEachWord { unsafe model.encode(text, $0, to: &$1) }
    case .wordLevel(let model): forEachWord { unsafe model.encode(text, $0, to: &$1) }
    }
    return isKnown
  }

  func finish(
    _ texts: [Encoding], sources: [[UInt8]], addsSpecialTokens: Bool, keepsOverflow: Bool
  ) throws(TokenizerError) -> Encoding {
    var texts = texts
    if let truncation = lengths.truncation {
      let added = addsSpecialTokens ? postProcessors.reduce(0) { $0 + $1.addedCount(isPair: texts.count > 1) } : 0
      try truncation.apply(&texts, added: added, keepsOverflow: keepsOverflow)
    }
    func joined(_ texts: [Encoding]) -> Encoding {
      var texts = texts
      for postProcessor in postProcessors {
        postProcessor.apply(&texts, sources: sources, addsSpecialTokens: addsSpecialTokens, blanks: blanks)
      }
      var result = Encoding()
      for text in texts { result.append(text) }
      return result
    }
    var result = joined(texts)
    result.overflow = try overflow(of: texts).map(joined)
    if let padding = lengths.padding {
      var batch = [result]
      padding.apply(&batch)
      result = batch[0]
    }
    return result
  }

  /// What was cut off from a text or a pair: each part with the other text and with each of its parts.
  private func overflow(of texts: [Encoding]) throws(TokenizerError) -> [[Encoding]] {
    guard let first = texts.first, let second = texts.dropFirst().first else { return texts.first?.overflow.map { [$0] } ?? [] }
    let count = (Extent(first.overflow.count) + 1) * (Extent(second.overflow.count) + 1) * (Extent(first.count) + second.count)
    let whole = texts.map { Extent($0.count) + Extent.sum($0.overflow.map(\.count)) }
    guard Encoding.mayOverflow(by: count, of: whole[0] + whole[1]) else {
      throw TokenizerError(field: "truncation", "makes \(count.clamped) tokens of what it cuts off from two texts, too many")
    }
    return first.overflow.flatMap { part in ([second] + second.overflow).map { [part, $0] } } + second.overflow.map { [first, $0] }
  }

  /// Blanks at the ends of a token: those of the byte-level alphabet, too, and those of the source that an added token took in.
  private func blanks(_ id: Int, _ source: ArraySlice<UInt8>) -> (leading: Int, trailing: Int) {
    let piece = added.token(id) == nil ? piece(id) ?? [] : Array(source)
    let scalars = String(decoding: piece, as: UTF8.self).unicodeScalars
    func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 0x120 || Whitespace.contains(scalar.value) }
    return (scalars.prefix(while: isBlank).count, scalars.reversed().prefix(while: isBlank).count)
  }

  // MARK: Vocabulary and decoding

  func piece(_ id: Int) -> [UInt8]? { added.token(id)?.content ?? model.vocabulary.bytes(of: id) }

  func id(_ piece: [UInt8]) -> Int? {
    let id = added.id(piece) ?? model.vocabulary.id(piece)
    return id < 0 ? nil : Int(widening: id)
  }

  func isSpecial(_ id: Int) -> Bool { added.token(id)?.isSpecial ?? (piece(id).map(added.isSpecial) ?? false) }

  /// The text of a token as decoders see it.
  private func decodedPiece(_ id: Int) -> [UInt8]? { added.token(id)?.normalizedContent ?? model.vocabulary.bytes(of: id) }

  func decode(_ ids: [Int], skipsSpecialTokens: Bool) -> [UInt8] {
    if case .ranked = model {
      let bytes = ids.flatMap { skipsSpecialTokens && isSpecial($0) ? [] : piece($0) ?? [] }
      return Array(String(decoding: bytes, as: UTF8.self).utf8)
    }
    var tokens: [[UInt8]] = []
    tokens.reserveCapacity(ids.count)
    for id in ids {
      guard let piece = decodedPiece(id), !(skipsSpecialTokens && added.isSpecial(piece)) else { continue }
      tokens.append(piece)
    }
    guard let decoders else { return Array(tokens.joined(separator: [0x20])) }
    for decoder in decoders { tokens = decoder.apply(tokens, patterns: patterns) }
    return Array(tokens.joined())
  }

  func increment(_ id: Int, isFirst: Bool) -> [UInt8]? {
    if case .ranked = model { return piece(id) ?? [] }
    guard let decoders, var text = decodedPiece(id) else { return decoders == nil ? nil : [] }
    var isFused = false
    var isByte = false
    for decoder in decoders {
      switch decoder {
      case .byteLevel:
        guard !isFused else { return nil }
        var bytes: [UInt8] = []
        let isMapped = unsafe text.withUnsafeBufferPointer { unsafe ByteAlphabet.append($0, to: &bytes) }
        if isMapped { text = bytes }
        isFused = true
      case .replaceText, .metaspace:
        guard !isFused else { return nil }
        if !isByte {
          if case .metaspace(let metaspace) = decoder, !isFirst {
            var later = metaspace
            later.scheme = .never
            text = Decoder.metaspace(later).apply([text], patterns: patterns)[0]
          } else {
            text = decoder.apply([text], patterns: patterns)[0]
          }
        }
      case .byteFallback:
        guard !isFused else { return nil }
        if let byte = ByteTokens.byte(of: text) {
          text = [byte]
          isByte = true
        }
      case .fuse: isFused = true
      case .strip(let scalar, let start, let stop):
        guard isFused, stop == 0, start <= 1 else { return nil }
        if isFirst, start == 1 { text = Decoder.strip(scalar, start: 1, stop: 0).apply([text], patterns: patterns)[0] }
      case .replacePattern, .wordPiece, .bytePair, .connectionist: return nil
      }
    }
    return text
  }
}
