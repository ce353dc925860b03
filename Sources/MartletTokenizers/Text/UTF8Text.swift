import MartletTensor

/// Characters of texts in valid UTF-8.
enum UTF8Text {
  /// The length of the character that begins with a byte.
  @inline(__always)
  static func length(first byte: UInt8) -> Int {
    if byte < 0x80 { return 1 }
    return byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
  }

  /// The character that begins at a position, and its length.
  @inline(__always)
  static func scalar(_ text: UnsafeBufferPointer<UInt8>, _ position: Int) -> (UInt32, Int) {
    let first = unsafe UInt32(widening: text[position])
    if first < 0x80 { return (first, 1) }
    func part(_ distance: Int) -> UInt32 { unsafe UInt32(widening: text[position &+ distance] & 0x3F) }
    if first < 0xE0 { return ((first & 0x1F) << 6 | part(1), 2) }
    if first < 0xF0 { return ((first & 0xF) << 12 | part(1) << 6 | part(2), 3) }
    return ((first & 7) << 18 | part(1) << 12 | part(2) << 6 | part(3), 4)
  }

  /// The character that ends before a position, and its length.
  @inline(__always)
  static func scalarBefore(_ text: UnsafeBufferPointer<UInt8>, _ position: Int) -> (UInt32, Int) {
    var start = position &- 1
    while unsafe start > 0 && text[start] & 0xC0 == 0x80 { start &-= 1 }
    return unsafe scalar(text, start)
  }

  /// Appends a character.
  @inline(__always)
  static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
    if scalar < 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: scalar))
      return
    }
    if scalar < 0x800 {
      bytes.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
    } else {
      if scalar < 0x10000 {
        bytes.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
      } else {
        bytes.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
        bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 12 & 0x3F))
      }
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
    }
    bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
  }

  /// Calls `body` with the occurrences of a text that is not empty, from left to right; they do not overlap.
  @inline(__always)
  static func forEachOccurrence(of wanted: [UInt8], in text: UnsafeBufferPointer<UInt8>, _ body: (Range<Int>) -> Void) {
    var position = 0
    while position &+ wanted.count <= text.count {
      let range = position..<position &+ wanted.count
      if unsafe text[position] == wanted[0] && text[range].elementsEqual(wanted) {
        body(range)
        position = range.upperBound
      } else {
        position &+= 1
      }
    }
  }
}
