import MartletBytes
import MartletFeatures

extension ModelDescription {
  /// - Parameter rules: nil for the description in a compiled model, for which the compiler has seen to them.
  /// - Throws: `FileError` naming the feature whose type or shape is missing or invalid.
  init(_ source: SpecModelDescription, path: String, rules: DescriptionRules? = nil) throws(FileError) {
    let reader = FeatureReader(path: path, rules: rules)
    let metadata = ModelMetadata(
      shortDescription: source.metadata.shortDescription, version: source.metadata.versionString, author: source.metadata.author,
      license: source.metadata.license, userDefined: source.metadata.userDefined)
    let trainingInputs = try reader.features(source.trainingInput, .trainingInput)

    if source.functions.isEmpty, source.defaultFunctionName.isEmpty || rules == nil {
      let function = try FunctionDescription(source, name: "", reader)
      self.init(metadata: metadata, functions: [function], defaultFunctionName: nil, trainingInputs: trainingInputs)
      return
    }
    try rules?.checkFunctions(of: source, path: path)
    var functions: [FunctionDescription] = []
    for function in source.functions {
      do throws(FileError) {
        functions.append(try FunctionDescription(function, name: function.name, reader))
      } catch {
        throw error.nested(in: "functions[\(function.name)]")
      }
    }
    guard Set(functions.map(\.name)).count == functions.count else {
      throw FileError(file: path, field: "functions", reason: "two functions have the same name")
    }
    guard functions.contains(where: { $0.name == source.defaultFunctionName }) else {
      throw FileError(file: path, field: "defaultFunctionName", reason: "there is no function '\(source.defaultFunctionName)'")
    }
    self.init(
      metadata: metadata, functions: functions, defaultFunctionName: source.defaultFunctionName, trainingInputs: trainingInputs)
  }
}

/// The features of a model or of one of its functions.
private protocol FunctionMessage {
  var input: [SpecFeatureDescription] { get }
  var output: [SpecFeatureDescription] { get }
  var state: [SpecFeatureDescription] { get }
  var predictedFeatureName: String { get }
  var predictedProbabilitiesName: String { get }
}

extension SpecModelDescription: FunctionMessage {}
extension SpecFunctionDescription: FunctionMessage {}

extension FunctionDescription {
  fileprivate init(_ source: some FunctionMessage, name: String, _ reader: FeatureReader) throws(FileError) {
    try reader.rules?.checkCounts(inputs: source.input.count, outputs: source.output.count, path: reader.path)
    let inputs = try reader.features(source.input, .input)
    // Old programs declare their states as inputs.
    self.init(
      name: name, inputs: inputs.filter { !$0.isState }, outputs: try reader.features(source.output, .output),
      states: inputs.filter(\.isState) + (try reader.features(source.state, .state)),
      predictedFeatureName: source.predictedFeatureName.nonEmpty,
      predictedProbabilitiesName: source.predictedProbabilitiesName.nonEmpty)
  }
}

extension FeatureDescription {
  fileprivate var isState: Bool { if case .state = type { true } else { false } }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
