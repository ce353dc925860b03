import MartletTensor

/// Tokens under construction.
struct TokenBuffer {
  var ids: [Int32] = []
  /// Where each token's bytes are in the text that the model was given; empty unless `tracksRanges`.
  var ranges: [Range<Int32>] = []
  let tracksRanges: Bool
  /// True if the last token stands for unknown characters, which the next unknown one may join.
  var endsUnknown = false

  init(tracksRanges: Bool) { self.tracksRanges = tracksRanges }

  @inline(__always)
  mutating func append(_ id: Int32, _ start: Int, _ end: Int) {
    ids.append(id)
    endsUnknown = false
    if tracksRanges { ranges.append(Int32(truncatingIfNeeded: start)..<Int32(truncatingIfNeeded: end)) }
  }
}
