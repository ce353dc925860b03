/// Offsets of temporary buffers in one memory block, such that buffers with overlapping lifetimes do not overlap in memory.
///
/// Buffers are placed in descending order of size at the lowest offset that is free during their lifetime. Very long plans are laid out
/// in order of time instead, which needs slightly more memory and much less work.
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

  /// Offset of each request; 0 for empty ones.
  package private(set) var offsets: [Int]
  package private(set) var byteCount = 0

  private static let alignment = 64
  private static let mostSearched = 8192

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
    var nextCleaning = 64
    for index in order {
      let request = requests[index]!
      if !bySize, placed.count >= nextCleaning {
        placed.removeAll { $0.last < request.first }
        nextCleaning = max(64, 2 * placed.count)
      }
      // In range: requests are checked against the memory limit.
      let size = max((request.byteCount + Self.alignment - 1) & ~(Self.alignment - 1), Self.alignment)
      // With more live buffers than any real plan has, gaps are not searched.
      let isSearched = placed.count <= Self.mostSearched
      var offset = isSearched ? 0 : byteCount
      for other in placed.prefix(isSearched ? placed.count : 0) where other.first <= request.last && request.first <= other.last {
        // In range: sums of requests that are checked against the memory limit.
        if other.offset >= offset + size { break }
        offset = max(offset, other.end)
      }
      // In range: sums of requests that are checked against the memory limit.
      let entry = Placed(offset: offset, end: offset + size, first: request.first, last: request.last)
      let position = offset >= byteCount ? placed.count : placed.firstIndex { $0.offset > offset } ?? placed.count
      placed.insert(entry, at: position)
      offsets[index] = offset
      byteCount = max(byteCount, entry.end)
    }
  }
}
