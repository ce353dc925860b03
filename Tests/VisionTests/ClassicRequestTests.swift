import Testing
import Vision

/// Requests and handlers of the classic interface.
struct ClassicRequestTests {
  // MARK: Results

  @Test func `a classifier gives all classes, the best one first, with confidences as they are`() throws {
    let request = try Pictures.request("classifier")
    try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(51, 255, 102), options: [:]).perform([request])
    let found = try #require(request.results as? [VNClassificationObservation])
    #expect(found.map(\.identifier) == ["green", "blue", "red"])
    // Twice the means of the channels.
    #expect(zip(found.map(\.confidence), [2, 0.8, 0.4]).allSatisfy { abs($0 - $1) < 1e-5 })
    #expect(!found[0].hasPrecisionRecallCurve && !found[0].hasMinimumPrecision(0, forRecall: 0))
    #expect(!found[0].hasMinimumRecall(0, forPrecision: 0))
    #expect(found[0].requestRevision == VNCoreMLRequestRevision1 && !found[0].timeRange.isValid)
  }

  @Test func `classes that are numbers are identified by their digits`() throws {
    let request = try Pictures.request("numbered")
    try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(0, 0, 200)).perform([request])
    #expect((request.results?.first as? VNClassificationObservation)?.identifier == "9")
  }

  @Test func `a model that gives pictures gives pixel buffers`() throws {
    let request = try Pictures.request("negative")
    try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(5, 100, 255, width: 40, height: 24)).perform([request])
    let found = try #require(request.results as? [VNPixelBufferObservation])
    #expect(found.count == 1 && found[0].featureName == "negative" && found[0].confidence == 1)
    #expect(CVPixelBufferGetWidth(found[0].pixelBuffer) == 40 && CVPixelBufferGetHeight(found[0].pixelBuffer) == 24)
    #expect(pixel(found[0].pixelBuffer, 7, 9) == [250, 155, 0])
  }

  @Test func `other models give all outputs as feature values, in the model's order`() throws {
    let request = try Pictures.request("quarters")
    try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(10, 20, 30)).perform([request])
    let found = try #require(request.results as? [VNCoreMLFeatureValueObservation])
    #expect(found.map(\.featureName) == ["quarters", "greatest"] && found.allSatisfy { $0.confidence == 1 })
    #expect(numbers(found[0].featureValue.multiArrayValue) == [10, 10, 10, 10, 20, 20, 20, 20, 30, 30, 30, 30])
  }

  // MARK: Scaling

  @Test(arguments: ["ranged_image", "listed_image"])
  func `a model of several sizes gets the picture in its default size`(_ name: String) throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let model = try MLModel(contentsOf: tests.appendingPathComponent("CoreMLTests/Fixtures/\(name).mlpackage"))
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: model))
    try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(10, 20, 30, width: 8, height: 6)).perform([request])
    let found = try #require(request.results as? [VNCoreMLFeatureValueObservation])
    #expect(found.first?.featureValue.multiArrayValue?.shape == [1, 3, 3, 4])
  }

  @Test func `the picture is cropped to its middle unless the request says otherwise`() throws {
    #expect(VNCoreMLRequest(model: try VNCoreMLModel(for: Pictures.model("quarters"))).imageCropAndScaleOption == .centerCrop)
    // Three squares side by side for a square input: only the one in the middle is seen.
    let wide = Pictures.buffer(120, 40) { x, _ in x < 40 ? (255, 0, 0) : x < 80 ? (0, 255, 0) : (0, 0, 255) }
    let request = try Pictures.request("classifier", .centerCrop)
    let handler = VNImageRequestHandler(cvPixelBuffer: wide)
    try handler.perform([request])
    let cropped = try #require(request.results as? [VNClassificationObservation])
    #expect(cropped.map(\.confidence) == [2, 0, 0] && cropped[0].identifier == "green")
    // Between black bars, a third of the input is picture, in which each colour has a third.
    request.imageCropAndScaleOption = .scaleFit
    try handler.perform([request])
    let fitted = try #require(request.results as? [VNClassificationObservation])
    #expect(fitted.allSatisfy { abs($0.confidence - 2.0 / 9) < 0.02 })
    request.imageCropAndScaleOption = .scaleFill
    try handler.perform([request])
    #expect(try #require(request.results as? [VNClassificationObservation]).allSatisfy { abs($0.confidence - 2.0 / 3) < 0.02 })
  }

  @Test func `the options have Apple's numbers`() {
    #expect(VNImageCropAndScaleOption.centerCrop.rawValue == 0 && VNImageCropAndScaleOption.scaleFit.rawValue == 1)
    #expect(VNImageCropAndScaleOption.scaleFill.rawValue == 2 && VNImageCropAndScaleOption.scaleFitRotate90CCW.rawValue == 257)
    #expect(VNImageCropAndScaleOption(rawValue: 258) == .scaleFillRotate90CCW && VNImageCropAndScaleOption(rawValue: 3) == nil)
  }

  @Test func `a quarter turn is counterclockwise`() throws {
    // The upper half becomes the left one.
    let halves = Pictures.buffer(32, 32) { _, y in y < 16 ? (200, 0, 0) : (0, 0, 0) }
    let request = try Pictures.request("quarters", .scaleFillRotate90CCW)
    try VNImageRequestHandler(cvPixelBuffer: halves).perform([request])
    let values = numbers((request.results?.first as? VNCoreMLFeatureValueObservation)?.featureValue.multiArrayValue)
    #expect(zip(values, [200, 0, 200, 0]).allSatisfy { abs($0 - $1) < 8 }, "\(values)")
  }

  @Test func `a gray model gets the luma`() throws {
    let request = try Pictures.request("gray")
    try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(200, 100, 50)).perform([request])
    let values = numbers((request.results?.first as? VNCoreMLFeatureValueObservation)?.featureValue.multiArrayValue)
    #expect(values.count == 4 && values.allSatisfy { abs($0 - (0.299 * 200 + 0.587 * 100 + 0.114 * 50)) <= 0.5 })
  }

  // MARK: Pictures

  /// Red, green and blue that a request sees, as means from 0 to 255.
  private func seen(_ handler: VNImageRequestHandler) throws -> [Double] {
    let request = try Pictures.request("classifier")
    try handler.perform([request])
    let found = try #require(request.results as? [VNClassificationObservation])
    return ["red", "green", "blue"].map { name in found.first { $0.identifier == name }.map { Double($0.confidence) * 127.5 } ?? -1 }
  }

  private func expectSeen(_ found: [Double], _ expected: [Double], _ tolerance: Double = 0.01) {
    #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= tolerance }, "\(found), not \(expected)")
  }

  @Test func `a handler takes buffers, images, data and files`() throws {
    let buffer = Pictures.plain(10, 20, 30)
    let image = Pictures.image(buffer)
    let data = try Pictures.file(image)
    let url = try Pictures.temporary(data, ".png")
    defer { try? FileManager.default.removeItem(at: url) }
    let handlers = [
      VNImageRequestHandler(cvPixelBuffer: buffer), VNImageRequestHandler(cvPixelBuffer: buffer, orientation: .left),
      VNImageRequestHandler(cgImage: image), VNImageRequestHandler(cgImage: image, orientation: .right, options: [:]),
      VNImageRequestHandler(ciImage: CIImage(cvPixelBuffer: buffer)),
      VNImageRequestHandler(ciImage: CIImage(cgImage: image), orientation: .down),
      VNImageRequestHandler(data: data), VNImageRequestHandler(data: data, orientation: .up, options: [:]),
      VNImageRequestHandler(url: url), VNImageRequestHandler(url: url, orientation: .downMirrored),
    ]
    for handler in handlers { expectSeen(try seen(handler), [10, 20, 30]) }
  }

  @Test func `a Core Image recipe is drawn for the request`() throws {
    // The left half, moved.
    let halves = CIImage(cvPixelBuffer: Pictures.buffer(40, 20) { x, _ in x < 20 ? (0, 90, 0) : (200, 0, 0) })
    let part = halves.cropped(to: CGRect(x: 20, y: 0, width: 20, height: 20)).transformed(by: CGAffineTransform(translationX: 7, y: 9))
    expectSeen(try seen(VNImageRequestHandler(ciImage: part)), [200, 0, 0], 1.01)
    let context = CIContext()
    expectSeen(try seen(VNImageRequestHandler(ciImage: part, options: [.ciContext: context])), [200, 0, 0], 1.01)
    let endless = VNImageRequestHandler(ciImage: CIImage(color: .red))
    let error = #expect(throws: NSError.self) { try endless.perform([Pictures.request("classifier")]) }
    #expect(code(error) == .invalidImage)
  }

  @Test func `a sequence handler takes a picture for each call`() throws {
    let buffer = Pictures.plain(60, 0, 0)
    let image = Pictures.image(Pictures.plain(0, 60, 0))
    let data = try Pictures.file(Pictures.image(Pictures.plain(0, 0, 60)))
    let url = try Pictures.temporary(data, ".png")
    defer { try? FileManager.default.removeItem(at: url) }
    let handler = VNSequenceRequestHandler()
    let request = try Pictures.request("classifier")
    func best() -> String? { (request.results?.first as? VNClassificationObservation)?.identifier }
    try handler.perform([request], on: buffer)
    #expect(best() == "red")
    try handler.perform([request], on: image)
    #expect(best() == "green")
    try handler.perform([request], onImageData: data)
    #expect(best() == "blue")
    try handler.perform([request], on: buffer, orientation: .left)
    #expect(best() == "red")
    try handler.perform([request], on: image, orientation: .up)
    #expect(best() == "green")
    try handler.perform([request], onImageURL: url)
    #expect(best() == "blue")
    try handler.perform([request], on: CIImage(cvPixelBuffer: buffer))
    #expect(best() == "red")
    try handler.perform([request], on: CIImage(cgImage: image), orientation: .right)
    #expect(best() == "green")
    try handler.perform([request], onImageData: data, orientation: .up)
    #expect(best() == "blue")
    try handler.perform([request], onImageURL: url, orientation: .down)
    #expect(best() == "blue")
  }

  @Test func `files have their own orientation unless one is given`() throws {
    // The left half of the stored pixels is red; turned by a quarter, the upper one is.
    let halves = Pictures.buffer(32, 32) { x, _ in x < 16 ? (240, 0, 0) : (0, 0, 0) }
    let data = try Pictures.file(Pictures.image(halves), type: "public.jpeg", orientation: .right)
    let url = try Pictures.temporary(data, ".jpg")
    defer { try? FileManager.default.removeItem(at: url) }
    func red(_ handler: VNImageRequestHandler) throws -> [Bool] {
      let request = try Pictures.request("quarters")
      try handler.perform([request])
      let values = numbers((request.results?.first as? VNCoreMLFeatureValueObservation)?.featureValue.multiArrayValue)
      return values.prefix(4).map { $0 > 120 }
    }
    #expect(try red(VNImageRequestHandler(data: data)) == [true, true, false, false])
    #expect(try red(VNImageRequestHandler(url: url)) == [true, true, false, false])
    #expect(try red(VNImageRequestHandler(data: data, orientation: .up)) == [true, false, true, false])
    #expect(try red(VNImageRequestHandler(url: url, orientation: .down)) == [false, true, false, true])
  }

  @Test func `colours of an image and of a buffer's attachments become sRGB`() throws {
    let space = try #require(CGColorSpace(name: CGColorSpace.displayP3))
    let buffer = Pictures.plain(200, 100, 50)
    // By the primaries of both spaces; the curve is the same.
    let expected = [214.90, 92.61, 30.95]
    expectSeen(try seen(VNImageRequestHandler(cgImage: Pictures.image(buffer, space: space))), expected, 0.6)
    expectSeen(try seen(VNImageRequestHandler(data: Pictures.file(Pictures.image(buffer, space: space)))), expected, 0.6)
    CVBufferSetAttachment(buffer, kCVImageBufferCGColorSpaceKey, space, .shouldPropagate)
    expectSeen(try seen(VNImageRequestHandler(cvPixelBuffer: buffer)), expected, 0.6)
    // Colours of the device are as they are.
    expectSeen(try seen(VNImageRequestHandler(cgImage: Pictures.image(Pictures.plain(200, 100, 50)))), [200, 100, 50])
  }

  @Test func `luma and chroma become colours by the buffer's matrix`() throws {
    var made: CVPixelBuffer?
    CVPixelBufferCreate(nil, 20, 10, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, nil, &made)
    let buffer = try #require(made)
    CVPixelBufferLockBaseAddress(buffer, [])
    let lumaByteCount = CVPixelBufferGetBytesPerRowOfPlane(buffer, 0)
    for row in 0..<10 { memset(CVPixelBufferGetBaseAddressOfPlane(buffer, 0)! + row * lumaByteCount, 120, 20) }
    for row in 0..<5 {
      let line = (CVPixelBufferGetBaseAddressOfPlane(buffer, 1)! + row * CVPixelBufferGetBytesPerRowOfPlane(buffer, 1))
        .assumingMemoryBound(to: UInt8.self)
      for column in 0..<10 { (line[2 * column], line[2 * column + 1]) = (100, 170) }
    }
    CVPixelBufferUnlockBaseAddress(buffer, [])
    let (y, blue, red) = ((120.0 - 16) * 255 / 219, (100.0 - 128) * 255 / 224, (170.0 - 128) * 255 / 224)
    func colors(_ weights: (red: Double, blue: Double)) -> [Double] {
      let (r, b) = (y + 2 * (1 - weights.red) * red, y + 2 * (1 - weights.blue) * blue)
      return [r, (y - weights.red * r - weights.blue * b) / (1 - weights.red - weights.blue), b]
    }
    expectSeen(try seen(VNImageRequestHandler(cvPixelBuffer: buffer)), colors((0.299, 0.114)), 1)
    CVBufferSetAttachment(buffer, kCVImageBufferYCbCrMatrixKey, kCVImageBufferYCbCrMatrix_ITU_R_709_2, .shouldPropagate)
    expectSeen(try seen(VNImageRequestHandler(cvPixelBuffer: buffer)), colors((0.2126, 0.0722)), 1)
  }

  // MARK: Performing

  @Test func `completion handlers are called before perform returns, in order`() throws {
    final class Calls: @unchecked Sendable { var names: [String] = [] }
    let calls = Calls()
    let model = try VNCoreMLModel(for: Pictures.model("classifier"))
    let first = VNCoreMLRequest(model: model) { request, error in
      #expect(error == nil && request.results?.count == 3)
      calls.names.append("first")
    }
    let second = VNCoreMLRequest(model: model, completionHandler: { _, _ in calls.names.append("second") })
    #expect(first.results == nil)
    try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(1, 2, 3)).perform([first, second])
    #expect(calls.names == ["first", "second"])
    second.completionHandler = { _, _ in calls.names.append("other") }
    try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(1, 2, 3)).perform([second])
    #expect(calls.names == ["first", "second", "other"] && first.model === model)
  }

  @Test func `an error goes to the completion handler and to the caller, and other requests run`() throws {
    final class Errors: @unchecked Sendable { var codes: [VNErrorCode?] = [] }
    let errors = Errors()
    let model = try VNCoreMLModel(for: Pictures.model("classifier"))
    let wrong = VNCoreMLRequest(model: model) { _, error in errors.codes.append(code(error)) }
    wrong.regionOfInterest = CGRect(x: 0.5, y: 0.5, width: 0.75, height: 0.25)
    let right = VNCoreMLRequest(model: model) { _, error in errors.codes.append(code(error)) }
    let error = #expect(throws: NSError.self) {
      try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(1, 2, 3)).perform([wrong, right])
    }
    #expect(code(error) == .invalidArgument && errors.codes == [.invalidArgument, nil])
    #expect(error?.localizedDescription.contains("region of interest") == true)
    #expect(wrong.results == nil && right.results?.count == 3)
  }

  @Test func `pictures that cannot be read are errors`() throws {
    let request = try Pictures.request("classifier")
    func failure(_ handler: VNImageRequestHandler) -> VNErrorCode? {
      do {
        try handler.perform([request])
        return nil
      } catch { return code(error) }
    }
    #expect(failure(VNImageRequestHandler(data: Data([1, 2, 3]))) == .invalidImage)
    #expect(failure(VNImageRequestHandler(data: Data())) == .invalidImage)
    #expect(failure(VNImageRequestHandler(url: URL(fileURLWithPath: "/nowhere/picture.png"))) == .ioError)
    #expect(failure(VNImageRequestHandler(url: URL(string: "https://example.com/picture.png")!)) == .ioError)
    let text = try Pictures.temporary(Data("text".utf8), ".png")
    defer { try? FileManager.default.removeItem(at: text) }
    #expect(failure(VNImageRequestHandler(url: text)) == .invalidImage)
    for region in [CGRect.null, CGRect(x: CGFloat.nan, y: 0, width: 1, height: 1), CGRect(x: 0, y: 0, width: 0, height: 1), .infinite] {
      request.regionOfInterest = region
      #expect(failure(VNImageRequestHandler(cvPixelBuffer: Pictures.plain(1, 2, 3))) == .invalidArgument)
    }
  }

  @Test func `a model without an image input is refused`() throws {
    let error = #expect(throws: NSError.self) { try VNCoreMLModel(for: Pictures.model("numbers")) }
    #expect(error?.domain == VNErrorDomain && error?.code == VNErrorCode.invalidModel.rawValue && error?.code == 15)
    #expect(error?.localizedDescription == "The model does not have a valid input feature of type image")
  }

  @Test func `the picture goes to the named input, and others come from the provider`() throws {
    let model = try VNCoreMLModel(for: Pictures.model("difference"))
    #expect(model.inputImageFeatureName == "first")
    let request = VNCoreMLRequest(model: model)
    let handler = VNImageRequestHandler(cvPixelBuffer: Pictures.plain(90, 90, 90))
    let factor = MLShapedArray<Float>(scalars: [2], shape: [1])
    // Core ML reports what is missing.
    let error = #expect(throws: NSError.self) { try handler.perform([request]) }
    #expect(code(error) == .operationFailed && error?.userInfo[NSUnderlyingErrorKey] is NSError)
    model.featureProvider = try MLDictionaryFeatureProvider(
      dictionary: ["second": Pictures.plain(30, 30, 30, width: 6, height: 4), "factor": factor])
    try handler.perform([request])
    func value() -> [Double] { numbers((request.results?.first as? VNCoreMLFeatureValueObservation)?.featureValue.multiArrayValue) }
    #expect(value() == [120])
    model.inputImageFeatureName = "second"
    model.featureProvider = try MLDictionaryFeatureProvider(
      dictionary: ["first": Pictures.plain(30, 30, 30, width: 8, height: 8), "factor": factor])
    try handler.perform([request])
    #expect(value() == [-120])
    model.inputImageFeatureName = "factor"
    let other = #expect(throws: NSError.self) { try handler.perform([request]) }
    #expect(code(other) == .invalidModel)
  }

  @Test func `a cancelled request fails once`() throws {
    let request = try Pictures.request("classifier")
    let handler = VNImageRequestHandler(cvPixelBuffer: Pictures.plain(1, 2, 3))
    request.cancel()
    let error = #expect(throws: NSError.self) { try handler.perform([request]) }
    #expect(code(error) == .requestCancelled && request.results == nil)
    try handler.perform([request])
    #expect(request.results?.count == 3)
  }

  @Test func `a completion handler may cancel the next request`() throws {
    let model = try VNCoreMLModel(for: Pictures.model("classifier"))
    let second = VNCoreMLRequest(model: model)
    let first = VNCoreMLRequest(model: model) { _, _ in second.cancel() }
    #expect(throws: NSError.self) { try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(1, 2, 3)).perform([first, second]) }
    #expect(first.results?.count == 3 && second.results == nil)
  }

  @Test func `requests have revisions`() throws {
    #expect(VNCoreMLRequest.supportedRevisions == IndexSet(integer: VNCoreMLRequestRevision1))
    #expect(VNCoreMLRequest.currentRevision == 1 && VNCoreMLRequest.defaultRevision == 1 && VNRequestRevisionUnspecified == 0)
    let request = try Pictures.request("classifier")
    #expect(request.revision == VNCoreMLRequestRevision1)
    request.revision = 2
    let error = #expect(throws: NSError.self) { try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(1, 2, 3)).perform([request]) }
    #expect(code(error) == .unsupportedRevision)
  }

  @Test func `requests of no known kind are refused`() {
    final class Own: VNImageBasedRequest {}
    for request in [VNRequest(), VNRequest(completionHandler: nil), Own(completionHandler: { _, _ in })] {
      let error = #expect(throws: NSError.self) { try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(1, 2, 3)).perform([request]) }
      #expect(code(error) == .unsupportedRequest)
    }
  }

  @Test func `settings of a request are kept and copied`() throws {
    let request = try Pictures.request("classifier", .scaleFit)
    #expect(!request.usesCPUOnly && !request.preferBackgroundProcessing)
    request.usesCPUOnly = true
    request.preferBackgroundProcessing = true
    request.regionOfInterest = CGRect(x: 0, y: 0, width: 0.5, height: 0.5)
    let devices = try request.supportedComputeStageDevices
    #expect(devices[.main] == MLComputeDevice.allComputeDevices && devices[.postProcessing]?.isEmpty == false)
    #expect(request.computeDevice(for: .main) == nil)
    request.setComputeDevice(devices[.main]?.first, for: .main)
    let copy = try #require(request.copy() as? VNCoreMLRequest)
    #expect(copy !== request && copy.model === request.model && copy.usesCPUOnly && copy.preferBackgroundProcessing)
    #expect(copy.imageCropAndScaleOption == .scaleFit && copy.regionOfInterest == request.regionOfInterest)
    #expect(copy.computeDevice(for: .main) == devices[.main]?.first && copy.revision == 1)
    request.setComputeDevice(devices[.main]?.first, for: VNComputeStage(rawValue: "other"))
    let error = #expect(throws: NSError.self) { try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(1, 2, 3)).perform([request]) }
    #expect(code(error) == .unsupportedComputeStage)
  }

  @Test func `codes, options and types have Apple's names and numbers`() {
    #expect(VNErrorDomain == "com.apple.vis")
    let codes: [VNErrorCode] = [
      .turiCoreErrorCode, .OK, .requestCancelled, .invalidFormat, .operationFailed, .outOfBoundsError, .invalidOption, .ioError,
      .missingOption, .notImplemented, .internalError, .outOfMemory, .unknownError, .invalidOperation, .invalidImage, .invalidArgument,
      .invalidModel, .unsupportedRevision, .dataUnavailable, .timeStampNotFound, .unsupportedRequest, .timeout, .unsupportedComputeStage,
      .unsupportedComputeDevice,
    ]
    #expect(codes.map(\.rawValue) == Array(-1...22))
    let options: [VNImageOption: Any] = [.properties: [:] as [String: Any], .cameraIntrinsics: Data(), .ciContext: 1]
    #expect(options.count == 3 && VNImageOption(rawValue: VNImageOption.properties.rawValue) == .properties)
    let numbers: (VNConfidence, VNAspectRatio, VNDegrees) = (0.5, 1.5, 90)
    #expect(numbers == (Float(0.5), Float(1.5), Float(90)))
  }

  @Test func `a model of a subclass is asked as it wants to be`() throws {
    final class Mock: MLModel {
      private let file: MLModel
      init(_ file: MLModel) {
        self.file = file
        super.init()
      }
      override var modelDescription: MLModelDescription { file.modelDescription }
      override func prediction(from input: any MLFeatureProvider) throws -> any MLFeatureProvider {
        #expect(input.featureNames == ["image"] && input.featureValue(for: "image")?.imageBufferValue != nil)
        return try MLDictionaryFeatureProvider(dictionary: [
          "classLabel": "mock", "classLabel_probs": ["mock": 0.5, "other": 7] as [String: Double],
        ])
      }
    }
    let file = try Pictures.model("classifier")
    try #require(file.modelDescription.predictedFeatureName == "classLabel")
    let probabilities = try #require(file.modelDescription.predictedProbabilitiesName)
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: Mock(file)))
    if probabilities == "classLabel_probs" {
      try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(1, 2, 3)).perform([request])
      #expect((request.results as? [VNClassificationObservation])?.map(\.identifier) == ["other", "mock"])
    } else {
      let error = #expect(throws: NSError.self) { try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(1, 2, 3)).perform([request]) }
      #expect(code(error) == .dataUnavailable)
    }
  }
}
