/// The character `▁`, which stands for a blank in vocabularies.
enum BlankMark {
  static let bytes: [UInt8] = [0xE2, 0x96, 0x81]

  /// True if the mark is at a position.
  @inline(__always)
  static func isAt(_ position: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe position >= 0 && position &+ 3 <= text.count && text[position] == 0xE2 && text[position &+ 1] == 0x96
      && text[position &+ 2] == 0x81
  }

  /// True if a token has the mark after another character.
  static func isInside(_ token: [UInt8]) -> Bool {
    unsafe token.withUnsafeBufferPointer { text in
      text.indices.contains { unsafe $0 > 0 && isAt($0, in: text) && !isAt($0 - 3, in: text) }
    }
  }

  /// Calls `body` with the stretches of a text that begin with marks. Only for vocabularies in which no token has the mark inside: there
  /// a word's tokens do not depend on other words.
  @inline(__always)
  static func forEachWord(of text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ body: (Range<Int>) -> Void) {
    var start = range.lowerBound
    var position = start
    while position < range.upperBound {
      if unsafe text[position] == 0xE2 && isAt(position, in: text) {
        if position > start, unsafe !isAt(position &- 3, in: text) || position &- 3 < start {
          body(start..<position)
          start = position
        }
        position &+= 3
      } else {
        position &+= 1
      }
    }
    if range.upperBound > start { body(start..<range.upperBound) }
  }
}
