import Testing
import Vision

/// Random pictures with what NumPy and Pillow say about them.
struct RecordedCaseTests {
  struct Case: Codable, CustomTestStringConvertible {
    var width: Int
    var height: Int
    var orientation: UInt32
    var region: [Double]
    var option: UInt
    var kind: String
    var expected: [Double]

    var testDescription: String { "\(kind) \(width)x\(height) orientation \(orientation) option \(option) region \(region)" }
  }

  private let cases: [Case]

  init() throws {
    let url = try #require(Bundle.module.url(forResource: "cases", withExtension: "json", subdirectory: "Fixtures"))
    cases = try JSONDecoder().decode([Case].self, from: try Data(contentsOf: url))
    try #require(cases.count == 200)
  }

  private let actions: [UInt: ImageCropAndScaleAction] = [
    0: .centerCrop, 1: .scaleToFit, 2: .scaleToFill, 0x101: .scaleToFitPlus90CCWRotation, 0x102: .scaleToFillPlus90CCWRotation,
  ]

  /// Samples differ where the axes are resampled in another order.
  private func tolerance(_ kind: String) -> Double { ["boxes": 1e-4, "classifier": 2.0 / 255, "negative": 2][kind] ?? 1 }

  private func check(_ found: [Double], _ expected: Case, _ interface: String) {
    #expect(found.count == expected.expected.count)
    let worst = zip(found, expected.expected).map { abs($0 - $1) }.max() ?? 0
    #expect(worst <= tolerance(expected.kind), "\(interface), \(expected.testDescription): \(found), not \(expected.expected)")
  }

  @Test func `boxes, classes, pictures and values of 200 random cases are those of another implementation`() async throws {
    var models: [String: MLModel] = [:]
    for name in Set(cases.map(\.kind)) { models[name] = try Pictures.model(name) }
    for expected in cases {
      let model = try #require(models[expected.kind])
      let buffer = Pictures.recorded(expected.width, expected.height)
      let orientation = try #require(CGImagePropertyOrientation(rawValue: expected.orientation))
      let region = CGRect(x: expected.region[0], y: expected.region[1], width: expected.region[2], height: expected.region[3])

      let request = VNCoreMLRequest(model: try VNCoreMLModel(for: model))
      request.imageCropAndScaleOption = try #require(VNImageCropAndScaleOption(rawValue: expected.option))
      request.regionOfInterest = region
      try perform(request, on: buffer, orientation)
      check(classic(try #require(request.results), expected.kind), expected, "classic")

      var other = CoreMLRequest(model: try CoreMLModelContainer(model: model))
      other.cropAndScaleAction = try #require(actions[expected.option])
      other.regionOfInterest = NormalizedRect(normalizedRect: region)
      check(new(try await other.perform(on: buffer, orientation: orientation), expected.kind), expected, "new")
    }
  }

  private func perform(_ request: VNRequest, on buffer: CVPixelBuffer, _ orientation: CGImagePropertyOrientation) throws {
    try VNImageRequestHandler(cvPixelBuffer: buffer, orientation: orientation).perform([request])
  }

  /// Boxes come back in the order of their confidence; the recorded ones have that of the model.
  private func inOrder(_ boxes: [(label: String, rect: CGRect)]) -> [Double] {
    ["square", "circle", "star"].compactMap { label in boxes.first { $0.label == label }?.rect }.flatMap { rect in
      [rect.origin.x, rect.origin.y, rect.size.width, rect.size.height].map { Double($0) }
    }
  }

  private let corners = [(1, 1), (38, 1), (1, 22), (38, 22), (20, 12)]

  private func classic(_ observations: [VNObservation], _ kind: String) -> [Double] {
    switch kind {
    case "boxes":
      let objects = observations.compactMap { $0 as? VNRecognizedObjectObservation }
      return inOrder(objects.map { ($0.labels[0].identifier, $0.boundingBox) })
    case "classifier":
      let found = observations.compactMap { $0 as? VNClassificationObservation }
      return ["red", "green", "blue"].compactMap { name in found.first { $0.identifier == name }.map { Double($0.confidence) } }
    case "negative":
      guard let buffer = (observations.first as? VNPixelBufferObservation)?.pixelBuffer else { return [] }
      return corners.flatMap { pixel(buffer, $0.0, $0.1) }
    default:
      let value = observations.compactMap { $0 as? VNCoreMLFeatureValueObservation }.first { $0.featureName == "quarters" }
      return numbers(value?.featureValue.multiArrayValue)
    }
  }

  private func new(_ observations: [any VisionObservation], _ kind: String) -> [Double] {
    switch kind {
    case "boxes":
      let objects = observations.compactMap { $0 as? RecognizedObjectObservation }
      return inOrder(objects.map { ($0.labels[0].identifier, $0.boundingBox.cgRect) })
    case "classifier":
      let found = observations.compactMap { $0 as? ClassificationObservation }
      return ["red", "green", "blue"].compactMap { name in found.first { $0.identifier == name }.map { Double($0.confidence) } }
    case "negative":
      guard let observation = observations.first as? PixelBufferObservation else { return [] }
      let rowByteCount = observation.cgImage.bytesPerRow
      return observation.withUnsafePointer { base in
        corners.flatMap { column, row in
          [2, 1, 0].map { Double(base.load(fromByteOffset: row * rowByteCount + 4 * column + $0, as: UInt8.self)) }
        }
      }
    default:
      let value = observations.compactMap { $0 as? CoreMLFeatureValueObservation }.first { $0.featureName == "quarters" }
      return value?.featureValue.shapedArrayValue(of: Float.self)?.scalars.map { Double($0) } ?? []
    }
  }
}
