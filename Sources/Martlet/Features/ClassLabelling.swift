package import MartletFeatures
import MartletTensor

/// Converts the outputs of a classifier's graph, a class index and a tensor of probabilities, to labels.
package struct ClassLabelling: FeatureFunction {
  package let classification: Classification

  package init(_ classification: Classification) { self.classification = classification }

  /// - Throws: `MartletError.executionFailed` if the index is out of range or the number of probabilities is not that of the labels.
  package func apply(to features: inout [String: ModelValue]) throws {
    if case .int(let position)? = features[classification.label] { features[classification.label] = try label(at: position) }
    if let name = classification.probabilities, case .tensor(let tensor)? = features[name] {
      features[name] = try .dictionary(dictionary(of: tensor.host.numbers, name: name))
    }
  }

  private func label(at position: Int) throws -> ModelValue {
    switch classification.labels {
    case .strings(let labels) where labels.indices.contains(position): return .string(labels[position])
    case .integers(let labels) where labels.indices.contains(position): return .int(Int(widening: labels[position]))
    default:
      throw MartletError.executionFailed(
        "the output \(classification.label) names class \(position) of \(classification.labels.count)")
    }
  }

  private func dictionary(of numbers: [Double], name: String) throws -> ModelDictionary {
    guard numbers.count == classification.labels.count else {
      throw MartletError.executionFailed("the output \(name) has \(numbers.count) elements for \(classification.labels.count) classes")
    }
    switch classification.labels {
    case .strings(let labels): return .byString(Dictionary(zip(labels, numbers), uniquingKeysWith: { $1 }))
    case .integers(let labels): return .byInteger(Dictionary(zip(labels.map { Int(widening: $0) }, numbers), uniquingKeysWith: { $1 }))
    }
  }
}
