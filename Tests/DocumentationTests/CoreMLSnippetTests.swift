#if os(Linux)
  import CoreML
  import Martlet
  import Testing

  /// The code of the documentation's pages, between the marks, as it stands there.
  struct CoreMLSnippetTests {
    private let url = Self.fixture("CoreMLTests/Fixtures/arithmetic.mlpackage")

    private static func fixture(_ path: String) -> URL { Pages.root.appendingPathComponent("Tests").appendingPathComponent(path) }

    @Test func `the landing page's example runs`() throws {
      // page: CoreML
      let model = try MLModel(contentsOf: url)
      let x = MLShapedArray<Float>(scalars: [1, 2, 3], shape: [1, 3])
      let output = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": x, "y": x]))
      if let sum = output.featureValue(for: "sum")?.shapedArrayValue(of: Float.self) { print(sum.scalars) }
      // end
      #expect(output.featureValue(for: "sum")?.shapedArrayValue(of: Float.self)?.scalars == [2, 4, 6])
    }

    @Test func `models are loaded and described`() async throws {
      // page: LoadingAModel
      let configuration = MLModelConfiguration()
      configuration.computeUnits = .cpuOnly
      let model = try await MLModel.load(contentsOf: url, configuration: configuration)
      // end
      // page: LoadingAModel
      for (name, feature) in model.modelDescription.inputDescriptionsByName {
        if let constraint = feature.multiArrayConstraint { print(name, constraint.shape, constraint.dataType) }
      }
      print(model.modelDescription.metadata[.author] ?? "", model.modelDescription.metadata[.creatorDefinedKey] ?? "")
      // end
      #expect(model.modelDescription.inputDescriptionsByName.count == 2)
      // page: LoadingAModel
      let compiled = try await MLModel.compileModel(at: url)
      let kept = FileManager.default.temporaryDirectory.appendingPathComponent("Kept-\(UUID().uuidString).mlmodelc")
      try FileManager.default.moveItem(at: compiled, to: kept)
      let sameModel = try MLModel(contentsOf: kept)
      // end
      #expect(sameModel.modelDescription.description == model.modelDescription.description)
      try FileManager.default.removeItem(at: kept)
      let functions = Self.fixture("CoreMLTests/Fixtures/functions.mlpackage")
      // page: LoadingAModel
      let asset = try MLModelAsset(url: functions)
      configuration.functionName = try await asset.functionNames.first
      let function = try await MLModel.load(asset: asset, configuration: configuration)
      // end
      #expect(function.configuration.functionName == "first")
    }

    @Test func `predictions are made`() async throws {
      let model = try MLModel(contentsOf: url)
      // page: Predicting
      let array = try MLMultiArray(shape: [1, 3], dataType: .float32)
      for index in 0..<array.count { array[index] = NSNumber(value: index) }
      let shaped = MLShapedArray<Float>(repeating: 10, shape: [1, 3])
      let input = try MLDictionaryFeatureProvider(dictionary: ["x": array, "y": shaped])
      let output = try await model.prediction(from: input)
      print(output.featureValue(for: "sum")?.multiArrayValue ?? "nothing")
      // end
      #expect(output.featureValue(for: "sum")?.multiArrayValue?[2] == 12)
      // page: Predicting
      final class Pair: MLFeatureProvider {
        let x: MLShapedArray<Float>
        let y: MLShapedArray<Float>

        init(x: MLShapedArray<Float>, y: MLShapedArray<Float>) {
          self.x = x
          self.y = y
        }

        var featureNames: Set<String> { ["x", "y"] }

        func featureValue(for featureName: String) -> MLFeatureValue? {
          switch featureName {
          case "x": MLFeatureValue(shapedArray: x)
          case "y": MLFeatureValue(shapedArray: y)
          default: nil
          }
        }
      }
      // end
      let pairs = (0..<3).map { Pair(x: MLShapedArray(repeating: Float($0), shape: [1, 3]), y: shaped) }
      func run() throws {
        // page: Predicting
        let options = MLPredictionOptions()
        let sum = try MLMultiArray(shape: [1, 3], dataType: .float32)
        options.outputBackings = ["sum": sum]
        _ = try model.prediction(from: Pair(x: shaped, y: shaped), options: options)
        // end
        #expect(sum[0] == 20)
        // page: Predicting
        let outputs = try model.predictions(fromBatch: MLArrayBatchProvider(array: pairs))
        for index in 0..<outputs.count { print(outputs.features(at: index).featureNames) }
        // end
        #expect(outputs.count == 3)
        // page: Predicting
        do {
          _ = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": shaped]))
        } catch MLModelError.featureType {
          print("a feature does not fit")
        } catch let error as MLModelError {
          print(error.code, error.localizedDescription)
        }
        // end
        #expect(throws: MLModelError.self) { try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": shaped])) }
      }
      try run()
    }

    @Test func `a decoder runs with its state`() throws {
      let url = Self.fixture("CoreMLTests/Fixtures/decoder.mlpackage")
      // page: States
      let decoder = try MLModel(contentsOf: url)
      let state = decoder.makeState()
      var token: Int32 = 1
      for step in 1...8 {
        let output = try decoder.prediction(
          from: MLDictionaryFeatureProvider(dictionary: [
            "token": MLShapedArray(scalars: [token], shape: [1, 1]),
            "mask": MLShapedArray<Float16>(repeating: 0, shape: [1, 1, 1, step]),
          ]), using: state)
        guard let logits = output.featureValue(for: "logits")?.shapedArrayValue(of: Float16.self)?.scalars else { break }
        token = Int32(logits.indices.max { logits[$0] < logits[$1] } ?? 0)
      }
      // end
      // The tests of states compare the logits with torch's.
      #expect(token == 5)
      // page: States
      let first = state.withMultiArray(for: "keys") { keys in keys[[0, 0, 0, 0]].floatValue }
      state.withMultiArray(for: "keys") { keys in
        keys.withUnsafeMutableBytes { bytes, _ in _ = bytes.initializeMemory(as: UInt8.self, repeating: 0) }
      }
      // end
      #expect(first != 0 && state.withMultiArray(for: "keys") { $0[[0, 0, 0, 0]] } == 0)
    }

    @Test func `pictures are read, drawn into and written`() throws {
      let photo = Self.fixture("Fixtures/photos/chelsea.jpg")
      let result = FileManager.default.temporaryDirectory.appendingPathComponent("Drawing-\(UUID().uuidString).png")
      var isFinished = false
      defer {
        #expect(isFinished)
        try? FileManager.default.removeItem(at: result)
      }
      // page: Pictures
      guard let source = CGImageSourceCreateWithURL(photo as CFURL, nil) else { return }
      let thumbnail = CGImageSourceCreateThumbnailAtIndex(
        source, 0,
        [
          kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: true,
          kCGImageSourceThumbnailMaxPixelSize: 64,
        ] as CFDictionary)
      // end
      // page: Pictures
      guard let image = thumbnail,
        let context = CGContext(
          data: nil, width: image.width, height: image.height, bitsPerComponent: 8, bytesPerRow: 0, space: CGColorSpaceCreateDeviceRGB(),
          bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
      else { return }
      context.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
      context.setStrokeColor(CGColor(red: 1, green: 0, blue: 0, alpha: 1))
      context.stroke(CGRect(x: 8, y: 8, width: 24, height: 16), width: 2)
      // end
      // page: Pictures
      guard let drawing = context.makeImage(),
        let destination = CGImageDestinationCreateWithURL(result as CFURL, "public.png" as CFString, 1, nil)
      else { return }
      CGImageDestinationAddImage(destination, drawing, nil)
      let isWritten = CGImageDestinationFinalize(destination)
      // end
      #expect(isWritten)
      let written = try #require(CGImageSourceCreateWithURL(result as CFURL, nil).flatMap { CGImageSourceCreateImageAtIndex($0, 0, nil) })
      #expect(max(written.width, written.height) == 64 && written.width == drawing.width && written.height == drawing.height)
      // A red pixel of the rectangle's lower edge, 8 above the lower border.
      let data = try #require(written.dataProvider?.data) as Data
      let pixel = data.startIndex + (written.height - 9) * written.bytesPerRow + 16 * written.bitsPerPixel / 8
      #expect(Array(data[pixel..<pixel + 3]) == [255, 0, 0])
      isFinished = true
    }

    @Test func `images go in and come out`() throws {
      let url = Self.fixture("CoreMLTests/Fixtures/rgb.mlpackage")
      let picture = Self.fixture("MartletMediaTests/Fixtures/baseline.jpg")
      // The page's code returns early where something is missing.
      var piecesRun = 0
      defer { #expect(piecesRun == 3) }
      // page: Images
      let model = try MLModel(contentsOf: url)
      guard let constraint = model.modelDescription.inputDescriptionsByName["picture"]?.imageConstraint else { return }
      let value = try MLFeatureValue(imageAt: picture, constraint: constraint, options: [.cropAndScale: 0])
      let output = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["picture": value]))
      let negative = output.featureValue(for: "negative")?.imageBufferValue
      // end
      #expect(negative != nil)
      piecesRun += 1
      // page: Images
      guard let source = CGImageSourceCreateWithURL(picture as CFURL, nil),
        let image = CGImageSourceCreateImageAtIndex(source, 0, nil)
      else { return }
      let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any]
      let stated = (properties?[kCGImagePropertyOrientation] as? UInt32).flatMap(CGImagePropertyOrientation.init) ?? .up
      let feature = try MLFeatureValue(cgImage: image, orientation: stated, constraint: constraint)
      // end
      #expect(feature.type == .image)
      piecesRun += 1
      // page: Images
      var buffer: CVPixelBuffer?
      CVPixelBufferCreate(kCFAllocatorDefault, 4, 3, kCVPixelFormatType_32BGRA, nil, &buffer)
      guard let buffer else { return }
      CVPixelBufferLockBaseAddress(buffer, [])
      memset(CVPixelBufferGetBaseAddress(buffer), 128, CVPixelBufferGetDataSize(buffer))
      CVPixelBufferUnlockBaseAddress(buffer, [])
      let gray = MLFeatureValue(pixelBuffer: buffer)
      // end
      piecesRun += 1
      #expect(constraint.pixelsWide == 4 && model.modelDescription.inputDescriptionsByName["picture"]?.isAllowedValue(gray) == true)
    }

    @Test func `tensors are computed with`() async throws {
      // page: ComputingWithTensors
      let x = MLTensor(shape: [2, 3], scalars: [1, 2, 3, 4, 5, 6], scalarType: Float.self)
      let y = (0.5 * x + 1).softmax(alongAxis: -1)
      let best = y.argmax(alongAxis: -1)
      print(await best.shapedArray(of: Int32.self).scalars)  // [2, 2]
      // end
      #expect(await best.shapedArray(of: Int32.self).scalars == [2, 2])
      let model = try MLModel(contentsOf: url)
      // page: ComputingWithTensors
      let row = x[0].expandingShape(at: 0)
      let outputs = try await model.prediction(from: ["x": row, "y": row])
      if let sum = outputs["sum"] { print(await (sum * 2).shapedArray(of: Float.self).scalars) }  // [4, 8, 12]
      // end
      #expect(await outputs["sum"]?.shapedArray(of: Float.self).scalars == [2, 4, 6])
    }

    @Test func `what a model costs`() async throws {
      // page: ComputingWithTensors
      let plan = try await MLComputePlan.load(contentsOf: url, configuration: MLModelConfiguration())
      if case .program(let program) = plan.modelStructure, let main = program.functions["main"] {
        for operation in main.block.operations {
          print(operation.operatorName, plan.estimatedCost(of: operation)?.weight ?? 0)
        }
      }
      // end
      guard case .program(let program) = plan.modelStructure, let main = program.functions["main"] else {
        Issue.record("the model's structure is not a program with a function main")
        return
      }
      #expect(main.block.operations.map(\.operatorName).contains("add"))
      #expect(main.block.operations.reduce(0) { $0 + (plan.estimatedCost(of: $1)?.weight ?? 0) } > 0)
    }

    @Test func `custom models run`() throws {
      let url = Self.fixture("Fixtures/outside/custom_documented.mlmodel")
      // page: CustomAndLinkedModels
      final class Magnifier: MLCustomModel {
        let factor: Double

        init(modelDescription: MLModelDescription, parameters: [String: Any]) throws {
          factor = parameters["factor"] as? Double ?? 2
        }

        func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws -> any MLFeatureProvider {
          guard let x = input.featureValue(for: "x")?.shapedArrayValue(of: Double.self) else { throw MLModelError(.customModel) }
          let y = MLShapedArray(scalars: x.scalars.map { factor * $0 }, shape: x.shape)
          return try MLDictionaryFeatureProvider(dictionary: ["y": y, "size": x.scalarCount])
        }
      }
      // end
      // page: CustomAndLinkedModels
      ClassNames.register(Magnifier.self, as: "Magnifier")
      let model = try MLModel(contentsOf: url)
      let result = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": MLMultiArray([1, 2, 3]), "text": ""]))
      // end
      #expect(result.featureValue(for: "y")?.shapedArrayValue(of: Double.self)?.scalars == [2.5, 5, 7.5])
    }

    @Test func `linked models are placed`() throws {
      let url = Self.fixture("Fixtures/outside/link_pipeline.mlmodel")
      let folder = Self.fixture("Fixtures/outside")
      // page: CustomAndLinkedModels
      let configuration = MLModelConfiguration()
      configuration.parameters = [
        .linkedModelFileName.scoped(to: "first"): "other.mlmodel",
        .linkedModelSearchPath.scoped(to: "first"): folder.path,
      ]
      let model = try MLModel(contentsOf: url, configuration: configuration)
      // end
      let result = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": MLMultiArray([1, 2, 3])]))
      #expect(result.featureValue(for: "y")?.doubleValue == 12)
    }

    @Test(arguments: [
      "CoreML", "LoadingAModel", "Predicting", "States", "Images", "Pictures", "ComputingWithTensors", "CustomAndLinkedModels",
    ])
    func `the code of a page is the code that is tested`(page: String) throws {
      try Pages.check("Sources/CoreML/CoreML.docc/\(page).md", page: page, testedIn: #filePath)
    }
  }
#endif
