/// Offsets for temporary buffers in one block of memory, such that buffers which live at the same time do not overlap.
///
/// Buffers are placed from the largest to the smallest at the lowest offset that is free during their lifetime; very
/// long plans are laid out in order of time instead, which needs a little more memory and much less work.
package struct ArenaLayout {
  package struct Request {
    package let byteCount: Int
    /// First and last position at which the buffer is used, inclusive.
    package let first: Int
    package let last: Int
    package init(byteCount: Int, first: Int, last: Int) {
      self.byteCount = byteCount
      self.first = first
      self.last = last
    }
  }

  /// Offset per request; 0 where there is none.
  package private(set) var offsets: [Int]
  package private(set) var byteCount = 0

  private static let alignment = 64

  private struct Placed {
    let offset: Int
    let end: Int
    let first: Int
    let last: Int
  }

  package init(_ requests: [Request?]) {
    offsets = [Int](repeating: 0, count: requests.count)
    var order: [Int] = []
    for (index, request) in requests.enumerated() where request != nil { order.append(index) }
    let bySize = order.count <= 1500
    if bySize { order.sort { (requests[$0]!.byteCount, $1) > (requests[$1]!.byteCount, $0) } }
    var placed: [Placed] = []  // sorted by offset
    for index in order {
      let request = requests[index]!
      if !bySize { placed.removeAll { $0.last < request.first } }
      let size = max((request.byteCount + Self.alignment - 1) & ~(Self.alignment - 1), Self.alignment)
      var offset = 0
      for other in placed where other.first <= request.last && request.first <= other.last {
        if other.offset >= offset + size { break }
        offset = max(offset, other.end)
      }
      let entry = Placed(offset: offset, end: offset + size, first: request.first, last: request.last)
      let position = placed.firstIndex { $0.offset > offset } ?? placed.count
      placed.insert(entry, at: position)
      offsets[index] = offset
      byteCount = max(byteCount, entry.end)
    }
  }
}
