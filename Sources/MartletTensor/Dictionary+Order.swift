extension Dictionary where Key: Comparable {
  /// The entries in the order of their keys.
  ///
  /// Keys are sorted alone, so that the sort is compiled once for each type of key.
  package var sortedByKey: [(key: Key, value: Value)] {
    // Each key is there.
    Array(keys).sorted().map { (key: $0, value: self[$0]!) }
  }
}
