import MartletTensor

/// A map from strings to strings as SentencePiece writes it: a double array over the strings' bytes, and what they become.
///
/// The array comes from a file. Positions are checked as they are read: a wrong one ends a search.
struct PrecompiledMap: Sendable {
  private let units: [UInt32]
  /// Texts that end with a zero byte.
  private let texts: [UInt8]

  /// - Parameter blob: the array's size in bytes, the array, and the texts.
  init(_ blob: ArraySlice<UInt8>) throws(TokenizerError) {
    func word(_ offset: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(widening: blob[blob.startIndex + offset + $1]) << UInt32(clamping: 8 * $1) }
    }
    guard blob.count >= 4 else { throw TokenizerError("the map has fewer than 4 bytes") }
    let byteCount = Int(widening: word(0))
    guard byteCount % 4 == 0, byteCount <= blob.count - 4 else {
      throw TokenizerError("an array of \(byteCount) bytes does not fit the map's \(blob.count) bytes")
    }
    units = (0..<byteCount / 4).map { word(4 + 4 * $0) }
    texts = Array(blob.dropFirst(4 + byteCount))
  }

  /// The longest string of the map that the bytes begin with: its length, and where its text begins.
  func longestMatch(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> (byteCount: Int, text: Int)? {
    unsafe matches(bytes, position..<bytes.count, isLongest: true)
  }

  /// The shortest string of the map that the bytes begin with, as `tokenizers` looks for it.
  private func firstMatch(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> (byteCount: Int, text: Int)? {
    unsafe matches(bytes, range, isLongest: false)
  }

  private func matches(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, isLongest: Bool) -> (byteCount: Int, text: Int)? {
    guard let root = units.first else { return nil }
    var found: (Int, Int)?
    var node = Self.offset(root)
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = unsafe UInt32(widening: bytes[index])
      node ^= byte
      guard node < units.count else { break }
      let unit = units[Int(widening: node)]
      // A byte of 0 is the mark of a leaf, never a step.
      guard unit & 0x8000_00FF == byte, byte != 0 else { break }
      node ^= Self.offset(unit)
      index &+= 1
      if unit >> 8 & 1 == 1 {
        guard node < units.count else { break }
        found = (index &- range.lowerBound, Int(widening: units[Int(widening: node)] & 0x7FFF_FFFF))
        if !isLongest { return found }
      }
    }
    return found
  }

  private static func offset(_ unit: UInt32) -> UInt32 { (unit >> 10) << ((unit & 0x200) >> 6) }

  /// The text at a position, without its zero byte.
  func text(at position: Int) -> ArraySlice<UInt8> {
    guard position < texts.count else { return [] }
    let end = texts[position...].firstIndex(of: 0) ?? texts.count
    return texts[position..<end]
  }

  /// Normalizes as `tokenizers` does: small clusters of characters as a whole, others character by character.
  func normalize(_ text: inout AlignedText) {
    var changes = TextChanges(of: text)
    var isChanged = false
    let string = String(decoding: text.bytes, as: UTF8.self)
    var start = 0
    unsafe text.bytes.withUnsafeBufferPointer { bytes in
      func replace(_ range: Range<Int>) -> Bool {
        guard let match = unsafe firstMatch(bytes, range) else { return false }
        let new = unsafe Array(self.text(at: match.text)).withUnsafeBufferPointer { unsafe Self.scalars($0) }
        let old = unsafe Self.scalars(UnsafeBufferPointer(rebasing: bytes[range]))
        isChanged = true
        let difference = new.count - old.count
        for (index, scalar) in new.enumerated() {
          var change = 0
          if difference > 0, index >= new.count - difference { change = 1 }
          if difference < 0, index == new.count - 1 { change = difference }
          changes.put(scalar, change: change)
        }
        return true
      }
      for character in string {
        let end = start + character.utf8.count
        if end - start < 6, replace(start..<end) {
          start = end
          continue
        }
        while start < end {
          let length = unsafe UTF8Text.length(first: bytes[start])
          if !replace(start..<start + length) {
            unsafe changes.put(UTF8Text.scalar(bytes, start).0, change: 0)
          }
          start += length
        }
      }
    }
    if isChanged { text = changes.result }
  }

  private static func scalars(_ text: UnsafeBufferPointer<UInt8>) -> [UInt32] {
    unsafe String(decoding: text, as: UTF8.self).unicodeScalars.map(\.value)
  }
}
