extension RandomAccessCollection where Index == Int {
  /// The first index for which a condition holds that also holds for all later ones; the end if there is none. Binary search.
  @inlinable
  package func partitioned(by condition: (Int) -> Bool) -> Int {
    var (first, end) = (startIndex, endIndex)
    while first < end {
      let middle = first + (end - first) / 2
      if condition(middle) { end = middle } else { first = middle + 1 }
    }
    return first
  }
}
