public import Foundation
import Martlet
import MartletFeatures

/// Inputs, outputs, states and metadata of a model.
open class MLModelDescription: NSObject, NSSecureCoding {
  struct Content {
    var inputs: [String: MLFeatureDescription] = [:]
    var outputs: [String: MLFeatureDescription] = [:]
    var states: [String: MLFeatureDescription] = [:]
    var predictedFeatureName: String?
    var predictedProbabilitiesName: String?
    var classLabels: [Any]?
    var metadata: [MLModelMetadataKey: Any] = [:]
    var isUpdatable = false
    var trainingInputs: [String: MLFeatureDescription] = [:]
    var parameters: [MLParameterKey: MLParameterDescription] = [:]
  }

  private let content: Content

  open var inputDescriptionsByName: [String: MLFeatureDescription] { content.inputs }
  open var outputDescriptionsByName: [String: MLFeatureDescription] { content.outputs }
  open var stateDescriptionsByName: [String: MLFeatureDescription] { content.states }
  /// The name of the output that holds a classifier's label or a regressor's value.
  open var predictedFeatureName: String? { content.predictedFeatureName }
  /// The name of the output that holds a classifier's probabilities.
  open var predictedProbabilitiesName: String? { content.predictedProbabilitiesName }
  /// The labels of a classifier: strings or integers.
  open var classLabels: [Any]? { content.classLabels }
  open var metadata: [MLModelMetadataKey: Any] { content.metadata }
  /// True if the model can be trained on the device.
  open var isUpdatable: Bool { content.isUpdatable }
  open var trainingInputDescriptionsByName: [String: MLFeatureDescription] { content.trainingInputs }
  /// The parameters of training, and the number of neighbours of a classifier by nearest neighbours.
  open var parameterDescriptionsByKey: [MLParameterKey: MLParameterDescription] { content.parameters }

  init(_ content: Content) {
    self.content = content
    super.init()
  }

  /// A description without features, for subclasses that override the properties.
  public override init() {
    content = Content()
    super.init()
  }

  /// Describes a function of a model.
  convenience init(_ model: ModelAsset, function: FunctionDescription) {
    self.init(
      model.features, function: function, isUpdatable: model.isUpdatable, parameters: ModelParameters(model).descriptions)
  }

  /// Describes a function of a model.
  convenience init(
    _ model: ModelDescription, function: FunctionDescription, isUpdatable: Bool,
    parameters: [MLParameterKey: MLParameterDescription] = [:]
  ) {
    func byName(_ features: [FeatureDescription]) -> [String: MLFeatureDescription] {
      Dictionary(features.map { ($0.name, MLFeatureDescription($0)) }, uniquingKeysWith: { first, _ in first })
    }
    self.init(
      Content(
        inputs: byName(function.inputs), outputs: byName(function.outputs), states: byName(function.states),
        predictedFeatureName: function.predictedFeatureName, predictedProbabilitiesName: function.predictedProbabilitiesName,
        classLabels: function.classification.map { classification in
          switch classification.labels {
          case .strings(let labels): labels
          case .integers(let labels): labels.map { NSNumber(value: $0) }
          }
        },
        metadata: [
          .description: model.metadata.shortDescription, .versionString: model.metadata.version, .author: model.metadata.author,
          .license: model.metadata.license, .creatorDefinedKey: model.metadata.userDefined,
        ],
        isUpdatable: isUpdatable, trainingInputs: byName(model.trainingInputs), parameters: parameters))
  }

  open override var description: String {
    func list(_ title: String, _ features: [String: MLFeatureDescription]) -> String {
      features.isEmpty ? "" : "\(title):\n" + features.sorted { $0.key < $1.key }.map { "  \($0.value)\n" }.joined()
    }
    return list("inputs", inputDescriptionsByName) + list("outputs", outputDescriptionsByName) + list("states", stateDescriptionsByName)
  }

  public static var supportsSecureCoding: Bool { true }

  open func encode(with coder: NSCoder) {
    coder.encode(Array(inputDescriptionsByName.values) as NSArray, forKey: "inputs")
    coder.encode(Array(outputDescriptionsByName.values) as NSArray, forKey: "outputs")
    coder.encode(Array(stateDescriptionsByName.values) as NSArray, forKey: "states")
    coder.encode(Array(trainingInputDescriptionsByName.values) as NSArray, forKey: "trainingInputs")
    coder.encode(predictedFeatureName as NSString?, forKey: "predictedFeatureName")
    coder.encode(predictedProbabilitiesName as NSString?, forKey: "predictedProbabilitiesName")
    coder.encode(classLabels.map { $0.map { FeatureDictionary.object($0) } as NSArray }, forKey: "classLabels")
    coder.encode(isUpdatable, forKey: "isUpdatable")
    coder.encode(Array(parameterDescriptionsByKey.values) as NSArray, forKey: "parameters")
    coder.encode(try? JSONEncoder().encode(userDefined) as NSData, forKey: "userDefined")
    for key in Self.texts { coder.encode((metadata[key] as? String) as NSString?, forKey: key.rawValue) }
  }

  private static let texts: [MLModelMetadataKey] = [.description, .versionString, .author, .license]
  private var userDefined: [String: String] { metadata[.creatorDefinedKey] as? [String: String] ?? [:] }

  public required convenience init?(coder: NSCoder) {
    func features(_ key: String) -> [String: MLFeatureDescription]? {
      let list = coder.decodeObject(of: [NSArray.self, MLFeatureDescription.self], forKey: key) as? [MLFeatureDescription]
      return list.map { Dictionary($0.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
    }
    guard let inputs = features("inputs"), let outputs = features("outputs"), let states = features("states"),
      let trainingInputs = features("trainingInputs"),
      let entries = coder.decodeObject(of: NSData.self, forKey: "userDefined"),
      let userDefined = try? JSONDecoder().decode([String: String].self, from: entries as Data)
    else { return nil }
    let parameters =
      coder.decodeObject(of: [NSArray.self, MLParameterDescription.self], forKey: "parameters") as? [MLParameterDescription] ?? []
    var metadata: [MLModelMetadataKey: Any] = [.creatorDefinedKey: userDefined]
    for key in Self.texts { metadata[key] = coder.decodeObject(of: NSString.self, forKey: key.rawValue) as String? }
    let labels = coder.decodeObject(of: [NSArray.self, NSString.self, NSNumber.self], forKey: "classLabels") as? [Any]
    self.init(
      Content(
        inputs: inputs, outputs: outputs, states: states,
        predictedFeatureName: coder.decodeObject(of: NSString.self, forKey: "predictedFeatureName") as String?,
        predictedProbabilitiesName: coder.decodeObject(of: NSString.self, forKey: "predictedProbabilitiesName") as String?,
        classLabels: labels, metadata: metadata, isUpdatable: coder.decodeBool(forKey: "isUpdatable"), trainingInputs: trainingInputs,
        parameters: Dictionary(parameters.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })))
  }
}
