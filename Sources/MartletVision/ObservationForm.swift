package import Martlet
package import MartletFeatures

/// Kind of observations that a model's outputs become, with the outputs that they are made from.
package enum ObservationForm: Sendable, Hashable {
  /// Objects with boxes and the confidence of each class.
  case objects(SuppressedBoxes)
  /// Classes of the whole picture, from the output with the label and, if there is one, that with the probabilities by label.
  case classification(label: String, probabilities: String?)
  /// The outputs that are pictures.
  case pictures([String])
  /// All outputs, as they are.
  case values([String])

  /// - Parameters:
  ///   - outputs: names and whether they are images, in the model's order.
  ///   - label: the output with a classifier's label.
  package init(outputs: [(name: String, isImage: Bool)], label: String?, probabilities: String?, boxes: SuppressedBoxes?) {
    let names = Set(outputs.map(\.name))
    let pictures = outputs.filter(\.isImage).map(\.name)
    if let boxes, names.contains(boxes.confidenceOutput), names.contains(boxes.coordinatesOutput) {
      self = .objects(boxes)
    } else if let label, names.contains(label) {
      self = .classification(label: label, probabilities: probabilities.flatMap { names.contains($0) ? $0 : nil })
    } else if !pictures.isEmpty {
      self = .pictures(pictures)
    } else {
      self = .values(outputs.map(\.name))
    }
  }

  /// The form of a function's outputs.
  package init(_ function: FunctionDescription, boxes: SuppressedBoxes?) {
    self.init(
      outputs: function.outputs.map { output in
        if case .image = output.type { (output.name, true) } else { (output.name, false) }
      },
      label: function.outputs.first { $0.name == function.predictedFeatureName && ($0.type == .string || $0.type == .int64) }?.name,
      probabilities: function.predictedProbabilitiesName, boxes: boxes)
  }
}

extension ClassLabels {
  /// Integers in decimal.
  package var texts: [String] {
    switch self {
    case .strings(let labels): labels
    case .integers(let labels): labels.map { "\($0)" }
    }
  }
}
