/// Treatment of the matches of a pattern that splits text.
enum SplitBehavior: String, Sendable {
  case removed = "Removed"
  case isolated = "Isolated"
  case mergedWithPrevious = "MergedWithPrevious"
  case mergedWithNext = "MergedWithNext"
  case contiguous = "Contiguous"
}

/// A match or what lies between two.
struct TextSegment {
  var start: Int
  var end: Int
  var isMatch: Bool
}

extension SplitBehavior {
  /// Appends the stretches that a text's segments become.
  func append(_ segments: [TextSegment], to splits: inout [PreToken]) {
    func add(_ start: Int, _ end: Int) { if end > start { splits.append(PreToken(start, end)) } }
    /// Adds stretches of segments that join those before them.
    func merge(_ joins: (_ isMatch: Bool, _ wasMatch: Bool) -> Bool) {
      var open: TextSegment?
      var wasMatch = false
      for segment in segments {
        if open != nil, joins(segment.isMatch, wasMatch) {
          open?.end = segment.end
        } else {
          if let open { add(open.start, open.end) }
          open = segment
        }
        wasMatch = segment.isMatch
      }
      if let open { add(open.start, open.end) }
    }
    switch self {
    case .isolated: for segment in segments { add(segment.start, segment.end) }
    case .removed: for segment in segments where !segment.isMatch { add(segment.start, segment.end) }
    case .contiguous: merge { isMatch, wasMatch in isMatch == wasMatch }
    case .mergedWithPrevious: merge { isMatch, wasMatch in isMatch && !wasMatch }
    case .mergedWithNext:
      var stretches: [(start: Int, end: Int)] = []
      var wasMatch = false
      for segment in segments.reversed() {
        if segment.isMatch, !wasMatch, let last = stretches.last {
          stretches[stretches.count - 1] = (segment.start, last.end)
        } else {
          stretches.append((segment.start, segment.end))
        }
        wasMatch = segment.isMatch
      }
      for stretch in stretches.reversed() { add(stretch.start, stretch.end) }
    }
  }
}
