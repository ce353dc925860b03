// swift-format-ignore-file
// The lines between the marks are those of the guide, also in their form.
import CoreML
import CoreVideo
import Testing
import Vision

/// Snippets of the guide to Core ML in Swift, as they stand there; what they take for granted stands before them. A line in place of one of
/// the guide's follows a comment with the latter.
@Suite struct CoreMLGuideTests {
  private let config = MLModelConfiguration()

  private static func fixture(_ name: String) -> URL { Bundle.module.url(forResource: name, withExtension: "mlpackage")! }

  private func model(_ name: String = "MyImageClassifier") throws -> MLModel {
    try MLModel(contentsOf: Self.fixture(name), configuration: config)
  }

  /// A picture of one colour as large as the classifier's.
  private func pixelBuffer(_ red: UInt8, _ green: UInt8, _ blue: UInt8, side: Int = 8) -> CVPixelBuffer {
    var buffer: CVPixelBuffer?
    CVPixelBufferCreate(kCFAllocatorDefault, side, side, kCVPixelFormatType_32BGRA, nil, &buffer)
    CVPixelBufferLockBaseAddress(buffer!, [])
    let bytes = CVPixelBufferGetBaseAddress(buffer!)!.assumingMemoryBound(to: UInt8.self)
    for y in 0..<side {
      for x in 0..<side {
        for (channel, value) in [blue, green, red, 255].enumerated() {
          bytes[y * CVPixelBufferGetBytesPerRow(buffer!) + 4 * x + channel] = value
        }
      }
    }
    CVPixelBufferUnlockBaseAddress(buffer!, [])
    return buffer!
  }

  private func image(_ buffer: CVPixelBuffer) -> CGImage {
    CIContext().createCGImage(CIImage(cvPixelBuffer: buffer), from: CIImage(cvPixelBuffer: buffer).extent)!
  }

  // MARK: Loading models

  @Test func `the class of a model loads it`() throws {
    // guide
    let config = MLModelConfiguration()
    config.computeUnits = .all
    let model = try MyImageClassifier(configuration: config)
    // end
    #expect(model.model.configuration.computeUnits == .all)
  }

  @Test func `a model of the bundle is loaded`() async throws {
    // guide
    let modelURL = Bundle.main.url(
      forResource: "MyModel", withExtension: "mlmodelc"
    )!
    let model = try MLModel(contentsOf: modelURL, configuration: config)
    // end
    #expect(model.modelDescription.classLabels as? [String] == ["apple", "leaf", "sky"])
    func load() async throws -> MLModel {
      // guide
      let model = try await MLModel.load(
        contentsOf: modelURL,
        configuration: config
      )
      // end
      return model
    }
    #expect(try await load().modelDescription.predictedFeatureName == "classLabel")
  }

  @Test func `a model is compiled and loaded`() async throws {
    let packageURL = Self.fixture("MyModel")
    // guide
    let compiledURL = try await MLModel.compileModel(at: packageURL)
    let model = try await MLModel.load(contentsOf: compiledURL, configuration: config)
    // end
    #expect(compiledURL.pathExtension == "mlmodelc" && model.modelDescription.predictedFeatureName == "classLabel")
    try FileManager.default.removeItem(at: compiledURL)
  }

  @Test func `requested resources are there`() async throws {
    // guide
    // Existing On-Demand Resources project
    let request = NSBundleResourceRequest(tags: ["ml-model-v2"])
    try await request.beginAccessingResources()
    let modelURL = Bundle.main.url(forResource: "LargeModel", withExtension: "mlmodelc")!
    let model = try await MLModel.load(contentsOf: modelURL, configuration: config)
    // Call request.endAccessingResources() when done
    // end
    request.endAccessingResources()
    #expect(model.modelDescription.inputDescriptionsByName["image"]?.type == .image)
  }

  // MARK: Configurations

  @Test func `configurations have properties`() throws {
    do {
      // guide
      let config = MLModelConfiguration()
      config.computeUnits = .cpuAndNeuralEngine
      // Optional fallback for constrained work after profiling and policy review
      config.computeUnits = .cpuOnly
      // end
      #expect(config.computeUnits == .cpuOnly)
    }
    // guide
    let config = MLModelConfiguration()
    config.computeUnits = .all
    config.allowLowPrecisionAccumulationOnGPU = true // faster, slight precision loss
    // end
    let model = try MLModel(contentsOf: Self.fixture("MyModel"), configuration: config)
    #expect(model.configuration.computeUnits == .all && model.configuration.allowLowPrecisionAccumulationOnGPU)
  }

  // MARK: Predictions

  @Test func `the class of a model predicts`() throws {
    let pixelBuffer = pixelBuffer(0, 255, 0)
    var printed: [Any] = []
    func print(_ item: Any) { printed.append(item) }
    // guide
    let model = try MyImageClassifier(configuration: config)
    let input = MyImageClassifierInput(image: pixelBuffer)
    let output = try model.prediction(input: input)
    print(output.classLabel) // "golden_retriever"
    print(output.classLabelProbs) // ["golden_retriever": 0.95, ...]
    // end
    #expect(printed[0] as? String == "leaf")
    let probabilities = try #require(printed[1] as? [String: Double])
    #expect(probabilities.count == 3 && abs(probabilities["leaf"]! - 1) < 1e-6 && abs(probabilities["sky"]!) < 1e-6)
  }

  @Test func `features come from a dictionary`() throws {
    let pixelBuffer = pixelBuffer(255, 0, 0)
    let model = try model()
    // guide
    let inputFeatures = try MLDictionaryFeatureProvider(dictionary: [
      "image": MLFeatureValue(pixelBuffer: pixelBuffer),
      "confidence_threshold": MLFeatureValue(double: 0.5),
    ])
    let output = try model.prediction(from: inputFeatures)
    let label = output.featureValue(for: "classLabel")?.stringValue
    // end
    #expect(label == "apple")
    do {
      // guide
      let output = try model.prediction(from: inputFeatures)
      // end
      #expect(output.featureValue(for: "classLabel")?.stringValue == "apple")
    }
  }

  @Test func `a batch is predicted`() throws {
    let model = try model()
    let inputs = [pixelBuffer(0, 0, 255), pixelBuffer(255, 0, 0), pixelBuffer(0, 255, 0)]
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }
    // guide
    let batchInputs = try MLArrayBatchProvider(array: inputs.map { input in
      try MLDictionaryFeatureProvider(dictionary: ["image": MLFeatureValue(pixelBuffer: input)])
    })
    let batchOutput = try model.predictions(fromBatch: batchInputs)
    for i in 0..<batchOutput.count {
      let result = batchOutput.features(at: i)
      print(result.featureValue(for: "classLabel")?.stringValue ?? "unknown")
    }
    // end
    #expect(printed == ["sky", "apple", "leaf"])
  }

  @Test func `a state remembers`() throws {
    let model = try model("Words")
    let audioFrames = try [[1, 0, 0], [0, 3, 0], [3, 0, 0]].map { (frame: [Float]) in
      try MLMultiArray(MLShapedArray(scalars: frame, shape: [1, 3]))
    }
    var labels: [String?] = []
    // guide
    let state = model.makeState()
    // Each synchronous prediction carries forward the internal model state
    for frame in audioFrames {
      let input = try MLDictionaryFeatureProvider(dictionary: [
        "audio_features": MLFeatureValue(multiArray: frame)
      ])
      let output = try model.prediction(from: input, using: state)
      let classification = output.featureValue(for: "label")?.stringValue
      // end
      labels.append(classification)
      // guide
    }
    // end
    // Sums: [1, 0, 0], [1, 3, 0], [4, 3, 0].
    #expect(labels == ["yes", "no", "yes"])
  }

  @Test func `models are chained`() throws {
    let preprocessor = try model("Preprocessor"), mainModel = try model("Main"), postprocessor = try model("Postprocessor")
    let rawInput = try MLDictionaryFeatureProvider(dictionary: ["x": MLMultiArray(MLShapedArray<Float>(scalars: [1, 2, 3], shape: [1, 3]))])
    // guide
    // Sequential inference: preprocessor -> main model -> postprocessor
    let preprocessed = try preprocessor.prediction(from: rawInput)
    let mainOutput = try mainModel.prediction(from: preprocessed)
    let finalOutput = try postprocessor.prediction(from: mainOutput)
    // end
    #expect(finalOutput.featureValue(for: "total")?.shapedArrayValue(of: Float.self)?.scalars == [15])
  }

  // MARK: Tensors and arrays

  @Test func `tensors are made and computed with`() async throws {
    // guide
    // Creation
    let tensor = MLTensor([1.0, 2.0, 3.0, 4.0])
    let zeros = MLTensor(zeros: [3, 224, 224], scalarType: Float.self)
    // Reshaping
    let reshaped = tensor.reshaped(to: [2, 2])
    // Math operations
    let softmaxed = tensor.softmax(alongAxis: -1)
    let centered = tensor - tensor.mean()
    // Interop with MLShapedArray / MLMultiArray
    let shaped = await tensor.shapedArray(of: Float.self)
    let multiArray = try MLMultiArray(shaped)
    let shapedAgain = MLShapedArray<Float>(multiArray)
    // end
    #expect(zeros.shape == [3, 224, 224] && reshaped.shape == [2, 2])
    #expect(await centered.shapedArray(of: Float.self).scalars == [-1.5, -0.5, 0.5, 1.5])
    let expected: [Float] = [0.032058604, 0.08714432, 0.23688282, 0.6439142]
    for (value, other) in zip(await softmaxed.shapedArray(of: Float.self).scalars, expected) { #expect(abs(value - other) < 1e-6) }
    #expect(shapedAgain.scalars == [1, 2, 3, 4] && multiArray.shape == [4])
  }

  @Test func `arrays are written and read`() throws {
    // guide
    // Create a 3D array: [batch, sequence, features]
    let array = try MLMultiArray(shape: [1, 128, 768], dataType: .float32)
    // Write values
    for i in 0..<128 {
      array[[0, i, 0] as [NSNumber]] = NSNumber(value: Float(i))
    }
    // Read values
    let value = array[[0, 0, 0] as [NSNumber]].floatValue
    let data: [Float] = [1.0, 2.0, 3.0]
    let shaped = MLShapedArray(scalars: data, shape: [3])
    let fromShaped = try MLMultiArray(shaped)
    // end
    #expect(value == 0 && array[[0, 127, 0] as [NSNumber]] == 127 && array[127 * 768] == 127)
    #expect(fromShaped.dataType == .float32 && fromShaped[2] == 3)
  }

  // MARK: Pictures

  // guide
  func createPixelBuffer(from cgImage: CGImage, width: Int, height: Int) -> CVPixelBuffer? {
    var pixelBuffer: CVPixelBuffer?
    let attrs: [CFString: Any] = [
      kCVPixelBufferCGImageCompatibilityKey: true,
      kCVPixelBufferCGBitmapContextCompatibilityKey: true,
    ]
    CVPixelBufferCreate(kCFAllocatorDefault, width, height,
                        kCVPixelFormatType_32ARGB, attrs as CFDictionary, &pixelBuffer)
    guard let buffer = pixelBuffer else { return nil }
    CVPixelBufferLockBaseAddress(buffer, [])
    let context = CGContext(
      data: CVPixelBufferGetBaseAddress(buffer),
      width: width, height: height,
      bitsPerComponent: 8, bytesPerRow: CVPixelBufferGetBytesPerRow(buffer),
      space: CGColorSpaceCreateDeviceRGB(),
      bitmapInfo: CGImageAlphaInfo.noneSkipFirst.rawValue
    )
    context?.draw(cgImage, in: CGRect(x: 0, y: 0, width: width, height: height))
    CVPixelBufferUnlockBaseAddress(buffer, [])
    return buffer
  }
  // end

  @Test func `an image becomes a pixel buffer`() throws {
    let buffer = try #require(createPixelBuffer(from: image(pixelBuffer(0, 0, 255, side: 20)), width: 8, height: 8))
    CVPixelBufferLockBaseAddress(buffer, .readOnly)
    let bytes = try #require(CVPixelBufferGetBaseAddress(buffer)).assumingMemoryBound(to: UInt8.self)
    #expect((1..<4).map { bytes[7 * CVPixelBufferGetBytesPerRow(buffer) + 28 + $0] } == [0, 0, 255])
    CVPixelBufferUnlockBaseAddress(buffer, .readOnly)
    let output = try MyImageClassifier(configuration: config).prediction(input: MyImageClassifierInput(image: buffer))
    #expect(output.classLabel == "sky")
  }

  @Test func `Vision classifies`() async throws {
    let modelURL = Self.fixture("MyImageClassifier")
    let cgImage = image(pixelBuffer(0, 255, 0, side: 32))
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }
    // guide
    let model = try MLModel(contentsOf: modelURL, configuration: config)
    let request = CoreMLRequest(model: .init(model))
    let results = try await request.perform(on: cgImage)
    if let classification = results.first as? ClassificationObservation {
      print("\(classification.identifier): \(classification.confidence)")
    }
    // end
    #expect(printed == ["leaf: 1.0"])
  }

  @Test func `Vision finds objects`() throws {
    let model = try MLModel(contentsOf: Self.detector), pixelBuffer = pixelBuffer(255, 0, 0, side: 64)
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }
    // guide
    let vnModel = try VNCoreMLModel(for: model)
    let request = VNCoreMLRequest(model: vnModel) { request, error in
      guard let results = request.results as? [VNRecognizedObjectObservation] else { return }
      for observation in results {
        let label = observation.labels.first?.identifier ?? "unknown"
        let confidence = observation.labels.first?.confidence ?? 0
        let boundingBox = observation.boundingBox // normalized coordinates
        print("\(label): \(confidence) at \(boundingBox)")
      }
    }
    request.imageCropAndScaleOption = .scaleFill
    let handler = VNImageRequestHandler(cvPixelBuffer: pixelBuffer)
    try handler.perform([request])
    // end
    #expect(printed.count == 3 && printed.contains { $0.hasPrefix("star: 3.0 at ") }, "\(printed)")
  }

  /// Finds the same three boxes in every picture.
  private static var detector: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("VisionTests/Fixtures/boxes.mlpackage")
  }

  // MARK: Plans

  @Test func `a plan names operations and their devices`() async throws {
    let modelURL = Self.fixture("Main")
    nonisolated(unsafe) var printed: [String] = []
    func plan() async throws {
      func print(_ text: String) { printed.append(text) }
      // guide
      let computePlan = try await MLComputePlan.load(
        contentsOf: modelURL, configuration: config
      )
      guard case let .program(program) = computePlan.modelStructure else { return }
      guard let mainFunction = program.functions["main"] else { return }
      for operation in mainFunction.block.operations {
        let deviceUsage = computePlan.deviceUsage(for: operation)
        let estimatedCost = computePlan.estimatedCost(of: operation)
        print("\(operation.operatorName): \(String(describing: deviceUsage?.preferred))")
        // end
        if operation.operatorName == "ios16.add" || operation.operatorName == "add" { #expect((estimatedCost?.weight ?? 0) > 0) }
        // guide
      }
      // end
    }
    try await plan()
    #expect(printed.contains { $0.contains("add: Optional(") }, "\(printed)")
  }
}
