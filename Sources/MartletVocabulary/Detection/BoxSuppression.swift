/// Greedy non-maximum suppression: takes boxes in descending order of their scores, except those that overlap an earlier box too much.
package struct BoxSuppression: Sendable, Hashable {
  /// Boxes whose intersection over union with a chosen box exceeds this are dropped.
  package var overlapThreshold: Float
  /// Only boxes with a greater score count; nil for no threshold. If no box exceeds it, the best one is chosen.
  package var scoreThreshold: Float?
  /// True if boxes suppress only those with the same best class.
  package var isPerClass: Bool

  package init(overlapThreshold: Float, scoreThreshold: Float?, isPerClass: Bool) {
    self.overlapThreshold = overlapThreshold
    self.scoreThreshold = scoreThreshold
    self.isPerClass = isPerClass
  }
}
