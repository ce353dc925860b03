import MartletCoreMLFile
package import MartletFeatures

/// The outputs of a detector: a pipeline whose last model keeps the best of boxes that overlap.
package struct SuppressedBoxes: Sendable, Hashable {
  /// An array [boxes, classes].
  package let confidenceOutput: String
  /// An array [boxes, 4]: centre x, centre y, width and height in units of the picture's extents, with the origin at the upper left.
  package let coordinatesOutput: String
  /// One for each class; nil if the model has none.
  package let labels: ClassLabels?

  package init(confidenceOutput: String, coordinatesOutput: String, labels: ClassLabels?) {
    self.confidenceOutput = confidenceOutput
    self.coordinatesOutput = coordinatesOutput
    self.labels = labels
  }
}

extension ModelAsset {
  /// The boxes that the model gives; nil for one that is not a pipeline ending in their suppression.
  package var suppressedBoxes: SuppressedBoxes? {
    guard case .pipeline(let stages) = model.content, let last = stages.last else { return nil }
    return Self.suppressedBoxes(of: last.model)
  }

  private static func suppressedBoxes(of model: CoreMLModel) -> SuppressedBoxes? {
    switch model.content {
    case .classic(.nonMaximumSuppression(let suppression)):
      SuppressedBoxes(
        confidenceOutput: suppression.names.confidenceOutput, coordinatesOutput: suppression.names.coordinatesOutput,
        labels: suppression.labels)
    case .pipeline(let stages): stages.last.flatMap { suppressedBoxes(of: $0.model) }
    default: nil
    }
  }
}
