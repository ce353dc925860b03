/// Functions of a model with their inputs, outputs and states, and the author's metadata.
package struct ModelDescription: Sendable, Hashable {
  package var metadata: ModelMetadata
  /// One for each function of a multi-function model, otherwise one without a name. Never empty.
  package var functions: [FunctionDescription]
  /// The function that runs by default; `nil` for a model without named functions.
  package var defaultFunctionName: String?
  /// Inputs for on-device updates.
  package var trainingInputs: [FeatureDescription]

  package init(
    metadata: ModelMetadata, functions: [FunctionDescription], defaultFunctionName: String?, trainingInputs: [FeatureDescription]
  ) {
    self.metadata = metadata
    self.functions = functions
    self.defaultFunctionName = defaultFunctionName
    self.trainingInputs = trainingInputs
  }

  /// The default function.
  package var defaultFunction: FunctionDescription {
    functions.first { $0.name == defaultFunctionName ?? "" } ?? functions[0]
  }

  package func function(named name: String) -> FunctionDescription? {
    functions.first { $0.name == name }
  }
}

/// The features of a function.
package struct FunctionDescription: Sendable, Hashable {
  /// Empty in a model without named functions.
  package var name: String
  package var inputs: [FeatureDescription]
  package var outputs: [FeatureDescription]
  package var states: [FeatureDescription]
  /// The output with a classifier's label or a regressor's value; `nil` for other models.
  package var predictedFeatureName: String?
  /// The output with a classifier's probabilities by label.
  package var predictedProbabilitiesName: String?
  /// The labels of a classifier; `nil` for other models.
  package var classification: Classification?

  package init(
    name: String, inputs: [FeatureDescription], outputs: [FeatureDescription], states: [FeatureDescription],
    predictedFeatureName: String?, predictedProbabilitiesName: String?
  ) {
    self.name = name
    self.inputs = inputs
    self.outputs = outputs
    self.states = states
    self.predictedFeatureName = predictedFeatureName
    self.predictedProbabilitiesName = predictedProbabilitiesName
  }

  /// The name of the program's function, which is also the method's.
  package var programName: String { name.isEmpty ? "main" : name }
}

package struct ModelMetadata: Sendable, Hashable {
  package var shortDescription: String
  package var version: String
  package var author: String
  package var license: String
  /// User-defined entries, such as `com.github.apple.coremltools.version`.
  package var userDefined: [String: String]

  package init(shortDescription: String, version: String, author: String, license: String, userDefined: [String: String]) {
    self.shortDescription = shortDescription
    self.version = version
    self.author = author
    self.license = license
    self.userDefined = userDefined
  }
}
