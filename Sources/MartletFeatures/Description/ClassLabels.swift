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
