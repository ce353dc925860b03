import FoundationEssentials
import MartletCoreMLFile
package import MartletFeatures

/// A model that the program computes, for files that only name its class: Core ML's custom models.
///
/// ```swift
/// var options = ModelOptions()
/// options.customModels["Doubler"] = { request in
///   let factor = request.parameters["factor"] as? Double ?? 2
///   return CustomModel { features in
///     guard case .double(let x)? = features["x"] else { throw DoublerError() }
///     return ["y": .double(factor * x)]
///   }
/// }
/// let model = try Model(contentsOf: url, options: options)
/// ```
///
/// A loaded model makes one custom model for each place of the file that names it, and calls it from one thread at a time. A custom model may be a
/// stage of a pipeline.
public struct CustomModel: Sendable {
  /// What the file says about the model.
  public struct Request: Sendable {
    /// The class that the file names.
    public let className: String
    /// The author's description of the model.
    public let text: String
    /// The parameters, with the types of the file: `Double`, `String`, `Int32`, `Int64`, `Bool` or `Data`.
    public let parameters: [String: any Sendable]
    /// The features that the model takes and gives.
    public let signature: MethodSignature
    package let description: ModelDescription

    init(_ custom: MartletCoreMLFile.CustomModel, of model: CoreMLModel) {
      className = custom.className
      text = custom.text
      parameters = custom.parameters.mapValues(\.value)
      signature = MethodSignature(model.description.defaultFunction, of: model)
      description = model.description
    }
  }

  let predict: @Sendable ([String: ModelValue]) throws -> [String: ModelValue]
  let predictBatch: (@Sendable ([[String: ModelValue]]) throws -> [[String: ModelValue]])?

  /// A model that makes predictions with functions.
  /// - Parameters:
  ///   - predict: the outputs for the inputs of a prediction, by name. Images are pictures. An optional input that the caller omits is absent.
  ///   - predictBatch: the same for a batch, in its order; nil to call `predict` for each prediction.
  public init(
    predict: @escaping @Sendable ([String: ModelValue]) throws -> [String: ModelValue],
    predictBatch: (@Sendable ([[String: ModelValue]]) throws -> [[String: ModelValue]])? = nil
  ) {
    self.predict = predict
    self.predictBatch = predictBatch
  }
}

extension MartletCoreMLFile.CustomModel.Parameter {
  fileprivate var value: any Sendable {
    switch self {
    case .double(let number): number
    case .string(let text): text
    case .int32(let number): number
    case .int64(let number): number
    case .bool(let truth): truth
    case .bytes(let bytes): Data(bytes)
    }
  }
}
