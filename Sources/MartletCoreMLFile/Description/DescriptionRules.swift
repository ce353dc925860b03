import MartletBytes

/// What the description of a model may hold: this depends on the model's kind and specification version.
struct DescriptionRules {
  let kind: CoreMLModelKind
  let version: Int

  /// A part of the format that not all versions have.
  struct Addition {
    let name: String
    let firstVersion: Int

    static let sequences = Self(name: "a sequence", firstVersion: 3)
    static let defaultValues = Self(name: "a default value of an optional input", firstVersion: 5)
    static let halfPrecision = Self(name: "half precision", firstVersion: 7)
    static let states = Self(name: "a state", firstVersion: 9)
    static let functions = Self(name: "a description of several functions", firstVersion: 9)
    static let noInputs = Self(name: "a model without inputs", firstVersion: 9)
    static let int8Arrays = Self(name: "an array of int8", firstVersion: 10)
  }

  /// - Returns: why the version does not have `addition`; nil if it has.
  func refusal(of addition: Addition) -> String? {
    version >= addition.firstVersion
      ? nil : "\(addition.name) needs specification version \(addition.firstVersion), and the model has \(version)"
  }

  /// True for the kinds whose optional inputs may have default values.
  var allowsDefaultValues: Bool {
    switch kind {
    case .neuralNetwork, .neuralNetworkClassifier, .neuralNetworkRegressor, .mlProgram, .serializedModel: true
    default: false
    }
  }

  private var allowsNoInputs: Bool {
    switch kind {
    case .neuralNetwork, .neuralNetworkClassifier, .neuralNetworkRegressor, .mlProgram, .pipeline, .pipelineClassifier,
      .pipelineRegressor:
      true
    default: false
    }
  }

  func checkCounts(inputs: Int, outputs: Int, path: String) throws(FileError) {
    func error(_ field: String, _ reason: String) -> FileError { FileError(file: path, field: field, reason: reason) }
    if inputs == 0 {
      guard allowsNoInputs else { throw error("input", "a model of the kind \(kind) has at least one input") }
      if let refusal = refusal(of: .noInputs) { throw error("input", refusal) }
    }
    guard outputs > 0 else { throw error("output", "a model of the kind \(kind) has at least one output") }
  }

  /// Checks that the model may have several functions, and that no feature is declared outside of them.
  func checkFunctions(of source: SpecModelDescription, path: String) throws(FileError) {
    func error(_ field: String, _ reason: String) -> FileError { FileError(file: path, field: field, reason: reason) }
    guard kind == .mlProgram else { throw error("functions", "a model of the kind \(kind) has no functions") }
    if let refusal = refusal(of: .functions) { throw error("functions", refusal) }
    for (field, isEmpty) in [
      ("input", source.input.isEmpty), ("output", source.output.isEmpty), ("state", source.state.isEmpty),
      ("predictedFeatureName", source.predictedFeatureName.isEmpty),
      ("predictedProbabilitiesName", source.predictedProbabilitiesName.isEmpty), ("trainingInput", source.trainingInput.isEmpty),
    ] where !isEmpty {
      throw error(field, "must be empty beside the descriptions of functions")
    }
  }
}
