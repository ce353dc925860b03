import CoreML

/// What the app says of a fruit. It depends on features only, so that tests need no model.
public struct RipenessReport: Sendable, Equatable {
  public let isRipe: Bool
  /// From 0 to 1.
  public let confidence: Double

  /// - Returns: nil if the output lacks the label or its probability.
  public init?(_ output: any MLFeatureProvider) {
    guard let label = output.featureValue(for: "label")?.stringValue, !label.isEmpty,
      let probability = output.featureValue(for: "probabilities")?.dictionaryValue[label]
    else { return nil }
    isRipe = label == "ripe"
    confidence = probability.doubleValue
  }

  public var text: String {
    let percent = Int((confidence * 100).rounded())
    return confidence < 0.6 ? "not sure (\(percent) %)" : "\(isRipe ? "ripe" : "unripe") (\(percent) %)"
  }
}

/// Measures fruits with the model `Ripeness`.
public struct FruitScale: Sendable {
  private let models: ModelManager

  public init(models: ModelManager = .shared) {
    self.models = models
  }

  /// - Parameters:
  ///   - firmness: in newtons.
  ///   - hue: in degrees.
  public func report(firmness: Double, hue: Double) async throws -> RipenessReport? {
    let model = Ripeness(model: try await models.model(at: Ripeness.urlOfModelInThisBundle).value)
    return RipenessReport(
      try await model.prediction(input: RipenessInput(measurements: MLShapedArray(scalars: [firmness, hue], shape: [2]))))
  }
}
