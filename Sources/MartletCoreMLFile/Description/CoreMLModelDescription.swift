package import MartletFeatures

/// Inputs, outputs and states of a model, and its author's metadata.
package struct CoreMLModelDescription: Sendable, Hashable {
  package var metadata: CoreMLMetadata
  /// One for each function of a multi-function model, otherwise one without a name. Never empty.
  package var functions: [CoreMLFunctionDescription]
  /// The function that runs by default; `nil` for a model without named functions.
  package var defaultFunctionName: String?
  /// Inputs for on-device updates.
  package var trainingInputs: [FeatureDescription]

  /// The default function.
  package var defaultFunction: CoreMLFunctionDescription {
    functions.first { $0.name == defaultFunctionName ?? "" } ?? functions[0]
  }

  package func function(named name: String) -> CoreMLFunctionDescription? {
    functions.first { $0.name == name }
  }
}

package struct CoreMLFunctionDescription: Sendable, Hashable {
  /// Empty in a model without named functions.
  package var name: String
  package var inputs: [FeatureDescription]
  package var outputs: [FeatureDescription]
  package var states: [FeatureDescription]
  /// The output with a classifier's label or a regressor's value; `nil` for other models.
  package var predictedFeatureName: String?
  /// The output with a classifier's probabilities by label.
  package var predictedProbabilitiesName: String?

  /// The name of the program's function, which is also the method's.
  package var programName: String { name.isEmpty ? "main" : name }
}

package struct CoreMLMetadata: Sendable, Hashable {
  package var shortDescription: String
  package var version: String
  package var author: String
  package var license: String
  /// User-defined entries, such as `com.github.apple.coremltools.version`.
  package var userDefined: [String: String]
}
