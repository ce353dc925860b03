import Testing
import Vision

/// Requests and handlers of the interface with values.
struct SwiftRequestTests {
  private func request(_ name: String) throws -> CoreMLRequest {
    CoreMLRequest(model: try CoreMLModelContainer(model: Pictures.model(name)))
  }

  @Test func `a request is performed on pictures of all kinds`() async throws {
    let request = try request("classifier")
    let buffer = Pictures.plain(10, 20, 30)
    let image = Pictures.image(buffer)
    let data = try Pictures.file(image)
    let url = try Pictures.temporary(data, ".png")
    defer { try? FileManager.default.removeItem(at: url) }
    let all = [
      try await request.perform(on: buffer), try await request.perform(on: image), try await request.perform(on: data),
      try await request.perform(on: url), try await request.perform(on: buffer, orientation: .left),
      try await request.perform(on: image, orientation: .down), try await request.perform(on: data, orientation: .right),
      try await request.perform(on: url, orientation: .upMirrored), try await request.perform(on: CIImage(cvPixelBuffer: buffer)),
      try await request.perform(on: CIImage(cgImage: image), orientation: .right),
    ]
    for results in all {
      let found = results.compactMap { $0 as? ClassificationObservation }
      #expect(found.map(\.identifier) == ["blue", "green", "red"])
      for (confidence, mean) in zip(found.map(\.confidence), [30, 20, 10] as [Float]) { #expect(abs(confidence - 2 * mean / 255) < 1e-5) }
      #expect(found.allSatisfy { $0.originatingRequestDescriptor == request.descriptor && $0.timeRange == nil })
    }
  }

  @Test func `a handler performs one request, several, and all`() async throws {
    let buffer = Pictures.plain(10, 20, 30, width: 40, height: 24)
    let image = Pictures.image(buffer)
    let (classifier, negative) = (try request("classifier"), try request("negative"))
    let handler = ImageRequestHandler(buffer)
    #expect(try await handler.perform(classifier).count == 3)
    let (classes, pictures) = try await handler.perform(classifier, negative)
    #expect(classes.count == 3 && (pictures.first as? PixelBufferObservation)?.size == CGSize(width: 40, height: 24))
    let data = try Pictures.file(image)
    let url = try Pictures.temporary(data, ".png")
    defer { try? FileManager.default.removeItem(at: url) }
    for other in [
      ImageRequestHandler(image, orientation: .up), ImageRequestHandler(data), ImageRequestHandler(url, orientation: .down),
      ImageRequestHandler(CIImage(cgImage: image)),
    ] {
      #expect(try await other.perform(classifier).count == 3)
    }
    var wrong = classifier
    wrong.regionOfInterest = NormalizedRect(x: 0.5, y: 0, width: 1, height: 1)
    var results: [VisionResult] = []
    for await result in handler.performAll([classifier, wrong, negative]) { results.append(result) }
    #expect(results.count == 3)
    guard case .coreML(let first, let observations) = results[0], case .error(let failed, let error) = results[1],
      case .coreML(_, let last) = results[2]
    else {
      Issue.record("\(results)")
      return
    }
    #expect(first == classifier && observations.count == 3 && last.first is PixelBufferObservation)
    #expect(failed as? CoreMLRequest == wrong)
    guard case VisionError.invalidArgument = error else {
      Issue.record("\(error)")
      return
    }
    #expect(results[0] == results[0] && results[0] != results[1] && results[1] == results[1])
    #expect(results[1].description.contains("region of interest"))
  }

  @Test func `the picture is stretched unless the request says otherwise`() async throws {
    // Three squares side by side for a square input.
    let wide = Pictures.buffer(120, 40) { x, _ in x < 40 ? (255, 0, 0) : x < 80 ? (0, 255, 0) : (0, 0, 255) }
    var request = try request("classifier")
    #expect(request.cropAndScaleAction == .scaleToFill && request.regionOfInterest == .fullImage)
    func confidences() async throws -> [Float] {
      try await request.perform(on: wide).compactMap { $0 as? ClassificationObservation }.map(\.confidence)
    }
    #expect(try await confidences().allSatisfy { abs($0 - 2.0 / 3) < 0.02 })
    request.cropAndScaleAction = .centerCrop
    #expect(try await confidences() == [2, 0, 0])
    request.cropAndScaleAction = .scaleToFit
    #expect(try await confidences().allSatisfy { abs($0 - 2.0 / 9) < 0.02 })
    #expect(ImageCropAndScaleAction.allCases.count == 5)
    let action = ImageCropAndScaleAction.scaleToFitPlus90CCWRotation
    #expect(try JSONDecoder().decode(ImageCropAndScaleAction.self, from: JSONEncoder().encode(action)) == action)
  }

  @Test func `a container names the image input and gives the others`() async throws {
    let model = try Pictures.model("difference")
    var container = try CoreMLModelContainer(
      model: model,
      featureProvider: MLDictionaryFeatureProvider(dictionary: [
        "first": Pictures.plain(1, 1, 1, width: 8, height: 8), "second": Pictures.plain(30, 30, 30, width: 6, height: 4),
        "factor": MLShapedArray<Float>(scalars: [2], shape: [1]),
      ]))
    #expect(container.inputImageFeatureName == "first")
    func difference() async throws -> [Float]? {
      let results = try await CoreMLRequest(model: container).perform(on: Pictures.plain(91, 91, 91))
      return (results.first as? CoreMLFeatureValueObservation)?.featureValue.shapedArrayValue(of: Float.self)?.scalars
    }
    #expect(try await difference() == [122])
    let other = container
    container.inputImageFeatureName = "second"
    #expect(try await difference() == [-180])
    #expect(container != other && Set([container, other]).count == 2)
    container.inputImageFeatureName = "factor"
    do {
      _ = try await difference()
      Issue.record("the input is no image")
    } catch VisionError.invalidModel(let message) {
      #expect(message.contains("inputImageFeatureName"))
    }
  }

  @Test func `a model without an image input is refused, at once or when it is asked`() async throws {
    let model = try Pictures.model("numbers")
    do {
      _ = try CoreMLModelContainer(model: model)
      Issue.record("the model takes no image")
    } catch VisionError.invalidModel(let message) {
      #expect(message == "The model does not have a valid input feature of type image")
    }
    do {
      _ = try await CoreMLRequest(model: .init(model)).perform(on: Pictures.plain(1, 2, 3))
      Issue.record("the model takes no image")
    } catch let error as VisionError {
      #expect(error.errorDescription == error.description && error.localizedDescription.contains("image"))
    }
  }

  @Test func `a request says what it is`() throws {
    var request = CoreMLRequest(model: try CoreMLModelContainer(model: Pictures.model("classifier")), .revision1)
    #expect(request.revision == .revision1 && CoreMLRequest.supportedRevisions == [.revision1])
    #expect(request.supportedIdentifiers == ["red", "green", "blue"])
    #expect(try self.request("boxes").supportedIdentifiers == ["circle", "square", "star"])
    #expect(try self.request("quarters").supportedIdentifiers == nil)
    #expect(request.descriptor == .coreMLRequest(.revision1) && request.descriptor.description == "CoreMLRequest(revision1)")
    #expect(try JSONDecoder().decode(RequestDescriptor.self, from: JSONEncoder().encode(request.descriptor)) == request.descriptor)
    #expect(request.modelContainer.inputImageFeatureName == "image" && request.description.hasPrefix("CoreMLRequest("))
    let devices = request.supportedComputeStageDevices
    #expect(devices[.main] == MLComputeDevice.allComputeDevices && devices[.postProcessing]?.count == 1)
    let same = request
    #expect(request.computeDevice(for: .main) == nil && Set([request, same]).count == 1)
    request.setComputeDevice(devices[.main]?.first, for: .main)
    #expect(request.computeDevice(for: .main) == devices[.main]?.first && request != same)
    #expect(ComputeStage.allCases == [.main, .postProcessing])
  }

  @Test func `a request of another kind is refused`() async {
    struct Own: VisionRequest {
      var descriptor: RequestDescriptor { .coreMLRequest(.revision1) }
      var supportedComputeStageDevices: [ComputeStage: [MLComputeDevice]] { [:] }
      func computeDevice(for computeStage: ComputeStage) -> MLComputeDevice? { nil }
      func setComputeDevice(_ computeDevice: MLComputeDevice?, for computeStage: ComputeStage) {}
      var description: String { "Own" }
      typealias Result = Int
    }
    await #expect(throws: VisionError.self) { try await ImageRequestHandler(Pictures.plain(1, 2, 3)).perform(Own()) }
  }

  @Test func `data and files without a picture are errors`() async throws {
    let request = try request("classifier")
    do {
      _ = try await request.perform(on: Data([1, 2, 3]))
      Issue.record("three bytes are no picture")
    } catch VisionError.invalidImage {}
    do {
      _ = try await request.perform(on: URL(fileURLWithPath: "/nowhere/picture.png"))
      Issue.record("there is no such file")
    } catch VisionError.ioError(let message) {
      #expect(message.contains("/nowhere/picture.png"))
    }
  }

  @Test func `a cancelled task ends with an error`() async throws {
    let request = try request("classifier")
    let buffer = Pictures.plain(1, 2, 3)
    struct Shared: @unchecked Sendable { let buffer: CVPixelBuffer }
    let shared = Shared(buffer: buffer)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await request.perform(on: shared.buffer)
    }
    task.cancel()
    do {
      _ = try await task.value
      Issue.record("the task was cancelled")
    } catch VisionError.requestCancelled {}
  }

  @Test func `errors have messages`() {
    let errors: [VisionError] = [
      .internalError("x"), .ioError("x"), .operationFailed("x"), .outOfBoundsError("x"), .outOfMemory("x"), .requestCancelled("x"),
      .timeStampNotFound("x"), .timeout("x"), .invalidArgument("x"), .invalidFormat("x"), .invalidImage("x"), .invalidModel("x"),
      .invalidOperation("x"), .dataUnavailable("x"), .unsupportedComputeDevice("x"), .unsupportedComputeStage("x"),
      .unsupportedRequest("x"), .unsupportedRevision("x"),
    ]
    #expect(errors.allSatisfy { $0.description == "x" && $0.localizedDescription == "x" })
    #expect(VisionError.pixelBufferCreationFailed(-6661).description.contains("-6661"))
  }

  @Test func `the model's own error is passed on`() async throws {
    let container = try CoreMLModelContainer(model: Pictures.model("difference"))
    do {
      _ = try await CoreMLRequest(model: container).perform(on: Pictures.plain(1, 2, 3))
      Issue.record("inputs are missing")
    } catch VisionError.operationFailed(let message) {
      #expect(message.contains("second") || message.contains("factor"))
    }
  }
}
