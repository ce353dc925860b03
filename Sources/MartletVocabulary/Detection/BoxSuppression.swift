/// Greedy non-maximum suppression: boxes in the order of their scores, without those that overlap one before them too much.
package struct BoxSuppression: Sendable, Hashable {
  /// Boxes whose intersection over union with a chosen one is greater are dropped.
  package var overlapThreshold: Float
  /// Only boxes with a greater score count; nil for all. If there is none, the best one is chosen.
  package var scoreThreshold: Float?
  /// Whether boxes only suppress those with the same best class.
  package var isPerClass: Bool

  package init(overlapThreshold: Float, scoreThreshold: Float?, isPerClass: Bool) {
    self.overlapThreshold = overlapThreshold
    self.scoreThreshold = scoreThreshold
    self.isPerClass = isPerClass
  }
}
