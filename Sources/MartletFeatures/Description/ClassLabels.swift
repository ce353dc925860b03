/// The labels of a classifier, in the order of its probabilities.
package enum ClassLabels: Sendable, Hashable {
  case strings([String])
  case integers([Int64])

  package var count: Int {
    switch self {
    case .strings(let labels): labels.count
    case .integers(let labels): labels.count
    }
  }
}

/// The labels of a classifier, and the outputs that refer to them.
package struct Classification: Sendable, Hashable {
  package let labels: ClassLabels
  /// The output with the label. The graph computes its position among the labels.
  package let label: String
  /// The output with the probabilities by label, if there is one. The graph computes a tensor.
  package let probabilities: String?

  package init(labels: ClassLabels, label: String, probabilities: String?) {
    self.labels = labels
    self.label = label
    self.probabilities = probabilities
  }
}
