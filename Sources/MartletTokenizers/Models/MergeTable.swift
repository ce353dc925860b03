import MartletTensor

/// Pairs of tokens with the token that each becomes, in the order of a list of merges.
struct MergeTable: Sendable, PairRule {
  private struct Slot: Sendable {
    var key: UInt64 = .max
    var merge = PairMerge.none
  }

  private var slots: [Slot]
  private(set) var count = 0

  init(pairCount: Int) {
    var size = 16
    while size < 2 * pairCount { size *= 2 }
    slots = Array(repeating: Slot(), count: size)
  }

  @inline(__always)
  private static func key(_ left: Int32, _ right: Int32) -> UInt64 {
    UInt64(UInt32(bitPattern: left)) << 32 | UInt64(UInt32(bitPattern: right))
  }

  @inline(__always)
  private static func hash(_ key: UInt64) -> Int { Int(truncatingIfNeeded: ByteHash.mix(key)) }

  @inline(__always)
  func find(_ left: Int32, _ right: Int32) -> PairMerge {
    let key = Self.key(left, right)
    var slot = Self.hash(key) & (slots.count &- 1)
    while true {
      let entry = slots[slot]
      if entry.key == key { return entry.merge }
      if entry.key == .max { return .none }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
  }

  /// Adds a pair; one that is there already gets the new merge.
  mutating func insert(_ left: Int32, _ right: Int32, _ merge: PairMerge) {
    if 2 * count >= slots.count { grow() }
    let key = Self.key(left, right)
    var slot = Self.hash(key) & (slots.count &- 1)
    while slots[slot].key != .max, slots[slot].key != key { slot = (slot &+ 1) & (slots.count &- 1) }
    if slots[slot].key == .max { count += 1 }
    slots[slot] = Slot(key: key, merge: merge)
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(), count: old.count * 2)
    for entry in old where entry.key != .max {
      var slot = Self.hash(entry.key) & (slots.count &- 1)
      while slots[slot].key != .max { slot = (slot &+ 1) & (slots.count &- 1) }
      slots[slot] = entry
    }
  }

  @inline(__always)
  func merge(_ left: MergePart, _ right: MergePart, in text: UnsafeBufferPointer<UInt8>) -> PairMerge {
    find(left.id, right.id)
  }
}

/// Merges two parts if their bytes together are a token, those of lower numbers first: tiktoken and SentencePiece.
struct RankRule: PairRule {
  let vocabulary: Vocabulary
  /// The priority of each id; nil if ids are priorities.
  let priorities: [UInt32]?
  /// Bytes of the longest token.
  private let longestByteCount: Int
  /// The tokens of one byte, and of two; -1 for none.
  let bytes: [Int32]
  private let pairs: [Int32]
  /// Bits at parts of the tokens' hashes. Most neighbours are no token, which a look at a bit shows.
  private let filter: [UInt64]

  init(vocabulary: Vocabulary, priorities: [UInt32]?) {
    self.vocabulary = vocabulary
    self.priorities = priorities
    var longest = 0
    var bytes = [Int32](repeating: -1, count: 1 << 8)
    var pairs = [Int32](repeating: -1, count: 1 << 16)
    var size = 64
    while size < vocabulary.count / 8 { size *= 2 }
    var filter = [UInt64](repeating: 0, count: size)
    for id in 0..<vocabulary.idEnd {
      _ = unsafe vocabulary.withBytes(of: id) { token in
        longest = max(longest, token.count)
        let id = unsafe vocabulary.id(token)
        if token.count == 1 { unsafe bytes[Int(widening: token[0])] = id }
        if token.count == 2 { unsafe pairs[Int(widening: token[0]) << 8 | Int(widening: token[1])] = id }
        let (word, bit) = unsafe Self.place(ByteHash.hash(token), size)
        filter[word] |= bit
      }
    }
    longestByteCount = longest
    self.bytes = bytes
    self.pairs = pairs
    self.filter = filter
  }

  @inline(__always)
  private static func place(_ hash: UInt64, _ size: Int) -> (word: Int, bit: UInt64) {
    (Int(truncatingIfNeeded: hash >> 8) & (size &- 1), 1 << (hash >> 58))
  }

  @inline(__always)
  func merge(_ left: MergePart, _ right: MergePart, in text: UnsafeBufferPointer<UInt8>) -> PairMerge {
    let (start, end) = (Int(widening: left.start), Int(widening: right.end))
    let id: Int32
    if end &- start == 2 {
      id = unsafe pairs[Int(widening: text[start]) << 8 | Int(widening: text[start &+ 1])]
    } else {
      guard end &- start <= longestByteCount else { return .none }
      let key = unsafe UnsafeBufferPointer(rebasing: text[start..<end])
      let hash = unsafe ByteHash.hash(key)
      let (word, bit) = Self.place(hash, filter.count)
      guard filter[word] & bit != 0 else { return .none }
      id = unsafe vocabulary.id(key, hash: hash)
    }
    guard id >= 0 else { return .none }
    return PairMerge(priority: priorities?[Int(widening: id)] ?? UInt32(bitPattern: id), id: id)
  }
}
