import MartletBytes
import MartletFeatures

/// The type of a feature without its constraints.
enum FeatureKind: String {
  case int64, double, string, image, multiArray, dictionary, sequence, state

  init(_ type: FeatureType) {
    self =
      switch type {
      case .int64: .int64
      case .double: .double
      case .string: .string
      case .image: .image
      case .multiArray: .multiArray
      case .dictionary: .dictionary
      case .sequence: .sequence
      case .state: .state
      }
  }
}

extension FeatureDescription {
  var kind: FeatureKind { FeatureKind(type) }

  var array: ArrayFeature? { if case .multiArray(let array) = type { array } else { nil } }
}

/// The declared inputs and outputs of a model, and checks against those that its kind allows.
struct ClassicInterface {
  enum Side: String {
    case input, output
  }

  let path: String
  let kind: CoreMLModelKind
  let function: FunctionDescription

  func features(_ side: Side) -> [FeatureDescription] { side == .input ? function.inputs : function.outputs }

  private func error(_ field: String, _ reason: String) -> FileError {
    FileError(file: path, field: "description." + field, reason: reason)
  }

  /// The error that names a feature.
  func error(_ side: Side, _ feature: FeatureDescription, _ reason: String) -> FileError {
    error("\(side.rawValue) (\(feature.name))", reason)
  }

  /// Checks that there are at most `count` features, all of one of `kinds`.
  func check(_ side: Side, atMost count: Int = .max, _ kinds: FeatureKind...) throws(FileError) {
    let features = features(side)
    guard features.count <= count else {
      throw error(side.rawValue, "a model of the kind \(kind) has at most \(count), not \(features.count)")
    }
    for feature in features { try check(side, feature, kinds) }
  }

  /// The only feature of a side.
  func only(_ side: Side, _ kinds: FeatureKind...) throws(FileError) -> FeatureDescription {
    let features = features(side)
    guard features.count == 1 else { throw error(side.rawValue, "a model of the kind \(kind) has exactly one, not \(features.count)") }
    try check(side, features[0], kinds)
    return features[0]
  }

  /// The feature that the parameter `field` names.
  @discardableResult
  func feature(_ side: Side, named name: String, by field: String, _ kinds: FeatureKind...) throws(FileError) -> FeatureDescription {
    guard let feature = features(side).first(where: { $0.name == name }) else {
      throw error(side.rawValue, "there is no \(side.rawValue) '\(name)', which \(kind).\(field) names")
    }
    try check(side, feature, kinds)
    return feature
  }

  private func check(_ side: Side, _ feature: FeatureDescription, _ kinds: [FeatureKind]) throws(FileError) {
    guard !kinds.contains(feature.kind) else { return }
    let allowed = kinds.map(\.rawValue).joined(separator: ", ")
    throw error(side, feature, "a model of the kind \(kind) cannot have the type \(feature.kind.rawValue) here, only \(allowed)")
  }

  /// Checks the output that holds a classifier's label, and the one with its probabilities.
  func checkClassifier(integers: Bool) throws(FileError) {
    guard let name = function.predictedFeatureName else { throw error("predictedFeatureName", "a classifier names its label") }
    try feature(.output, named: name, by: "predictedFeatureName", integers ? .int64 : .string)
    guard let probabilities = function.predictedProbabilitiesName else { return }
    try feature(.output, named: probabilities, by: "predictedProbabilitiesName", .multiArray, .dictionary)
  }

  /// Checks the output that holds a regressor's value.
  func checkRegressor() throws(FileError) {
    guard let name = function.predictedFeatureName else { throw error("predictedFeatureName", "a regressor names its value") }
    try feature(.output, named: name, by: "predictedFeatureName", .double, .multiArray)
  }

  /// Checks that no feature is optional that the kind cannot do without.
  func checkOptional() throws(FileError) {
    for feature in function.outputs where feature.isOptional { throw error(.output, feature, "an output cannot be optional") }
    switch kind {
    case .imputer, .treeEnsembleClassifier, .treeEnsembleRegressor, .itemSimilarityRecommender, .identity, .serializedModel: return
    // Their parameters name optional inputs that have a default.
    case .bayesianProbitRegressor, .nonMaximumSuppression: return
    default:
      for feature in function.inputs where feature.isOptional {
        throw error(.input, feature, "an input of a model of the kind \(kind) cannot be optional")
      }
    }
  }
}
