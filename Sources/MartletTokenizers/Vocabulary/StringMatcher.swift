import MartletTensor

/// Finds the leftmost of many strings, and of those that begin there the longest. Time is linear in the text and does not depend on the
/// number of strings: a place where none begins takes a look at one byte, another one steps in a tree up to the longest string.
struct StringMatcher: Sendable {
  private let trie: ByteTrie
  /// Bytes with which a string begins.
  private let first: [Bool]

  /// - Parameter strings: no two equal, none empty.
  init(_ strings: [(bytes: [UInt8], value: Int32)]) {
    trie = ByteTrie(strings.map { ($0.bytes[...], $0.value) })
    var first = [Bool](repeating: false, count: 256)
    for string in strings { first[Int(widening: string.bytes[0])] = true }
    self.first = first
  }

  var isEmpty: Bool { trie.longestByteCount == 0 }

  /// The longest string that begins at a position.
  @inline(__always)
  func match(_ text: UnsafeBufferPointer<UInt8>, at position: Int) -> (value: Int32, byteCount: Int)? {
    unsafe first[Int(widening: text[position])] ? trie.longestMatch(text, at: position) : nil
  }

  /// The first match from a position on.
  func firstMatch(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> (value: Int32, range: Range<Int>)? {
    var position = start
    while position < text.count {
      if unsafe first[Int(widening: text[position])], let match = unsafe trie.longestMatch(text, at: position) {
        return (match.value, position..<position &+ match.byteCount)
      }
      position &+= 1
    }
    return nil
  }
}
