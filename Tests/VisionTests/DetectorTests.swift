import Testing
import Vision

/// A detector that finds rectangles of red, green and blue.
struct DetectorTests {
  private let red = CGRect(x: 200, y: 60, width: 120, height: 90)
  private let green = CGRect(x: 330, y: 160, width: 60, height: 120)

  /// The rectangle in the picture's extents, from the lower left.
  private func normalized(_ rect: CGRect, _ width: Int, _ height: Int) -> CGRect {
    CGRect(
      x: rect.origin.x / CGFloat(width), y: 1 - rect.maxY / CGFloat(height), width: rect.width / CGFloat(width),
      height: rect.height / CGFloat(height))
  }

  private func expectClose(_ found: CGRect, _ expected: CGRect, _ tolerance: CGFloat, _ comment: String) {
    let differences = [
      found.minX - expected.minX, found.minY - expected.minY, found.maxX - expected.maxX, found.maxY - expected.maxY,
    ].map(abs)
    #expect(differences.max()! <= tolerance, "\(comment): \(found), not \(expected)")
  }

  private func objects(_ request: VNCoreMLRequest) throws -> [String: CGRect] {
    let found = try #require(request.results as? [VNRecognizedObjectObservation])
    return Dictionary(uniqueKeysWithValues: found.map { ($0.labels[0].identifier, $0.boundingBox) })
  }

  @Test(arguments: [VNImageCropAndScaleOption.centerCrop, .scaleFit, .scaleFill, .scaleFitRotate90CCW, .scaleFillRotate90CCW])
  func `a detector finds the same objects however the picture is scaled`(option: VNImageCropAndScaleOption) throws {
    let (width, height) = (640, 360)
    let request = try Pictures.request("colors", option)
    try VNImageRequestHandler(cvPixelBuffer: Pictures.shapes(width, height, red: red, green: green)).perform([request])
    let found = try objects(request)
    #expect(found.count == 2)
    // Half a pixel of the model's input, in pixels of the picture.
    expectClose(found["red"] ?? .null, normalized(red, width, height), 0.01, "\(option)")
    expectClose(found["green"] ?? .null, normalized(green, width, height), 0.01, "\(option)")
  }

  @Test(arguments: (1...8).map { CGImagePropertyOrientation(rawValue: $0)! })
  func `boxes lie in the upright picture`(orientation: CGImagePropertyOrientation) throws {
    // The stored picture of an upright one of 200 x 400 with a rectangle near the upper left.
    let upright = CGRect(x: 20, y: 40, width: 50, height: 80)
    let (width, height) = orientation.rawValue >= 5 ? (400, 200) : (200, 400)
    let stored = Pictures.buffer(width, height) { x, y in
      let place: (Int, Int) =
        switch orientation {
        case .up: (x, y)
        case .upMirrored: (width - 1 - x, y)
        case .down: (width - 1 - x, height - 1 - y)
        case .downMirrored: (x, height - 1 - y)
        case .leftMirrored: (y, x)
        case .right: (height - 1 - y, x)
        case .rightMirrored: (height - 1 - y, width - 1 - x)
        case .left: (y, width - 1 - x)
        }
      return (upright.contains(CGPoint(x: Double(place.0) + 0.5, y: Double(place.1) + 0.5)) ? 255 : 0, 0, 0)
    }
    let request = try Pictures.request("colors", .scaleFit)
    try VNImageRequestHandler(cvPixelBuffer: stored, orientation: orientation, options: [:]).perform([request])
    expectClose(try objects(request)["red"] ?? .null, normalized(upright, 200, 400), 0.01, "\(orientation)")
  }

  @Test func `boxes in a region of interest are normalised to it`() throws {
    let (width, height) = (640, 360)
    let request = try Pictures.request("colors", .scaleFill)
    request.regionOfInterest = CGRect(x: 0.25, y: 0.5, width: 0.5, height: 0.5)
    try VNImageRequestHandler(cvPixelBuffer: Pictures.shapes(width, height, red: red)).perform([request])
    let box = try #require(try objects(request)["red"])
    let inPicture = VNImageRectForNormalizedRectUsingRegionOfInterest(box, width, height, request.regionOfInterest)
    expectClose(inPicture, CGRect(x: 200, y: 360 - 150, width: 120, height: 90), 4, "in pixels")
  }

  @Test func `an object has all labels, the most confident one first, with confidences as they are`() throws {
    let request = try Pictures.request("boxes")
    try VNImageRequestHandler(cvPixelBuffer: Pictures.plain(0, 0, 0)).perform([request])
    let found = try #require(request.results as? [VNRecognizedObjectObservation])
    // In the order of the suppression: by the best confidence.
    #expect(
      found.map { $0.labels.map(\.identifier) } == [
        ["star", "square", "circle"], ["square", "star", "circle"], ["circle", "star", "square"],
      ])
    #expect(found.map { $0.labels.map(\.confidence) } == [[3, 0.375, 0.25], [0.75, 0.5, 0.125], [0.625, 0.5, 0.25]])
    #expect(found.map(\.confidence) == [3, 0.75, 0.625])
  }

  @Test func `thresholds come from the feature provider`() throws {
    let model = try VNCoreMLModel(for: Pictures.model("boxes"))
    #expect(model.featureProvider == nil)
    model.featureProvider = try MLDictionaryFeatureProvider(dictionary: ["confidenceThreshold": 0.7])
    let request = VNCoreMLRequest(model: model)
    let handler = VNImageRequestHandler(cvPixelBuffer: Pictures.plain(0, 0, 0))
    try handler.perform([request])
    #expect(request.results?.count == 2)
    model.featureProvider = try MLDictionaryFeatureProvider(dictionary: ["confidenceThreshold": 2.0])
    try handler.perform([request])
    #expect(request.results?.count == 1)
  }

  @Test func `threads share one model`() async throws {
    let model = try VNCoreMLModel(for: Pictures.model("colors"))
    struct Shared: @unchecked Sendable { let model: VNCoreMLModel }
    let shared = Shared(model: model)
    let wrong = await withTaskGroup(of: Int.self) { group in
      for thread in 0..<8 {
        group.addTask {
          var wrong = 0
          for round in 0..<12 {
            let (width, height) = (100 + 10 * thread, 80 + 10 * round)
            let object = CGRect(x: 10 + thread, y: 20 + round, width: 40, height: 30)
            let request = VNCoreMLRequest(model: shared.model)
            request.imageCropAndScaleOption = round % 2 == 0 ? .scaleFill : .scaleFit
            let handler = VNImageRequestHandler(cvPixelBuffer: Pictures.shapes(width, height, blue: object))
            try? handler.perform([request])
            let box = (request.results?.first as? VNRecognizedObjectObservation)?.boundingBox ?? .null
            let expected = CGRect(
              x: object.minX / CGFloat(width), y: 1 - object.maxY / CGFloat(height), width: 40 / CGFloat(width),
              height: 30 / CGFloat(height))
            if abs(box.minX - expected.minX) > 0.02 || abs(box.minY - expected.minY) > 0.02 || abs(box.maxX - expected.maxX) > 0.02 {
              wrong += 1
            }
          }
          return wrong
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
  }
}
