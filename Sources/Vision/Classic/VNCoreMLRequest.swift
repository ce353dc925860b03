public import CoreML
public import Foundation
import Martlet
import MartletPixels
import MartletVision

/// A Core ML model for requests about pictures. Requests on any number of threads may share it.
public class VNCoreMLModel: NSObject {
  let pictureModel: PictureModel
  private let state: Guarded<State>

  private struct State: Sendable {
    var inputName: String
    var features: PictureModel.Parameters.Features?
  }

  /// - Throws: an error with the code `VNErrorCode.invalidModel` if no input of the model is an image.
  public init(for model: MLModel) throws {
    pictureModel = PictureModel(model)
    guard let name = pictureModel.imageInput else { throw PictureModel.noImage.classic }
    state = Guarded(State(inputName: name))
    super.init()
  }

  /// The input that gets the handler's picture; by default the first image among the inputs.
  public var inputImageFeatureName: String {
    get { state.withLock { $0.inputName } }
    set { state.withLock { $0.inputName = newValue } }
  }

  /// The values of the model's other inputs, such as thresholds.
  public var featureProvider: (any MLFeatureProvider)? {
    get { state.withLock { $0.features }?.provider }
    set {
      let features = newValue.map { PictureModel.Parameters.Features(provider: $0) }
      state.withLock { $0.features = features }
    }
  }

  fileprivate func parameters(_ region: CGRect, _ option: VNImageCropAndScaleOption) -> PictureModel.Parameters {
    let state = state.withLock { $0 }
    return PictureModel.Parameters(
      inputName: state.inputName, features: state.features, region: NormalizedBox(region), action: option.action)
  }
}

extension VNImageCropAndScaleOption {
  var action: PictureMapping.Action {
    switch self {
    case .centerCrop: .centerCrop
    case .scaleFit: .scaleFit
    case .scaleFill: .scaleFill
    case .scaleFitRotate90CCW: .scaleFitTurned
    case .scaleFillRotate90CCW: .scaleFillTurned
    }
  }
}

/// A request that runs a Core ML model on a picture.
///
/// The results depend on the model: recognised objects for a pipeline that ends in non-maximum suppression, else classifications, the
/// best one first, for a classifier, else pixel buffers if any output is an image, else all outputs as feature values. Boxes are those in
/// the region of interest, with crop and scale undone; feature values are in the frame of the model's input.
open class VNCoreMLRequest: VNImageBasedRequest {
  public let model: VNCoreMLModel
  /// How the region of interest comes to have the model's size.
  open var imageCropAndScaleOption = VNImageCropAndScaleOption.centerCrop

  public convenience init(model: VNCoreMLModel) { self.init(model: model, completionHandler: nil) }

  public init(model: VNCoreMLModel, completionHandler: VNRequestCompletionHandler? = nil) {
    self.model = model
    super.init(completionHandler: completionHandler)
  }

  open override class var supportedRevisions: IndexSet { revisions }
  private static let revisions: IndexSet = [VNCoreMLRequestRevision1]

  override func observations(in picture: RequestPicture, cancellation: CallCancellation) throws -> [VNObservation] {
    let parameters = model.parameters(regionOfInterest, imageCropAndScaleOption)
    return try model.pictureModel.findings(in: picture, parameters, cancellation: cancellation).map { finding in
      switch finding {
      case .object(let object): VNRecognizedObjectObservation(object, requestRevision: revision)
      case .classification(let found): VNClassificationObservation(found, requestRevision: revision)
      case .picture(let name, let buffer): VNPixelBufferObservation(buffer, featureName: name, requestRevision: revision)
      case .value(let name, let value): VNCoreMLFeatureValueObservation(name, value, requestRevision: revision)
      }
    }
  }

  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = super.copy(with: zone)
    (copy as? VNCoreMLRequest)?.imageCropAndScaleOption = imageCropAndScaleOption
    return copy
  }

  override func emptyCopy() -> VNRequest { VNCoreMLRequest(model: model, completionHandler: completionHandler) }
}
