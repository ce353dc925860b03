import MartletTensor

/// Byte pair encoding by a list of merges.
struct BytePairModel: Sendable {
  /// Tokens as the file writes them.
  var vocabulary: Vocabulary
  /// The same with the bytes that the letters of a byte-level alphabet stand for; nil if words are not bytes.
  var byteVocabulary: Vocabulary?
  var merges: MergeTable
  /// The token of each single byte, if words are bytes; -1 for none.
  var byteTokens: [Int32] = []
  /// The tokens `<0x00>` … `<0xFF>`, -1 for those that are missing; nil without byte fallback.
  var fallback: [Int32]?
  /// The token for unknown characters; -1 for none.
  var unknown: Int32 = -1
  var fusesUnknown = false
  var ignoresMerges = false
  var dropout: Float = 0
  /// Text before each character but a word's first, and after its last one, in the vocabulary.
  var prefix: [UInt8] = []
  var suffix: [UInt8] = []

  /// True if no merge joins `▁` to what is before it, so that texts may be divided there.
  var dividesAtMarks = false

  /// Appends the tokens of the text at `range`.
  @inline(__always)
  func encode(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ workspace: Workspace, to buffer: inout TokenBuffer) {
    guard !range.isEmpty else { return }
    if dividesAtMarks, range.count > 16 {
      unsafe BlankMark.forEachWord(of: text, range) { unsafe encodeWord(text, $0, workspace, to: &buffer) }
    } else {
      unsafe encodeWord(text, range, workspace, to: &buffer)
    }
  }

  @inline(__always)
  private func encodeWord(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ workspace: Workspace, to buffer: inout TokenBuffer) {
    let word = unsafe UnsafeBufferPointer(rebasing: text[range])
    let isCached = dropout == 0 && word.count <= WordCache.longestByteCount
    var hash: UInt64 = 0
    if isCached {
      hash = unsafe ByteHash.hash(word)
      if unsafe workspace.words.append(word, hash: hash, base: range.lowerBound, to: &buffer) { return }
    }
    if ignoresMerges {
      let id = unsafe (byteVocabulary ?? vocabulary).id(word)
      if id >= 0 {
        buffer.append(id, range.lowerBound, range.upperBound)
        return
      }
    }
    workspace.parts.removeAll(keepingCapacity: true)
    if byteVocabulary != nil {
      unsafe appendBytes(text, range, to: &workspace.parts)
    } else {
      unsafe appendCharacters(text, range, to: &workspace.parts)
    }
    unsafe workspace.merger.merge(&workspace.parts, by: merges, in: text, dropout: dropout)
    for part in workspace.parts { buffer.append(part.id, Int(widening: part.start), Int(widening: part.end)) }
    if isCached { unsafe workspace.words.insert(word, hash: hash, workspace.parts, base: range.lowerBound) }
  }

  private func appendBytes(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, to parts: inout [MergePart]) {
    for index in range {
      let id = unsafe byteTokens[Int(widening: text[index])]
      if id >= 0 { parts.append(Self.part(id, index, index &+ 1)) } else { appendUnknown(index, index &+ 1, to: &parts) }
    }
  }

  private static func part(_ id: Int32, _ start: Int, _ end: Int) -> MergePart {
    MergePart(id: id, start: Int32(truncatingIfNeeded: start), end: Int32(truncatingIfNeeded: end))
  }

  private func appendUnknown(_ start: Int, _ end: Int, to parts: inout [MergePart]) {
    guard unknown >= 0 else { return }
    if fusesUnknown, let last = parts.last, last.id == unknown, Int(widening: last.end) == start {
      parts[parts.count - 1].end = Int32(truncatingIfNeeded: end)
    } else {
      parts.append(Self.part(unknown, start, end))
    }
  }

  private func appendCharacters(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, to parts: inout [MergePart]) {
    var position = range.lowerBound
    while position < range.upperBound {
      let start = position
      position = unsafe position &+ UTF8Text.length(first: text[position])
      let isFirst = start == range.lowerBound
      let isLast = position == range.upperBound
      let id: Int32
      var written: [UInt8] = []
      if (isFirst || prefix.isEmpty) && (!isLast || suffix.isEmpty) {
        id = unsafe vocabulary.id(UnsafeBufferPointer(rebasing: text[start..<position]))
      } else {
        if !isFirst { written = prefix }
        unsafe written.append(contentsOf: text[start..<position])
        if isLast { written += suffix }
        id = vocabulary.id(written)
      }
      if id >= 0 {
        parts.append(Self.part(id, start, position))
        continue
      }
      if let fallback {
        if written.isEmpty { written = unsafe Array(text[start..<position]) }
        if written.allSatisfy({ fallback[Int(widening: $0)] >= 0 }) {
          // Bytes of a prefix or suffix count as bytes of the text, as in the original.
          var place = start
          for byte in written {
            parts.append(Self.part(fallback[Int(widening: byte)], place, place + 1))
            place += 1
          }
          continue
        }
      }
      appendUnknown(start, position, to: &parts)
    }
  }
}

/// Byte pair encoding by the ranks of tokens: tiktoken and tekken. A word that is a token is never divided.
struct RankedModel: Sendable {
  var vocabulary: Vocabulary
  var rule: RankRule

  @inline(__always)
  func encode(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ workspace: Workspace, to buffer: inout TokenBuffer) {
    guard !range.isEmpty else { return }
    let word = unsafe UnsafeBufferPointer(rebasing: text[range])
    let hash = unsafe ByteHash.hash(word)
    if unsafe workspace.words.append(word, hash: hash, base: range.lowerBound, to: &buffer) { return }
    workspace.parts.removeAll(keepingCapacity: true)
    let id = unsafe vocabulary.id(word, hash: hash)
    if id >= 0 {
      workspace.parts.append(
        MergePart(id: id, start: Int32(truncatingIfNeeded: range.lowerBound), end: Int32(truncatingIfNeeded: range.upperBound)))
    } else {
      for index in range {
        let token = unsafe rule.bytes[Int(widening: text[index])]
        workspace.parts.append(
          MergePart(id: token, start: Int32(truncatingIfNeeded: index), end: Int32(truncatingIfNeeded: index &+ 1)))
      }
      unsafe workspace.merger.merge(&workspace.parts, by: rule, in: text)
    }
    for part in workspace.parts { buffer.append(part.id, Int(widening: part.start), Int(widening: part.end)) }
    unsafe workspace.words.insert(word, hash: hash, workspace.parts, base: range.lowerBound)
  }
}
