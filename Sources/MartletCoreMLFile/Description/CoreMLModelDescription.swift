package import MartletFeatures

/// Inputs, outputs and states of a model, and what its author says about it.
package struct CoreMLModelDescription: Sendable, Hashable {
  package var metadata: CoreMLMetadata
  /// One for each function of a model with several; otherwise one without a name. Never empty.
  package var functions: [CoreMLFunctionDescription]
  /// The function that runs unless another is asked for; `nil` for a model without named functions.
  package var defaultFunctionName: String?
  /// Inputs of on-device updates.
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
  /// The output with the label of a classifier (or the value of a regressor); `nil` in other models.
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
  /// Free entries, such as `com.github.apple.coremltools.version`.
  package var userDefined: [String: String]
}
