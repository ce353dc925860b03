import MartletBytes
package import MartletFeatures

/// Keeps the best of boxes that overlap.
package struct NonMaximumSuppression: Sendable, Equatable {
  /// The features that the model reads and writes; nil for those that it does not have.
  package struct FeatureNames: Sendable, Equatable {
    package let confidenceInput: String
    package let coordinatesInput: String
    package let iouThresholdInput: String?
    package let confidenceThresholdInput: String?
    package let confidenceOutput: String
    package let coordinatesOutput: String
  }

  /// True if boxes of different classes do not suppress each other.
  package let isPerClass: Bool
  /// Between 0 and 1.
  package let iouThreshold: Double
  /// At least 0.
  package let confidenceThreshold: Double
  /// One for each column of the confidences; nil if the file has none.
  package let labels: ClassLabels?
  package let names: FeatureNames
}

/// Curves for choosing the threshold of each class. Predictions pass unchanged.
package struct ClassConfidenceThresholding: Sendable, Equatable {
  /// Values with the thresholds of confidence at which they hold. All are finite and at least 0.
  package struct Curve: Sendable, Equatable {
    package let precision: [Float]
    package let precisionThresholds: [Float]
    package let recall: [Float]
    package let recallThresholds: [Float]
  }

  package let curves: [Curve]
}

extension ClassicReader {
  func nonMaximumSuppression(_ source: SpecNonMaximumSuppression) throws(FileError) -> NonMaximumSuppression {
    guard (0...1).contains(source.iouThreshold) else {
      throw error("iouThreshold", "\(source.iouThreshold) is not between 0 and 1")
    }
    guard source.confidenceThreshold >= 0 else {
      throw error("confidenceThreshold", "\(source.confidenceThreshold) is negative or not a number")
    }
    return NonMaximumSuppression(
      isPerClass: source.pickTop.perClass, iouThreshold: source.iouThreshold, confidenceThreshold: source.confidenceThreshold,
      labels: source.labels, names: try names(source))
  }

  private func names(_ source: SpecNonMaximumSuppression) throws(FileError) -> NonMaximumSuppression.FeatureNames {
    let confidence = try interface.feature(
      .input, named: source.confidenceInputFeatureName, by: "confidenceInputFeatureName", .multiArray)
    let coordinates = try interface.feature(
      .input, named: source.coordinatesInputFeatureName, by: "coordinatesInputFeatureName", .multiArray)
    let confidenceOutput = try interface.feature(
      .output, named: source.confidenceOutputFeatureName, by: "confidenceOutputFeatureName", .multiArray)
    let coordinatesOutput = try interface.feature(
      .output, named: source.coordinatesOutputFeatureName, by: "coordinatesOutputFeatureName", .multiArray)
    func threshold(_ name: String, _ field: String) throws(FileError) -> String? {
      guard interface.function.inputs.contains(where: { $0.name == name }) else { return nil }
      return try interface.feature(.input, named: name, by: field, .double).name
    }
    let names = NonMaximumSuppression.FeatureNames(
      confidenceInput: confidence.name, coordinatesInput: coordinates.name,
      iouThresholdInput: try threshold(source.iouThresholdInputFeatureName, "iouThresholdInputFeatureName"),
      confidenceThresholdInput: try threshold(source.confidenceThresholdInputFeatureName, "confidenceThresholdInputFeatureName"),
      confidenceOutput: confidenceOutput.name, coordinatesOutput: coordinatesOutput.name)
    let used = [confidence.name, coordinates.name, names.iouThresholdInput, names.confidenceThresholdInput]
    for feature in interface.function.inputs where !used.contains(feature.name) {
      throw interface.error(.input, feature, "no parameter names this input")
    }
    for feature in interface.function.outputs where ![confidenceOutput.name, coordinatesOutput.name].contains(feature.name) {
      throw interface.error(.output, feature, "no parameter names this output")
    }
    try checkArrays(confidence, coordinates, confidenceOutput, coordinatesOutput, labels: source.labels?.count)
    return names
  }

  private func checkArrays(
    _ confidence: FeatureDescription, _ coordinates: FeatureDescription, _ confidenceOutput: FeatureDescription,
    _ coordinatesOutput: FeatureDescription, labels: Int?
  ) throws(FileError) {
    let dataType = confidence.array?.dataType
    guard dataType == .float64 || dataType == .float32 else {
      throw interface.error(.input, confidence, "boxes are arrays of float32 or float64")
    }
    for (side, feature) in [(ClassicInterface.Side.input, coordinates), (.output, confidenceOutput), (.output, coordinatesOutput)] {
      guard feature.array?.dataType == dataType else {
        throw interface.error(side, feature, "has not the element type of '\(confidence.name)'")
      }
    }
    for feature in [confidenceOutput, coordinatesOutput] {
      guard let rank = feature.array?.declaredRank else { continue }
      guard rank == 2 else { throw interface.error(.output, feature, "has \(rank) axes instead of 2") }
    }
    guard let result = confidenceOutput.array else { return }
    if let boxes = coordinatesOutput.array, boxes.flexibility == .fixed, result.flexibility == .fixed, boxes.shape.count == 2,
      result.shape.count == 2, boxes.shape[0] != result.shape[0]
    {
      throw interface.error(
        .output, coordinatesOutput, "has \(boxes.shape[0]) rows, but '\(confidenceOutput.name)' has \(result.shape[0])")
    }
    guard let labels else { return }
    let fits =
      switch result.flexibility {
      case .ranges(let ranges): ranges.count != 2 || ranges[1].contains(labels)
      case .fixed: result.shape.count != 2 || result.shape[1] == labels
      case .enumerated(let shapes): shapes.contains { $0.count == 2 && $0[1] == labels }
      }
    guard fits else { throw interface.error(.output, confidenceOutput, "the number of columns is not that of the labels, \(labels)") }
  }

  func classConfidenceThresholding(
    _ source: SpecClassConfidenceThresholding
  ) throws(FileError) -> ClassConfidenceThresholding {
    var curves: [ClassConfidenceThresholding.Curve] = []
    for (index, curve) in source.precisionRecallCurves.enumerated() {
      func checked(_ values: [Float], _ thresholds: [Float], _ name: String) throws(FileError) {
        let field = "precisionRecallCurves[\(index)].\(name)"
        guard !values.isEmpty else { throw error(field + "Values", "there are none") }
        guard values.count == thresholds.count else {
          throw error(field + "ConfidenceThresholds", "there are \(thresholds.count) thresholds for \(values.count) values")
        }
        for (suffix, list) in [("Values", values), ("ConfidenceThresholds", thresholds)] {
          guard let bad = list.firstIndex(where: { !($0.isFinite && $0 >= 0) }) else { continue }
          throw error("\(field)\(suffix)[\(bad)]", "\(list[bad]) is negative or not finite")
        }
      }
      try checked(curve.precisionValues.vector, curve.precisionConfidenceThresholds.vector, "precision")
      try checked(curve.recallValues.vector, curve.recallConfidenceThresholds.vector, "recall")
      curves.append(
        ClassConfidenceThresholding.Curve(
          precision: curve.precisionValues.vector, precisionThresholds: curve.precisionConfidenceThresholds.vector,
          recall: curve.recallValues.vector, recallThresholds: curve.recallConfidenceThresholds.vector))
    }
    guard !curves.isEmpty else { throw error("precisionRecallCurves", "there are none") }
    return ClassConfidenceThresholding(curves: curves)
  }
}

extension ArrayFeature {
  /// The number of axes that the declaration allows; nil if it declares no shape.
  fileprivate var declaredRank: Int? {
    switch flexibility {
    case .fixed: shape.isEmpty ? nil : shape.count
    case .enumerated(let shapes): shapes.first?.count
    case .ranges(let ranges): ranges.count
    }
  }
}
