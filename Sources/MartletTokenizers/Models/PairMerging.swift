import MartletTensor

/// A part of a word while byte pairs are merged.
struct MergePart: Sendable {
  /// The token; -1 for bytes of which no token is known.
  var id: Int32
  /// The bytes, as positions in the text.
  var start: Int32
  var end: Int32
}

/// The result of merging two neighbouring parts.
struct PairMerge: Sendable {
  /// Merges of lower priority numbers come first; `none` if the two do not merge.
  var priority: UInt32
  var id: Int32

  static let none = PairMerge(priority: .max, id: -1)
}

/// Knows which neighbours merge.
protocol PairRule {
  func merge(_ left: MergePart, _ right: MergePart, in text: UnsafeBufferPointer<UInt8>) -> PairMerge
}

/// Merges neighbouring parts of a word, the pair of the lowest priority number first and of equal ones the leftmost, until none is left.
struct PairMerger {
  /// Words of more parts use a heap: n log n instead of n².
  private static let smallCount = 40

  private var merges: [PairMerge] = []
  private var next: [Int32] = []
  private var previous: [Int32] = []
  private var heap = MinimumHeap()
  /// Merges that chance has left out.
  private var skipped: [UInt64] = []

  /// - Parameter dropout: the probability that a merge is left out each time it is chosen.
  mutating func merge(_ parts: inout [MergePart], by rule: some PairRule, in text: UnsafeBufferPointer<UInt8>, dropout: Float = 0) {
    if parts.count < 2 { return }
    if parts.count <= Self.smallCount, dropout == 0 {
      unsafe mergeFew(&parts, by: rule, in: text)
    } else {
      unsafe mergeMany(&parts, by: rule, in: text, dropout: dropout)
    }
  }

  @inline(__always)
  private mutating func mergeFew(_ parts: inout [MergePart], by rule: some PairRule, in text: UnsafeBufferPointer<UInt8>) {
    var count = parts.count
    if merges.count < count { merges = Array(repeating: .none, count: max(count, Self.smallCount)) }
    unsafe merges.withUnsafeMutableBufferPointer { merges in
      unsafe parts.withUnsafeMutableBufferPointer { parts in
        var lowest = UInt32.max
        var place = 0
        for index in 0..<count &- 1 {
          let merge = unsafe rule.merge(parts[index], parts[index &+ 1], in: text)
          unsafe merges[index] = merge
          if merge.priority < lowest { (lowest, place) = (merge.priority, index) }
        }
        while lowest != .max {
          unsafe parts[place].id = merges[place].id
          unsafe parts[place].end = parts[place &+ 1].end
          // Close the gap.
          count &-= 1
          var index = place &+ 1
          while index < count {
            unsafe parts[index] = parts[index &+ 1]
            unsafe merges[index] = merges[index &+ 1]
            index &+= 1
          }
          unsafe merges[place] = place &+ 1 < count ? rule.merge(parts[place], parts[place &+ 1], in: text) : .none
          if place > 0 { unsafe merges[place &- 1] = rule.merge(parts[place &- 1], parts[place], in: text) }
          lowest = .max
          for index in 0..<count &- 1 where unsafe merges[index].priority < lowest {
            (lowest, place) = unsafe (merges[index].priority, index)
          }
        }
      }
    }
    parts.removeLast(parts.count - count)
  }

  private mutating func mergeMany(
    _ parts: inout [MergePart], by rule: some PairRule, in text: UnsafeBufferPointer<UInt8>, dropout: Float
  ) {
    let count = parts.count
    merges.removeAll(keepingCapacity: true)
    next.removeAll(keepingCapacity: true)
    previous.removeAll(keepingCapacity: true)
    heap.removeAll()
    skipped.removeAll(keepingCapacity: true)
    for index in 0..<count {
      let merge = unsafe index + 1 < count ? rule.merge(parts[index], parts[index + 1], in: text) : .none
      merges.append(merge)
      next.append(Int32(clamping: index + 1))
      previous.append(Int32(clamping: index - 1))
      if merge.priority != .max { heap.append(Self.key(merge.priority, index)) }
    }
    heap.order()
    var generator = SystemRandomNumberGenerator()
    while let key = heap.popFirst() {
      if dropout > 0, Float.random(in: 0..<1, using: &generator) < dropout {
        skipped.append(key)
        continue
      }
      for key in skipped { heap.insert(key) }
      skipped.removeAll(keepingCapacity: true)
      let place = Int(truncatingIfNeeded: key & 0xFFFF_FFFF)
      // A merge that was replaced since has another priority; a part that was merged away has none.
      guard merges[place].priority == UInt32(truncatingIfNeeded: key >> 32) else { continue }
      let right = Int(widening: next[place])
      parts[place].id = merges[place].id
      parts[place].end = parts[right].end
      merges[right] = .none
      let after = Int(widening: next[right])
      next[place] = Int32(clamping: after)
      if after < count { previous[after] = Int32(clamping: place) }
      unsafe update(place, after, parts, rule, text)
      let before = Int(widening: previous[place])
      if before >= 0 { unsafe update(before, place, parts, rule, text) }
    }
    var kept = 0
    var place = 0
    while place < count {
      parts[kept] = parts[place]
      kept += 1
      place = Int(widening: next[place])
    }
    parts.removeLast(count - kept)
  }

  private mutating func update(
    _ place: Int, _ right: Int, _ parts: [MergePart], _ rule: some PairRule, _ text: UnsafeBufferPointer<UInt8>
  ) {
    merges[place] = unsafe right < parts.count ? rule.merge(parts[place], parts[right], in: text) : .none
    if merges[place].priority != .max { heap.insert(Self.key(merges[place].priority, place)) }
  }

  @inline(__always)
  private static func key(_ priority: UInt32, _ place: Int) -> UInt64 {
    UInt64(widening: priority) << 32 | UInt64(truncatingIfNeeded: place)
  }
}

/// A heap of numbers, the smallest first.
struct MinimumHeap {
  private var keys: [UInt64] = []

  mutating func removeAll() { keys.removeAll(keepingCapacity: true) }

  /// Appends a number out of order; `order` follows.
  mutating func append(_ key: UInt64) { keys.append(key) }

  mutating func order() {
    var index = keys.count / 2
    while index > 0 {
      index &-= 1
      sink(index)
    }
  }

  mutating func insert(_ key: UInt64) {
    keys.append(key)
    var index = keys.count &- 1
    while index > 0 {
      let parent = (index &- 1) / 2
      guard keys[parent] > keys[index] else { break }
      keys.swapAt(parent, index)
      index = parent
    }
  }

  mutating func popFirst() -> UInt64? {
    guard let first = keys.first, let last = keys.popLast() else { return nil }
    if !keys.isEmpty {
      keys[0] = last
      sink(0)
    }
    return first
  }

  private mutating func sink(_ start: Int) {
    var index = start
    let key = keys[index]
    while true {
      var child = 2 &* index &+ 1
      guard child < keys.count else { break }
      if child &+ 1 < keys.count, keys[child &+ 1] < keys[child] { child &+= 1 }
      guard keys[child] < key else { break }
      keys[index] = keys[child]
      index = child
    }
    keys[index] = key
  }
}
