import MartletTensor

/// Words and their tokens, as many as fit: a new word displaces one with the same place. Not for several threads at a time.
struct WordCache {
  private struct Slot {
    var hash: UInt64 = 0
    var start: UInt32 = 0
    var byteCount: UInt8 = 0
    var tokenCount: UInt8 = 0
    var firstToken: UInt32 = 0
  }

  /// Longer words are not kept.
  static let longestByteCount = 64
  private static let slotCount = 1 << 14
  private static let arenaByteCount = 1 << 20

  private var slots = [Slot](repeating: Slot(), count: slotCount)
  private var bytes: [UInt8] = []
  private var tokens: [Int32] = []
  /// The end of each token in its word.
  private var ends: [UInt8] = []

  /// Appends the tokens of a word that starts at `base` in its text; false if the word is not known.
  @inline(__always)
  func append(_ word: UnsafeBufferPointer<UInt8>, hash: UInt64, base: Int, to buffer: inout TokenBuffer) -> Bool {
    let slot = slots[Int(truncatingIfNeeded: hash) & (Self.slotCount &- 1)]
    guard slot.hash == hash, Int(widening: slot.byteCount) == word.count else { return false }
    let isEqual = unsafe bytes.withUnsafeBufferPointer { bytes in
      let start = Int(widening: slot.start)
      for index in 0..<word.count where unsafe bytes[start &+ index] != word[index] { return false }
      return true
    }
    guard isEqual else { return false }
    let first = Int(widening: slot.firstToken)
    if !buffer.tracksRanges {
      for index in 0..<Int(widening: slot.tokenCount) { buffer.ids.append(tokens[first &+ index]) }
    } else {
      var start = 0
      for index in 0..<Int(widening: slot.tokenCount) {
        let end = Int(widening: ends[first &+ index])
        buffer.append(tokens[first &+ index], base &+ start, base &+ end)
        start = end
      }
    }
    return true
  }

  mutating func insert(_ word: UnsafeBufferPointer<UInt8>, hash: UInt64, _ parts: [MergePart], base: Int) {
    guard word.count <= Self.longestByteCount, parts.count <= Self.longestByteCount else { return }
    if bytes.count + word.count > Self.arenaByteCount {
      slots = Array(repeating: Slot(), count: Self.slotCount)
      bytes.removeAll(keepingCapacity: true)
      tokens.removeAll(keepingCapacity: true)
      ends.removeAll(keepingCapacity: true)
    }
    slots[Int(truncatingIfNeeded: hash) & (Self.slotCount &- 1)] = Slot(
      hash: hash, start: UInt32(clamping: bytes.count), byteCount: UInt8(clamping: word.count), tokenCount: UInt8(clamping: parts.count),
      firstToken: UInt32(clamping: tokens.count))
    unsafe bytes.append(contentsOf: word)
    for part in parts {
      tokens.append(part.id)
      ends.append(UInt8(clamping: Int(widening: part.end) - base))
    }
  }
}
