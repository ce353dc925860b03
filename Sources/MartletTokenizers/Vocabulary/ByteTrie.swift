import MartletTensor

/// A tree over the bytes of strings, as two arrays: the children of a node lie at its offset plus their byte, and each names its parent.
/// Looking for all strings that begin at a place takes one step a byte.
struct ByteTrie: Sendable {
  private struct Unit: Sendable {
    /// Where the children lie.
    var offset: Int32 = 0
    /// The node whose child this is; -1 for a free unit.
    var parent: Int32 = -1
    /// The value of the string that ends here; -1 for none.
    var value: Int32 = -1
  }

  private var units: [Unit] = []
  /// The length of the longest string.
  private(set) var longestByteCount = 0

  /// - Parameter strings: no two equal, with values from 0.
  init(_ strings: [(bytes: ArraySlice<UInt8>, value: Int32)]) {
    units = [Unit(parent: 0)]
    guard !strings.isEmpty else { return }
    let sorted = strings.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    longestByteCount = strings.reduce(0) { max($0, $1.bytes.count) }
    var firstFree = 1
    /// Ranges of the sorted strings that share a node's path.
    var open: [(node: Int, range: Range<Int>, depth: Int)] = [(0, sorted.indices, 0)]
    while let (node, range, depth) = open.popLast() {
      var first = range.lowerBound
      func byte(_ index: Int) -> Int { Int(widening: sorted[index].bytes[sorted[index].bytes.startIndex + depth]) }
      if sorted[first].bytes.count == depth {
        units[node].value = sorted[first].value
        first += 1
      }
      var children: [(byte: Int, range: Range<Int>)] = []
      while first < range.upperBound {
        let value = byte(first)
        var end = first + 1
        while end < range.upperBound, byte(end) == value { end += 1 }
        children.append((value, first..<end))
        first = end
      }
      guard let smallest = children.first else { continue }
      // The first place where all children are free.
      while firstFree < units.count, units[firstFree].parent >= 0 { firstFree += 1 }
      var place = firstFree
      var tries = 0
      search: while true {
        for child in children {
          // In range: a few hundred beyond the units.
          let unit = place + child.byte - smallest.byte
          if unit < units.count, units[unit].parent >= 0 {
            place += 1
            tries += 1
            // Crowded stretches are left behind.
            if tries > 64 { place = max(place, units.count) }
            continue search
          }
        }
        break
      }
      let offset = place - smallest.byte
      let needed = place + (children.last?.byte ?? 0) - smallest.byte + 1
      if needed > units.count { units.append(contentsOf: repeatElement(Unit(), count: needed - units.count)) }
      units[node].offset = Int32(clamping: offset)
      for child in children {
        units[offset + child.byte].parent = Int32(clamping: node)
        open.append((offset + child.byte, child.range, depth + 1))
      }
    }
  }

  /// The root, from which `child` starts.
  static let root = 0

  /// The child of a node for a byte; -1 if there is none.
  @inline(__always)
  func child(_ node: Int, _ byte: UInt8) -> Int {
    let place = Int(widening: units[node].offset) &+ Int(widening: byte)
    guard place > 0, place < units.count, Int(widening: units[place].parent) == node else { return -1 }
    return place
  }

  /// The value of the string that ends at a node; -1 if none does.
  @inline(__always)
  func value(_ node: Int) -> Int32 { units[node].value }

  /// The longest string that the bytes at a position begin with: its value and length; nil if there is none.
  func longestMatch(_ text: UnsafeBufferPointer<UInt8>, at position: Int) -> (value: Int32, byteCount: Int)? {
    var node = Self.root
    var found: (Int32, Int)?
    var index = position
    while index < text.count {
      node = unsafe child(node, text[index])
      if node < 0 { break }
      index &+= 1
      if value(node) >= 0 { found = (value(node), index &- position) }
    }
    return found
  }
}
