import CoreML
import CoreVideo
import Foundation
import Martlet
import MartletFeatures
import MartletImages
import MartletPixels
import MartletVision

/// A model that takes a picture, for any number of threads.
final class PictureModel: @unchecked Sendable {
  let model: MLModel
  let form: ObservationForm
  /// The first image among the inputs; nil if there is none.
  let imageInput: String?
  private let constraints: [String: MLImageConstraint]
  private let buffers = Guarded<[String: FittedBuffers]>([:])
  private let labels: [String]?
  private let order: LabelOrder?

  init(_ model: MLModel) {
    self.model = model
    let description = model.modelDescription
    let inputs = description.inputDescriptionsByName.filter { $0.value.type == .image }
    let loaded = model.loadedFunction
    imageInput = loaded?.description.inputs.first { inputs[$0.name] != nil }?.name ?? inputs.keys.min()
    constraints = inputs.compactMapValues(\.imageConstraint)
    // A subclass may describe other outputs than those of the file.
    let outputs = description.outputDescriptionsByName
    let declared = loaded?.description.outputs.map(\.name).filter { outputs[$0] != nil } ?? []
    let names = declared.count == outputs.count ? declared : outputs.keys.sorted()
    let label = description.predictedFeatureName.flatMap { name in
      outputs[name]?.type == .string || outputs[name]?.type == .int64 ? name : nil
    }
    form = ObservationForm(
      outputs: names.map { ($0, outputs[$0]?.type == .image) }, label: label, probabilities: description.predictedProbabilitiesName,
      boxes: loaded?.boxes)
    labels = description.classLabels?.map { "\($0)" }
    order = labels.map { LabelOrder($0) }
  }

  /// The classes that observations may name.
  var identifiers: [String]? {
    if case .objects(let boxes) = form { return boxes.labels?.texts }
    return labels
  }

  static let noImage = Failure(.invalidModel("The model does not have a valid input feature of type image"))

  // MARK: Predictions

  struct Parameters: Sendable {
    var inputName: String
    /// Other inputs of the model.
    var features: Features?
    var region: NormalizedBox
    var action: PictureMapping.Action

    /// A provider of the caller, who answers for its use by several threads.
    struct Features: @unchecked Sendable {
      let provider: any MLFeatureProvider
    }
  }

  /// An observation in terms of neither interface.
  enum Finding {
    case object(RecognizedObject)
    case classification(RankedClass)
    case picture(name: String, CVPixelBuffer)
    case value(name: String, MLFeatureValue)
  }

  /// - Throws: `Failure`.
  func findings(
    in picture: RequestPicture, _ parameters: Parameters, cancellation: CallCancellation
  ) throws -> [Finding] {
    guard let constraint = constraints[parameters.inputName] else {
      throw imageInput == nil
        ? Self.noImage : Failure(.invalidModel("The inputImageFeatureName does not point to a MLFeatureTypeImage input."))
    }
    let upright = try picture.upright()
    do {
      return try fitted(to: parameters.inputName, constraint).withBuffer(
        upright.picture, orientation: upright.orientation, region: parameters.region, action: parameters.action
      ) { buffer, mapping in
        if cancellation.isCancelled { throw CancellationError() }
        let input = PictureFeatures(parameters.inputName, buffer, others: parameters.features?.provider)
        return try findings(in: try model.prediction(from: input, cancellation: cancellation), mapping)
      }
    } catch {
      throw Failure(prediction: error)
    }
  }

  private func fitted(to name: String, _ constraint: MLImageConstraint) -> FittedBuffers {
    buffers.withLock { buffers in
      if let found = buffers[name] { return found }
      let made = FittedBuffers(width: constraint.pixelsWide, height: constraint.pixelsHigh, format: constraint.pixelFormatType)
      buffers[name] = made
      return made
    }
  }

  private func findings(in outputs: any MLFeatureProvider, _ mapping: PictureMapping) throws -> [Finding] {
    func value(_ name: String) throws -> MLFeatureValue {
      guard let value = outputs.featureValue(for: name) else {
        throw Failure(.dataUnavailable("The model gave no value for its output '\(name)'"))
      }
      return value
    }
    switch form {
    case .objects(let boxes):
      guard let confidences = try value(boxes.confidenceOutput).multiArrayValue,
        let coordinates = try value(boxes.coordinatesOutput).multiArrayValue,
        let objects = RecognizedObject.objects(
          confidences: confidences.numbers, coordinates: coordinates.numbers, boxes, in: mapping)
      else { throw Failure(.dataUnavailable("The model's boxes and confidences do not belong together")) }
      return objects.map { .object($0) }
    case .classification(let label, let probabilities):
      let found = try value(label)
      let classes = RankedClass.classes(
        label: found.type == .int64 ? "\(found.int64Value)" : found.stringValue,
        probabilities: try probabilities.map { try value($0).numbersByText }, order: order)
      return classes.map { .classification($0) }
    case .pictures(let names):
      return try names.map { name in
        guard let buffer = try value(name).imageBufferValue else {
          throw Failure(.dataUnavailable("The model's output '\(name)' is not an image"))
        }
        return .picture(name: name, buffer)
      }
    case .values(let names): return try names.map { .value(name: $0, try value($0)) }
    }
  }
}

extension MLFeatureValue {
  /// The numbers of a dictionary by the text of their keys; none for other values.
  fileprivate var numbersByText: [String: Double] {
    modelNumbers?.byText
      ?? Dictionary(dictionaryValue.map { ("\($0.key.base)", $0.value.doubleValue) }, uniquingKeysWith: { first, _ in first })
  }
}

/// The picture of a prediction beside the caller's features.
private final class PictureFeatures: MLFeatureProvider {
  private let name: String
  private let value: MLFeatureValue
  private let others: (any MLFeatureProvider)?

  init(_ name: String, _ buffer: CVPixelBuffer, others: (any MLFeatureProvider)?) {
    self.name = name
    value = MLFeatureValue(pixelBuffer: buffer)
    self.others = others
  }

  var featureNames: Set<String> { (others?.featureNames ?? []).union([name]) }

  func featureValue(for featureName: String) -> MLFeatureValue? {
    featureName == name ? value : others?.featureValue(for: featureName)
  }
}

extension MLMultiArray {
  /// The elements in logical order.
  fileprivate var numbers: [Double] {
    switch dataType {
    case .double: MLShapedArray<Double>(self).scalars
    case .float32: MLShapedArray<Float>(self).scalars.map { Double($0) }
    default: (0..<count).map { self[$0].doubleValue }
    }
  }
}
