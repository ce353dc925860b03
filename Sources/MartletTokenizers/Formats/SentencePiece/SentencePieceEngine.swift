import MartletTensor

/// SentencePiece: the text as a whole is normalized, and then divided into pieces.
struct SentencePieceEngine: TokenEngine {
  struct Piece: Sendable {
    enum Kind: UInt64, Sendable {
      case normal = 1
      case unknown, control, userDefined, unused, byte

      /// True if text may become the piece.
      var isText: Bool { self == .normal || self == .userDefined || self == .unused }
    }

    var bytes: [UInt8]
    var score: Float
    var kind: Kind
  }

  enum Segmentation: Sendable {
    case bytePair(RankRule)
    case unigram(UnigramModel)
    case word
    case character
  }

  var pieces: [Piece] = []
  /// Pieces that text may become, and the others.
  var vocabulary = Vocabulary()
  var reserved = Vocabulary()
  var unknown: Int32 = -1
  var fallback: [Int32]?
  var startID: Int?
  var endID: Int?
  /// Symbols that are pieces wherever they occur.
  var userDefined = StringMatcher([])
  var control = StringMatcher([])
  var map: PrecompiledMap?
  var addsPrefix = true
  var removesExtraBlanks = true
  /// True if blanks become `▁`.
  var marksBlanks = true
  /// True if `▁` is at the end of words instead of their start.
  var marksEnds = false
  /// True if no piece has `▁` inside, so that words are divided without a look at others.
  var dividesAtMarks = false
  /// Text that the unknown piece is decoded to.
  var unknownText = Array(" \u{2047} ".utf8)
  var segmentation = Segmentation.character

  var idEnd: Int { pieces.count }
  var patterns: [RegexProgram] { [] }
  var replacesEachByte: Bool { true }
  var stripsUntilText: Bool { removesExtraBlanks }

  // MARK: Encoding

  func encode(
    _ text: UnsafeBufferPointer<UInt8>, parsesSpecialTokens: Bool, tracksOffsets: Bool, _ workspace: Workspace
  ) throws(TokenizerError) -> (ids: [Int], offsets: [Range<Int>]) {
    guard text.count < Int(Int32.max) / 16 else { throw TokenizerError("a text of \(text.count) bytes is too long") }
    var ids: [Int] = []
    var offsets: [Range<Int>] = []
    var start = 0
    while true {
      let special = unsafe parsesSpecialTokens ? control.firstMatch(text, from: start) : nil
      let end = special?.range.lowerBound ?? text.count
      unsafe append(text, start..<end, tracksOffsets: tracksOffsets, workspace, &ids, &offsets)
      guard let special else { break }
      ids.append(Int(widening: special.value))
      if tracksOffsets { offsets.append(special.range) }
      start = special.range.upperBound
    }
    return (ids, offsets)
  }

  private func append(
    _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, tracksOffsets: Bool, _ workspace: Workspace, _ ids: inout [Int],
    _ offsets: inout [Range<Int>]
  ) {
    let normalized = unsafe normalized(UnsafeBufferPointer(rebasing: text[range]), tracksOffsets: tracksOffsets)
    var buffer = TokenBuffer(tracksRanges: tracksOffsets)
    unsafe normalized.bytes.withUnsafeBufferPointer { unsafe segment($0, workspace, &buffer) }
    for id in buffer.ids { ids.append(Int(widening: id)) }
    if tracksOffsets {
      for tokens in buffer.ranges {
        // In range: positions in the text.
        let start = range.lowerBound + normalized.positions[Int(widening: tokens.lowerBound)]
        let end = range.lowerBound + normalized.positions[Int(widening: tokens.upperBound)]
        offsets.append(start..<max(start, end))
      }
    }
  }

  private func segment(_ text: UnsafeBufferPointer<UInt8>, _ workspace: Workspace, _ buffer: inout TokenBuffer) {
    switch segmentation {
    case .unigram(let model):
      // There is a piece for unknown characters.
      _ = unsafe model.encode(text, 0..<text.count, workspace, to: &buffer)
    case .bytePair(let rule):
      if dividesAtMarks {
        unsafe BlankMark.forEachWord(of: text, 0..<text.count) { unsafe mergePairs(text, $0, rule, workspace, &buffer) }
      } else {
        unsafe mergePairs(text, 0..<text.count, rule, workspace, &buffer)
      }
    case .character:
      workspace.parts.removeAll(keepingCapacity: true)
      unsafe appendSymbols(text, 0..<text.count, &workspace.parts)
      for part in workspace.parts { unsafe append(part, text, &buffer) }
    case .word:
      var start = 0
      while start < text.count {
        // A mark begins a word, or ends one.
        var end = start + 1
        while end < text.count, unsafe marksEnds ? !BlankMark.isAt(end - 3, in: text) || end - start < 3 : !BlankMark.isAt(end, in: text) {
          end += 1
        }
        unsafe append(part(text, start, end), text, &buffer)
        start = end
      }
    }
  }

  private func part(_ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> MergePart {
    let id = unsafe vocabulary.id(UnsafeBufferPointer(rebasing: text[start..<end]))
    return MergePart(id: id, start: Int32(truncatingIfNeeded: start), end: Int32(truncatingIfNeeded: end))
  }

  private func mergePairs(
    _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ rule: RankRule, _ workspace: Workspace, _ buffer: inout TokenBuffer
  ) {
    let word = unsafe UnsafeBufferPointer(rebasing: text[range])
    let isCached = dividesAtMarks && range.count <= WordCache.longestByteCount
    let hash = unsafe isCached ? ByteHash.hash(word) : 0
    if isCached, unsafe workspace.words.append(word, hash: hash, base: range.lowerBound, to: &buffer) {
      buffer.endsUnknown = false
      return
    }
    workspace.parts.removeAll(keepingCapacity: true)
    unsafe appendSymbols(text, range, &workspace.parts)
    unsafe workspace.merger.merge(&workspace.parts, by: FreezingRule(rule: rule), in: text)
    var isPlain = true
    for index in workspace.parts.indices {
      let part = workspace.parts[index]
      let count = buffer.ids.count
      unsafe append(part, text, &buffer)
      workspace.parts[index].id = FreezingRule.thawed(part.id)
      isPlain = isPlain && buffer.ids.count == count + 1 && buffer.ids[count] == workspace.parts[index].id && !buffer.endsUnknown
    }
    if isCached, isPlain { unsafe workspace.words.insert(word, hash: hash, workspace.parts, base: range.lowerBound) }
  }

  /// Characters, and symbols of the user as a whole: those get ids below -1, by which they never merge.
  private func appendSymbols(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ parts: inout [MergePart]) {
    var position = range.lowerBound
    while position < range.upperBound {
      if let symbol = unsafe userDefined.match(text, at: position) {
        parts.append(
          MergePart(
            id: FreezingRule.frozen(symbol.value), start: Int32(truncatingIfNeeded: position),
            end: Int32(truncatingIfNeeded: position + symbol.byteCount)))
        position += symbol.byteCount
      } else {
        let end = unsafe min(position + UTF8Text.length(first: text[position]), range.upperBound)
        unsafe parts.append(part(text, position, end))
        position = end
      }
    }
  }

  /// Appends a part's token: its piece, its bytes or the unknown piece.
  private func append(_ part: MergePart, _ text: UnsafeBufferPointer<UInt8>, _ buffer: inout TokenBuffer) {
    let (start, end) = (Int(widening: part.start), Int(widening: part.end))
    var id = FreezingRule.thawed(part.id)
    if id < 0 { id = unsafe reserved.id(UnsafeBufferPointer(rebasing: text[start..<end])) }
    if id >= 0, pieces[Int(widening: id)].kind == .unused {
      return unsafe appendParts(ofUnused: start, end, text, &buffer)
    }
    if id >= 0, id != unknown { return buffer.append(id, start, end) }
    if let fallback {
      for index in start..<end {
        let isLast = index == end - 1
        buffer.append(unsafe fallback[Int(widening: text[index])], start, isLast ? end : start)
      }
    } else if buffer.ids.last == unknown, buffer.endsUnknown {
      if buffer.tracksRanges { buffer.ranges[buffer.ranges.count - 1] = buffer.ranges[buffer.ranges.count - 1].lowerBound..<part.end }
    } else {
      buffer.append(unknown, start, end)
    }
    buffer.endsUnknown = fallback == nil
  }

  /// Divides a piece that is not used into the best two that make it up.
  private func appendParts(ofUnused start: Int, _ end: Int, _ text: UnsafeBufferPointer<UInt8>, _ buffer: inout TokenBuffer) {
    var open = [(start, end)]
    while let (start, end) = open.popLast() {
      let whole = unsafe part(text, start, end)
      guard whole.id >= 0, pieces[Int(widening: whole.id)].kind == .unused, case .bytePair(let rule) = segmentation else {
        var whole = whole
        if whole.id >= 0, pieces[Int(widening: whole.id)].kind == .unused { whole.id = unknown }
        unsafe append(whole, text, &buffer)
        continue
      }
      // Merge all of it but the last step.
      var parts: [MergePart] = []
      unsafe appendSymbols(text, start..<end, &parts)
      var merger = PairMerger()
      unsafe merger.merge(&parts, by: FreezingRule(rule: rule, limit: end - start), in: text)
      guard parts.count > 1 else {
        buffer.append(whole.id, start, end)
        continue
      }
      for part in parts.reversed() { open.append((Int(widening: part.start), Int(widening: part.end))) }
    }
  }

  // MARK: Normalizing

  struct Normalized {
    var bytes: [UInt8] = []
    /// For each byte, and the end, where it comes from.
    var positions: [Int] = []
  }

  private func normalized(_ text: UnsafeBufferPointer<UInt8>, tracksOffsets: Bool) -> Normalized {
    var result = Normalized()
    result.bytes.reserveCapacity(text.count + text.count / 2 + 4)
    var position = 0
    /// The next characters as they are normalized, and how many bytes they were.
    func next() -> (bytes: ArraySlice<UInt8>?, range: Range<Int>, byteCount: Int) {
      if let symbol = unsafe userDefined.match(text, at: position) {
        return (nil, position..<position + symbol.byteCount, symbol.byteCount)
      }
      if let map, let match = unsafe map.longestMatch(text, at: position) {
        return (map.text(at: match.text), 0..<0, match.byteCount)
      }
      let length = unsafe min(UTF8Text.length(first: text[position]), text.count - position)
      return (nil, position..<position + length, length)
    }
    func append(_ byte: UInt8) {
      if byte == 0x20, marksBlanks {
        result.bytes += BlankMark.bytes
        if tracksOffsets { result.positions += [position, position, position] }
      } else {
        result.bytes.append(byte)
        if tracksOffsets { result.positions.append(position) }
      }
    }
    if removesExtraBlanks {
      while position < text.count {
        let part = next()
        guard unsafe (part.bytes ?? ArraySlice(text[part.range])).elementsEqual([0x20]) else { break }
        position += part.byteCount
      }
    }
    guard position < text.count else { return result }
    if !marksEnds, addsPrefix { append(0x20) }
    var wasBlank = removesExtraBlanks
    while position < text.count {
      let part = next()
      var bytes = unsafe part.bytes ?? ArraySlice(text[part.range])
      while wasBlank, bytes.first == 0x20 { bytes = bytes.dropFirst() }
      for byte in bytes { append(byte) }
      if let last = bytes.last { wasBlank = removesExtraBlanks && last == 0x20 }
      position += part.byteCount
    }
    var end = position
    if removesExtraBlanks {
      let blank: [UInt8] = marksBlanks ? BlankMark.bytes : [0x20]
      while result.bytes.count >= blank.count, result.bytes.suffix(blank.count).elementsEqual(blank) {
        result.bytes.removeLast(blank.count)
        if tracksOffsets {
          end = result.positions[result.bytes.count]
          result.positions.removeLast(blank.count)
        }
      }
    }
    position = end
    if marksEnds, addsPrefix { append(0x20) }
    if tracksOffsets { result.positions.append(end) }
    return result
  }

  // MARK: Vocabulary and decoding

  func piece(_ id: Int) -> [UInt8]? { pieces.indices.contains(id) ? pieces[id].bytes : nil }

  func id(_ piece: [UInt8]) -> Int? {
    let known = reserved.id(piece)
    let id = known >= 0 ? known : vocabulary.id(piece)
    return id < 0 ? nil : Int(widening: id)
  }

  func isSpecial(_ id: Int) -> Bool { pieces.indices.contains(id) && pieces[id].kind == .control }

  func decode(_ ids: [Int], skipsSpecialTokens: Bool) -> [UInt8] {
    var text: [UInt8] = []
    var bytes: [UInt8] = []
    var isStart = true
    var sawMark = false
    func flush() {
      guard !bytes.isEmpty else { return }
      text += Decoder.replacingBytes(bytes).utf8
      bytes = []
    }
    for id in ids where pieces.indices.contains(id) {
      let piece = pieces[id]
      if piece.kind == .byte, let byte = ByteTokens.byte(of: piece.bytes) {
        bytes.append(byte)
        continue
      }
      flush()
      if sawMark || !text.isEmpty { isStart = false }
      sawMark = false
      switch piece.kind {
      case .control: if !skipsSpecialTokens { text += piece.bytes }
      case .unknown: text += unknownText
      default:
        var rest = piece.bytes[...]
        if isStart, addsPrefix || removesExtraBlanks, rest.starts(with: BlankMark.bytes) {
          rest = rest.dropFirst(BlankMark.bytes.count)
          sawMark = !removesExtraBlanks
        }
        text += Array(rest).replacing(BlankMark.bytes, with: [0x20])
      }
    }
    flush()
    return text
  }

  func increment(_ id: Int, isFirst: Bool) -> [UInt8]? {
    guard pieces.indices.contains(id) else { return [] }
    let piece = pieces[id]
    if piece.kind == .byte, let byte = ByteTokens.byte(of: piece.bytes) { return [byte] }
    return isFirst || piece.kind != .normal && piece.kind != .userDefined && piece.kind != .unused
      ? decode([id], skipsSpecialTokens: false) : piece.bytes.replacing(BlankMark.bytes, with: [0x20])
  }
}

/// Leaves out merges of symbols of the user.
struct FreezingRule: PairRule {
  let rule: RankRule
  /// Merges to this number of bytes are left out.
  var limit = Int.max

  static func frozen(_ id: Int32) -> Int32 { -2 &- id }
  static func thawed(_ id: Int32) -> Int32 { id < -1 ? -2 &- id : id }

  @inline(__always)
  func merge(_ left: MergePart, _ right: MergePart, in text: UnsafeBufferPointer<UInt8>) -> PairMerge {
    guard left.id >= -1, right.id >= -1, Int(widening: right.end &- left.start) < limit else { return .none }
    return unsafe rule.merge(left, right, in: text)
  }
}
