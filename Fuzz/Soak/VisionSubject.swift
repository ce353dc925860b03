import MartletLock
import Vision

/// A model that takes pictures, and the findings in each picture with each way to scale it, of undisturbed runs.
final class VisionSubject: Sendable {
  /// A model that all threads share, for both interfaces.
  struct Shared: @unchecked Sendable {
    let classic: VNCoreMLModel
    let container: CoreMLModelContainer

    init(_ path: String) throws {
      let model = try MLModel(contentsOf: URL(fileURLWithPath: path))
      classic = try VNCoreMLModel(for: model)
      container = try CoreMLModelContainer(model: model)
    }
  }

  /// What an observation says.
  enum Finding: Equatable {
    case classification(String, Float)
    case object(CGRect, [String], [Float])
    case picture(CGSize, Data)
    case value(String, MLSendableFeatureValue)
    case unknown(String)

    init(_ observation: any VisionObservation) {
      switch observation {
      case let found as ClassificationObservation: self = .classification(found.identifier, found.confidence)
      case let found as RecognizedObjectObservation:
        self = .object(found.boundingBox.cgRect, found.labels.map(\.identifier), found.labels.map(\.confidence))
      case let found as PixelBufferObservation: self = .picture(found.size, found.cgImage.dataProvider?.data as Data? ?? Data())
      case let found as CoreMLFeatureValueObservation: self = .value(found.featureName, found.featureValue)
      default: self = .unknown("\(observation)")
      }
    }

    init(_ observation: VNObservation) {
      switch observation {
      case let found as VNRecognizedObjectObservation: self.init(RecognizedObjectObservation(found))
      case let found as VNClassificationObservation: self.init(ClassificationObservation(found))
      case let found as VNPixelBufferObservation:
        self = PixelBufferObservation(found).map { Finding($0) } ?? .unknown("a picture of another format")
      case let found as VNCoreMLFeatureValueObservation:
        self = CoreMLFeatureValueObservation(found).map { Finding($0) } ?? .unknown("a value of another type")
      default: self = .unknown("\(observation)")
      }
    }
  }

  static let scalings: [(VNImageCropAndScaleOption, ImageCropAndScaleAction)] = [
    (.centerCrop, .centerCrop), (.scaleFit, .scaleToFit), (.scaleFill, .scaleToFill),
    (.scaleFitRotate90CCW, .scaleToFitPlus90CCWRotation), (.scaleFillRotate90CCW, .scaleToFillPlus90CCWRotation),
  ]

  let path: String
  private let expected: [[[Finding]]]
  private let shared = Guarded<Shared?>(nil)

  init(path: String, _ pictures: [VisionPicture]) throws {
    self.path = path
    // Of a model of its own: the shared one is used by several threads from the start.
    let model = try Shared(path)
    expected = try pictures.map { picture in
      try Self.scalings.indices.map { try Self.findings(Self.request(model, $0), picture) }
    }
  }

  func isExpected(_ findings: [Finding], picture: Int, scaling: Int) -> Bool { findings == expected[picture][scaling] }

  /// The shared model; loaded if it is not there.
  func model() throws -> Shared {
    try shared.withLock { shared in
      if let shared { return shared }
      let loaded = try Shared(path)
      shared = loaded
      return loaded
    }
  }

  /// The next run loads the model.
  func unload() { shared.withLock { $0 = nil } }

  static func request(_ model: Shared, _ scaling: Int) -> VNCoreMLRequest {
    let request = VNCoreMLRequest(model: model.classic)
    request.imageCropAndScaleOption = scalings[scaling].0
    return request
  }

  static func findings(_ request: VNCoreMLRequest, _ picture: VisionPicture) throws -> [Finding] {
    try picture.classicHandler.perform([request])
    return request.results?.map { Finding($0) } ?? []
  }
}
