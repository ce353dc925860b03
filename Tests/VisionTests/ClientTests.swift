import Testing
import Vision

/// Code as public clients write it.
struct ClientTests {
  /// As Xcode's classes.
  final class Colors {
    let model: MLModel
    init(configuration: MLModelConfiguration = MLModelConfiguration()) throws { model = try Pictures.model("classifier") }
  }

  final class Classifier {
    private(set) var labels: [String] = []
    private(set) var message: String?

    lazy var request: VNCoreMLRequest = {
      do {
        let model = try VNCoreMLModel(for: Colors(configuration: .init()).model)
        let request = VNCoreMLRequest(
          model: model,
          completionHandler: { [weak self] request, error in
            self?.process(for: request, error: error)
          })
        request.imageCropAndScaleOption = .centerCrop
        return request
      } catch {
        fatalError("Failed to load Vision ML model: \(error)")
      }
    }()

    func process(for request: VNRequest, error: Error?) {
      guard let results = request.results else {
        message = "Unable to classify image.\n\(error!.localizedDescription)"
        return
      }
      let classifications = results as! [VNClassificationObservation]
      labels = classifications.prefix(2).map { String(format: "  (%.2f) %@", $0.confidence, $0.identifier) }
    }
  }

  @Test func `a lazy request with a completion handler`() throws {
    let classifier = Classifier()
    let handler = VNImageRequestHandler(cvPixelBuffer: Pictures.plain(255, 51, 0), orientation: .up, options: [:])
    try handler.perform([classifier.request])
    #expect(classifier.labels == ["  (2.00) red", "  (0.40) green"] && classifier.message == nil)
    do {
      try VNImageRequestHandler(data: Data(), options: [:]).perform([classifier.request])
    } catch {
      #expect(classifier.message?.hasPrefix("Unable to classify image.\n") == true)
    }
  }

  @Test func `boxes become rectangles of a view`() throws {
    let coreMLModel = try Pictures.model("colors")
    guard let model = try? VNCoreMLModel(for: coreMLModel) else { throw CocoaError(.featureUnsupported) }
    var boxes: [(String, VNConfidence, CGRect)] = []
    let request = VNCoreMLRequest(model: model) { (request, error) in
      if let predictions = request.results as? [VNRecognizedObjectObservation] {
        for observation in predictions where observation.confidence > 0.5 {
          guard let best = observation.labels.first else { continue }
          let scale = CGAffineTransform.identity.scaledBy(x: 320, y: 240)
          let transform = CGAffineTransform(scaleX: 1, y: -1).translatedBy(x: 0, y: -240)
          boxes.append((best.identifier, best.confidence, observation.boundingBox.applying(scale).applying(transform)))
        }
      }
    }
    request.imageCropAndScaleOption = .scaleFill
    request.usesCPUOnly = true
    let image = Pictures.image(Pictures.shapes(320, 240, blue: CGRect(x: 40, y: 60, width: 80, height: 50)))
    try VNImageRequestHandler(cgImage: image, options: [:]).perform([request])
    #expect(boxes.count == 1 && boxes.first?.0 == "blue")
    let box = try #require(boxes.first?.2)
    #expect(abs(box.minX - 40) < 3 && abs(box.minY - 60) < 3 && abs(box.maxX - 120) < 3 && abs(box.maxY - 110) < 3)
  }

  @Test func `feature values are taken by cast and name`() throws {
    let model = try VNCoreMLModel(for: try Pictures.model("quarters"))
    let request = VNCoreMLRequest(model: model)
    request.imageCropAndScaleOption = VNImageCropAndScaleOption.scaleFill
    try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(8, 16, 24)).perform([request])
    if let observations = request.results as? [VNCoreMLFeatureValueObservation],
      let features = observations.first(where: { $0.featureName == "quarters" })?.featureValue.multiArrayValue
    {
      #expect(features.shape.map(\.intValue) == [1, 3, 2, 2] && features[[0, 2, 1, 1] as [NSNumber]].floatValue == 24)
    } else {
      Issue.record("\(String(describing: request.results))")
    }
  }

  // The guide's lines, as they stand there.
  @Test func `the guide's snippets find a class and an object`() async throws {
    let config = MLModelConfiguration()
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }
    do {
      let modelURL = try #require(Bundle.module.url(forResource: "classifier", withExtension: "mlpackage", subdirectory: "Fixtures"))
      let cgImage = Pictures.image(Pictures.plain(0, 0, 255))
      let model = try MLModel(contentsOf: modelURL, configuration: config)
      let request = CoreMLRequest(model: .init(model))
      let results = try await request.perform(on: cgImage)
      if let classification = results.first as? ClassificationObservation {
        print("\(classification.identifier): \(classification.confidence)")
      }
    }
    #expect(printed == ["blue: 2.0"])
    printed = []
    func legacy() throws {
      let model = try Pictures.model("colors")
      let pixelBuffer = Pictures.shapes(64, 64, green: CGRect(x: 16, y: 32, width: 32, height: 16))
      let vnModel = try VNCoreMLModel(for: model)
      let request = VNCoreMLRequest(model: vnModel) { request, error in
        guard let results = request.results as? [VNRecognizedObjectObservation] else { return }
        for observation in results {
          let label = observation.labels.first?.identifier ?? "unknown"
          let confidence = observation.labels.first?.confidence ?? 0
          let boundingBox = observation.boundingBox  // normalized coordinates
          print("\(label): \(confidence) at \(boundingBox)")
        }
      }
      request.imageCropAndScaleOption = .scaleFill
      let handler = VNImageRequestHandler(cvPixelBuffer: pixelBuffer)
      try handler.perform([request])
    }
    try legacy()
    #expect(printed.count == 1 && printed.first?.hasPrefix("green: 1.0 at ") == true, "\(printed)")
    #expect(printed.first?.contains("x: 0.25, y: 0.25") == true, "\(printed)")
  }
}
