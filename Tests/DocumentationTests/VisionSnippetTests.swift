#if os(Linux)
  import Testing
  import Vision

  /// The code of the documentation's pages, between the marks, as it stands there.
  struct VisionSnippetTests {
    private let photo = Pages.root.appendingPathComponent("Tests/Fixtures/photos/chelsea.jpg")

    private func model(_ name: String) -> URL { Pages.root.appendingPathComponent("Tests/VisionTests/Fixtures/\(name).mlpackage") }

    @Test func `the landing page's example classifies`() throws {
      let url = model("classifier")
      // page: Vision
      let model = try VNCoreMLModel(for: MLModel(contentsOf: url))
      let request = VNCoreMLRequest(model: model)
      try VNImageRequestHandler(url: photo).perform([request])
      let classes = request.results as? [VNClassificationObservation] ?? []
      for best in classes.prefix(3) { print(best.identifier, best.confidence) }
      // end
      #expect(classes.count > 1 && classes[0].confidence >= classes[1].confidence)
    }

    @Test func `objects are found and drawn`() async throws {
      let url = model("boxes")
      var isFinished = false
      defer { #expect(isFinished) }
      // page: DetectingObjects
      let model = try VNCoreMLModel(for: MLModel(contentsOf: url))
      let request = VNCoreMLRequest(model: model)
      request.imageCropAndScaleOption = .scaleFit
      try VNImageRequestHandler(url: photo).perform([request])
      let objects = request.results as? [VNRecognizedObjectObservation] ?? []
      // end
      #expect(objects.map { $0.labels[0].identifier } == ["star", "square", "circle"])
      // page: DetectingObjects
      model.featureProvider = try MLDictionaryFeatureProvider(dictionary: ["confidenceThreshold": 0.7])
      // end
      // page: DetectingObjects
      guard let source = CGImageSourceCreateWithURL(photo as CFURL, nil), let image = CGImageSourceCreateImageAtIndex(source, 0, nil),
        let context = CGContext(
          data: nil, width: image.width, height: image.height, bitsPerComponent: 8, bytesPerRow: 0, space: CGColorSpaceCreateDeviceRGB(),
          bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
      else { return }
      context.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
      context.setStrokeColor(CGColor(red: 1, green: 0.2, blue: 0.2, alpha: 1))
      for object in objects {
        let box = VNImageRectForNormalizedRect(object.boundingBox, image.width, image.height)
        context.stroke(box, width: 3)
        print(object.labels[0].identifier, object.confidence, box)
      }
      let drawing = context.makeImage()
      // end
      #expect(drawing?.width == image.width)
      // page: DetectingObjects
      let container = try CoreMLModelContainer(model: MLModel(contentsOf: url))
      var detection = CoreMLRequest(model: container)
      detection.cropAndScaleAction = .scaleToFit
      let found = try await detection.perform(on: photo).compactMap { $0 as? RecognizedObjectObservation }
      for object in found { print(object.labels[0].identifier, object.boundingBox.toImageCoordinates(CGSize(width: 640, height: 480))) }
      // end
      #expect(found.map { $0.labels[0].identifier } == ["star", "square", "circle"])
      #expect(zip(found, objects).allSatisfy { abs($0.boundingBox.cgRect.minX - $1.boundingBox.minX) < 1e-6 })
      isFinished = true
    }

    @Test(arguments: ["Vision", "DetectingObjects"])
    func `the code of a page is the code that is tested`(page: String) throws {
      try Pages.check("Sources/Vision/Vision.docc/\(page).md", page: page, testedIn: #filePath)
    }
  }
#endif
