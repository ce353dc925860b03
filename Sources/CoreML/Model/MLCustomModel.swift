import Foundation
import Martlet
import MartletFeatures

/// A model that the program implements.
///
/// The file names the class, which is found as that of an `MLCustomLayer` is: `ClassNames.register(MyModel.self, as: "MyModel")` of the module
/// `Martlet` stands for `@objc(MyModel)`. A loaded model has one object for each place of the file that names the class; an object serves one call at
/// a time.
public protocol MLCustomModel: AnyObject {
  /// - Parameters:
  ///   - modelDescription: the features that the file declares.
  ///   - parameters: the model's parameters in the file: `NSNumber`, `String` or `Data`.
  init(modelDescription: MLModelDescription, parameters: [String: Any]) throws

  /// Makes a prediction. The options are default ones.
  func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws -> any MLFeatureProvider

  /// Makes the predictions of a batch. Without an implementation, each one is made by `prediction(from:options:)`.
  func predictions(from inputBatch: any MLBatchProvider, options: MLPredictionOptions) throws -> any MLBatchProvider
}

extension MLCustomModel {
  public func predictions(from inputBatch: any MLBatchProvider, options: MLPredictionOptions) throws -> any MLBatchProvider {
    MLArrayBatchProvider(
      array: try (0..<inputBatch.count).map { try prediction(from: inputBatch.features(at: $0), options: options) })
  }
}

/// A custom model's object and the features that it takes and gives. The engine lets one call in at a time.
final class CustomModelObject: @unchecked Sendable {
  private let object: any MLCustomModel
  private let inputs: [FeatureConversion]
  private let outputs: [FeatureConversion]

  private init(_ object: any MLCustomModel, _ function: FunctionDescription) {
    self.object = object
    inputs = function.inputs.map { FeatureConversion($0, MLFeatureDescription($0)) }
    outputs = function.outputs.map { FeatureConversion($0, MLFeatureDescription($0)) }
  }

  /// Makes custom models as the engine asks for them.
  static func model(_ request: CustomModel.Request) throws -> CustomModel {
    let found: AnyClass = try ProgramClass.named(request.className, of: "custom model", .customModel)
    guard let type = found as? any MLCustomModel.Type else {
      throw MLModelError(.customModel, "The class \(request.className) does not conform to MLCustomModel")
    }
    let function = request.description.defaultFunction
    let object = CustomModelObject(
      try type.init(
        modelDescription: MLModelDescription(request.description, function: function, isUpdatable: false),
        parameters: request.parameters.mapValues(Self.object)),
      function)
    return CustomModel(predict: { try object.predict($0) }, predictBatch: { try object.predict(batch: $0) })
  }

  private static func object(_ value: any Sendable) -> Any {
    switch value {
    case let number as Double: NSNumber(value: number)
    case let number as Int32: NSNumber(value: number)
    case let number as Int64: NSNumber(value: number)
    case let truth as Bool: NSNumber(value: truth)
    default: value
    }
  }

  private func predict(_ features: [String: ModelValue]) throws -> [String: ModelValue] {
    try values(object.prediction(from: provider(features), options: MLPredictionOptions()))
  }

  private func predict(batch: [[String: ModelValue]]) throws -> [[String: ModelValue]] {
    let results = try object.predictions(
      from: MLArrayBatchProvider(array: batch.map { try provider($0) }), options: MLPredictionOptions())
    return try (0..<results.count).map { try values(results.features(at: $0)) }
  }

  private func provider(_ features: [String: ModelValue]) throws -> MLDictionaryFeatureProvider {
    var values: [String: MLFeatureValue] = [:]
    for input in inputs {
      guard let value = features[input.feature.name] else { continue }
      values[input.feature.name] = try input.featureValue(value)
    }
    return MLDictionaryFeatureProvider(values: values)
  }

  private func values(_ provider: any MLFeatureProvider) throws -> [String: ModelValue] {
    var values: [String: ModelValue] = [:]
    for output in outputs {
      guard let value = provider.featureValue(for: output.feature.name) else { continue }
      if let found = output.declared.objection(to: value) {
        throw MLModelError(
          .customModel, "The feature '\(output.feature.name)' is \(found), but the model declares \(output.declared.expectation)")
      }
      values[output.feature.name] = try output.modelValue(value)
    }
    return values
  }
}
