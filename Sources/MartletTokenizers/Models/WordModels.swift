import MartletTensor

/// The longest pieces from the left; a word that pieces do not cover is unknown.
struct WordPieceModel: Sendable {
  var vocabulary: Vocabulary
  /// Pieces at the start of a word, and those after another piece, without their prefix.
  var first: ByteTrie
  var continuing: ByteTrie
  var unknown: Int32
  var longestWord: Int

  /// - Returns: false if the word is unknown and there is no token for that.
  func encode(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, to buffer: inout TokenBuffer) -> Bool {
    guard !range.isEmpty else { return true }
    var characters = 0
    for index in range where unsafe text[index] & 0xC0 != 0x80 { characters &+= 1 }
    let word = unsafe UnsafeBufferPointer(rebasing: text[..<range.upperBound])
    let count = buffer.ids.count
    var position = range.lowerBound
    while characters <= longestWord, position < range.upperBound {
      let trie = position == range.lowerBound ? first : continuing
      guard let match = unsafe trie.longestMatch(word, at: position), match.byteCount > 0 else { break }
      buffer.append(match.value, position, position + match.byteCount)
      position += match.byteCount
    }
    if position == range.upperBound { return true }
    buffer.ids.removeLast(buffer.ids.count - count)
    if buffer.tracksRanges { buffer.ranges.removeLast(buffer.ranges.count - count) }
    guard unknown >= 0 else { return false }
    buffer.append(unknown, range.lowerBound, range.upperBound)
    return true
  }
}

/// Whole words.
struct WordLevelModel: Sendable {
  var vocabulary: Vocabulary
  var unknown: Int32

  /// - Returns: false if the word is unknown and there is no token for that.
  func encode(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, to buffer: inout TokenBuffer) -> Bool {
    guard !range.isEmpty else { return true }
    let known = unsafe vocabulary.id(UnsafeBufferPointer(rebasing: text[range]))
    let id = known >= 0 ? known : unknown
    guard id >= 0 else { return false }
    buffer.append(id, range.lowerBound, range.upperBound)
    return true
  }
}
