public import CoreML
import Foundation
import Martlet
import MartletPixels
import MartletVision

/// How a picture comes to have a model's size.
public enum ImageCropAndScaleAction: Sendable, Hashable, CaseIterable, Codable {
  /// The largest central part that has the aspect ratio of the model's input.
  case centerCrop
  /// The whole picture with its aspect ratio, centred between black bars.
  case scaleToFit
  /// The whole picture; its aspect ratio may change.
  case scaleToFill
  /// The same two after a quarter turn counterclockwise.
  case scaleToFitPlus90CCWRotation
  case scaleToFillPlus90CCWRotation

  fileprivate var action: PictureMapping.Action {
    switch self {
    case .centerCrop: .centerCrop
    case .scaleToFit: .scaleFit
    case .scaleToFill: .scaleFill
    case .scaleToFitPlus90CCWRotation: .scaleFitTurned
    case .scaleToFillPlus90CCWRotation: .scaleFillTurned
    }
  }
}

/// A Core ML model for requests about pictures. Requests on any number of threads may share it.
public struct CoreMLModelContainer: Hashable, Sendable {
  let pictureModel: PictureModel
  fileprivate let features: PictureModel.Parameters.Features?
  /// The input that gets the picture; by default the first image among the inputs, and empty if there is none.
  public var inputImageFeatureName: String

  /// - Parameter featureProvider: the values of the model's other inputs, such as thresholds.
  /// - Throws: `VisionError.invalidModel` if no input of the model is an image.
  public init(model: MLModel, featureProvider: (any MLFeatureProvider)? = nil) throws {
    let container = CoreMLModelContainer(PictureModel(model), featureProvider)
    guard container.pictureModel.imageInput != nil else { throw PictureModel.noImage.error }
    self = container
  }

  /// A container without a check: requests with a model that takes no image fail with `VisionError.invalidModel`.
  public init(_ model: MLModel) { self.init(PictureModel(model), nil) }

  private init(_ pictureModel: PictureModel, _ features: (any MLFeatureProvider)?) {
    self.pictureModel = pictureModel
    self.features = features.map { PictureModel.Parameters.Features(provider: $0) }
    inputImageFeatureName = pictureModel.imageInput ?? ""
  }

  public static func == (first: CoreMLModelContainer, second: CoreMLModelContainer) -> Bool {
    first.pictureModel.model === second.pictureModel.model && first.inputImageFeatureName == second.inputImageFeatureName
      && first.features?.provider === second.features?.provider
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(pictureModel.model))
    hasher.combine(inputImageFeatureName)
  }
}

/// A request that runs a Core ML model on a picture.
///
/// The results depend on the model: recognised objects for a pipeline that ends in non-maximum suppression, else classifications, the
/// best one first, for a classifier, else pixel buffers if any output is an image, else all outputs as feature values. Boxes are those in
/// the region of interest, with crop and scale undone; feature values are in the frame of the model's input.
public struct CoreMLRequest: ImageProcessingRequest {
  public typealias Result = [any VisionObservation]

  public enum Revision: Sendable, Hashable, Comparable, Codable {
    case revision1
  }

  public static let supportedRevisions: [Revision] = [.revision1]

  public let modelContainer: CoreMLModelContainer
  public let revision: Revision
  /// How the region of interest comes to have the model's size.
  public var cropAndScaleAction = ImageCropAndScaleAction.scaleToFill
  public var regionOfInterest = NormalizedRect.fullImage
  private var devices: [ComputeStage: MLComputeDevice] = [:]

  /// - Parameter revision: nil is the newest one.
  public init(model: CoreMLModelContainer, _ revision: Revision? = nil) {
    modelContainer = model
    self.revision = revision ?? .revision1
  }

  /// The classes that observations may name; nil for a model without.
  public var supportedIdentifiers: [String]? { modelContainer.pictureModel.identifiers }

  public var descriptor: RequestDescriptor { .coreMLRequest(revision) }

  public var supportedComputeStageDevices: [ComputeStage: [MLComputeDevice]] {
    [.main: MLComputeDevice.allComputeDevices, .postProcessing: MLComputeDevice.allComputeDevices]
  }

  public func computeDevice(for computeStage: ComputeStage) -> MLComputeDevice? { devices[computeStage] }

  public mutating func setComputeDevice(_ computeDevice: MLComputeDevice?, for computeStage: ComputeStage) {
    devices[computeStage] = computeDevice
  }

  public var description: String {
    "CoreMLRequest(\(modelContainer.inputImageFeatureName), \(cropAndScaleAction), regionOfInterest: \(regionOfInterest))"
  }
}

extension CoreMLRequest: PerformedRequest {
  func result(in picture: RequestPicture, cancellation: CallCancellation) throws -> [any VisionObservation] {
    let parameters = PictureModel.Parameters(
      inputName: modelContainer.inputImageFeatureName, features: modelContainer.features, region: NormalizedBox(regionOfInterest.cgRect),
      action: cropAndScaleAction.action)
    let findings = try modelContainer.pictureModel.findings(in: picture, parameters, cancellation: cancellation)
    return try findings.map { finding in
      switch finding {
      case .object(let object): RecognizedObjectObservation(object, from: descriptor)
      case .classification(let found): ClassificationObservation(found, from: descriptor)
      case .picture(let name, let buffer): try observation(of: name, PixelBufferObservation(buffer, from: descriptor))
      case .value(let name, let value): try observation(of: name, CoreMLFeatureValueObservation(name, value, from: descriptor))
      }
    }
  }

  private func observation(of name: String, _ observation: (some VisionObservation)?) throws -> any VisionObservation {
    guard let observation else { throw Failure(.invalidFormat("The output '\(name)' has a form that no observation can hold")) }
    return observation
  }

  func visionResult(_ result: [any VisionObservation]) -> VisionResult { .coreML(self, result) }
}
