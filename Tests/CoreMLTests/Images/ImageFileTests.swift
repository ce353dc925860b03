import CoreML
import Testing

/// Pictures of files as features.
struct ImageFileTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("MartletMediaTests/Fixtures")

  private func file(_ name: String) -> URL { Self.fixtures.appendingPathComponent(name) }

  /// Red, green and blue of a picture's pixels, row by row.
  private func colors(_ value: MLFeatureValue) throws -> [[Int]] {
    let buffer = try #require(value.imageBufferValue)
    CVPixelBufferLockBaseAddress(buffer, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
    return (0..<CVPixelBufferGetHeight(buffer)).flatMap { y in
      let row = CVPixelBufferGetBaseAddress(buffer).assumingMemoryBound(to: UInt8.self) + y * CVPixelBufferGetBytesPerRow(buffer)
      return (0..<CVPixelBufferGetWidth(buffer)).map { x in [2, 1, 0].map { Int(row[4 * x + $0]) } }
    }
  }

  /// A picture file of 4 x 2: a column each of red, green, blue and white, but for the lower left pixel, which is black.
  private func columns() throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".ppm")
    let row: [UInt8] = [200, 0, 0, 0, 200, 0, 0, 0, 200, 200, 200, 200]
    try (Data("P6 4 2 255\n".utf8) + Data(row) + Data([0, 0, 0] + row.dropFirst(3))).write(to: url)
    return url
  }

  private let red = [200, 0, 0]
  private let green = [0, 200, 0]
  private let blue = [0, 0, 200]
  private let white = [200, 200, 200]
  private let black = [0, 0, 0]

  private func fitted(
    _ url: URL, _ width: Int, _ height: Int, _ options: [MLFeatureValue.ImageOption: Any]? = nil
  ) throws -> [[Int]] {
    try colors(
      MLFeatureValue(
        imageAt: url, pixelsWide: width, pixelsHigh: height, pixelFormatType: kCVPixelFormatType_32BGRA, options: options))
  }

  @Test func `a picture file fits the constraint of a feature`() throws {
    for (name, format) in [("rgb.mlpackage", kCVPixelFormatType_32BGRA), ("gray.mlpackage", kCVPixelFormatType_OneComponent8)] {
      let model = try Fixture.model(name)
      let constraint = try #require(model.modelDescription.inputDescriptionsByName["picture"]?.imageConstraint)
      for picture in ["rgb.png", "gray.png", "palette.png", "baseline.jpg"] {
        let value = try MLFeatureValue(imageAt: file(picture), constraint: constraint)
        let buffer = try #require(value.imageBufferValue)
        #expect(CVPixelBufferGetWidth(buffer) == 4 && CVPixelBufferGetHeight(buffer) == 3)
        #expect(CVPixelBufferGetPixelFormatType(buffer) == format)
        let output = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["picture": value]))
        #expect(Set(try #require(floats(output, "samples"))).count > 1)
      }
    }
  }

  @Test func `a picture in the size that it has keeps its pixels`() throws {
    let url = try columns()
    defer { try? FileManager.default.removeItem(at: url) }
    #expect(try fitted(url, 4, 2) == [red, green, blue, white, black, green, blue, white])
    let half = try MLFeatureValue(imageAt: url, pixelsWide: 4, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_OneComponent16Half)
    let buffer = try #require(half.imageBufferValue)
    let array = MLMultiArray(pixelBuffer: buffer, shape: [2, 4])
    // Luma of white and black, from 0 to 1.
    #expect(abs(array[3].floatValue - 200 / 255) < 1e-3 && array[4] == 0)
    let rgb = try MLFeatureValue(imageAt: url, pixelsWide: 4, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_24RGB)
    let pixels = CVPixelBufferGetBaseAddress(try #require(rgb.imageBufferValue)).assumingMemoryBound(to: UInt8.self)
    #expect((0..<6).map { Int(pixels[$0]) } == red + green)
  }

  @Test func `the orientation is the file's or the caller's`() throws {
    func picture(_ name: String, _ orientation: CGImagePropertyOrientation? = nil) throws -> [[Int]] {
      let (width, height) = (24, 16)
      guard let orientation else { return try fitted(file(name), width, height) }
      return try colors(
        MLFeatureValue(
          imageAt: file(name), orientation: orientation, pixelsWide: width, pixelsHigh: height,
          pixelFormatType: kCVPixelFormatType_32BGRA))
    }
    // The same pixels are stored eight times, each with its own orientation.
    var pictures: Set<[[Int]]> = []
    for number in 1...8 {
      let stated = try picture("orientation_\(number).jpg")
      let orientation = try #require(CGImagePropertyOrientation(rawValue: UInt32(number)))
      #expect(try picture("orientation_1.jpg", orientation) == stated && picture("orientation_8.jpg", orientation) == stated)
      pictures.insert(stated)
      let png = try picture("orientation_\(number).png")
      #expect(try picture("orientation_1.png", orientation) == png && picture("orientation_8.png", orientation) == png)
      pictures.insert(png)
    }
    #expect(pictures.count == 16)
    let url = try columns()
    defer { try? FileManager.default.removeItem(at: url) }
    let constraint = try #require(try Fixture.model("rgb.mlpackage").modelDescription.inputDescriptionsByName["picture"]?.imageConstraint)
    let turned = try MLFeatureValue(imageAt: url, orientation: .down, constraint: constraint)
    // White comes first now, and black in the upper right corner.
    #expect(try colors(turned)[0] == white && colors(turned)[3] == black && colors(turned)[11] == red)
  }

  @Test func `the crop rectangle and the scaling say which part of a picture is where`() throws {
    let url = try columns()
    defer { try? FileManager.default.removeItem(at: url) }
    // The origin is the lower left corner.
    let lowerLeft = CGRect(x: 0, y: 0, width: 0.5, height: 0.5)
    #expect(try fitted(url, 2, 1, [.cropRect: lowerLeft]) == [black, green])
    #expect(try fitted(url, 2, 1, [.cropRect: CGRect(x: 0.5, y: 0.5, width: 0.5, height: 0.5)]) == [blue, white])
    func scaled(_ option: Int, _ width: Int, _ height: Int, _ crop: CGRect? = nil) throws -> [[Int]] {
      try fitted(url, width, height, crop.map { [.cropAndScale: option, .cropRect: $0] } ?? [.cropAndScale: option])
    }
    // The middle square; the whole between bars; the whole; and the two last after a quarter turn counterclockwise.
    #expect(try scaled(0, 2, 2) == [green, blue, green, blue])
    let bar = [black, black, black, black]
    #expect(try scaled(1, 4, 4) == bar + [red, green, blue, white] + [black, green, blue, white] + bar)
    let wide = try scaled(2, 8, 2)
    #expect(wide[0] == red && wide[7] == white && wide[8] == black && wide[3] != black)
    #expect(try scaled(0x102, 2, 4) == [white, white, blue, blue, green, green, red, black])
    #expect(try scaled(0x101, 4, 4).prefix(4) == [black, white, white, black])
    #expect(try scaled(0, 1, 1, CGRect(x: 0.75, y: 0, width: 0.25, height: 1)) == [white])
    // Other types of the same number.
    #expect(try fitted(url, 2, 2, [.cropAndScale: NSNumber(value: 0)]) == fitted(url, 2, 2, [.cropAndScale: UInt(0)]))
    #expect(MLFeatureValue.ImageOption(rawValue: MLFeatureValue.ImageOption.cropRect.rawValue) == .cropRect)
  }

  @Test func `transparent pixels are drawn on black`() throws {
    let value = try fitted(file("palette_transparent.png"), 8, 8)
    #expect(Set(value).count > 1)
    let opaque = try fitted(file("rgba.png"), 8, 8)
    #expect(opaque.joined().contains { $0 < 100 })
  }

  @Test func `files that are no pictures, and options that cannot be, are errors`() throws {
    func code(
      _ url: URL, _ width: Int = 4, _ format: OSType = kCVPixelFormatType_32BGRA, _ options: [MLFeatureValue.ImageOption: Any]? = nil
    ) -> MLModelError.Code? {
      thrown { _ = try MLFeatureValue(imageAt: url, pixelsWide: width, pixelsHigh: 4, pixelFormatType: format, options: options) }?.code
    }
    let picture = file("rgb.png")
    #expect(code(picture) == nil)
    #expect(code(URL(fileURLWithPath: "/nowhere.png")) == .io && code(URL(string: "https://example.org/a.png")!) == .io)
    #expect(code(file("numpy_plain.npz")) == .io)
    #expect(code(picture, 0) == .generic && code(picture, 4, 5) == .generic)
    #expect(code(picture, 4, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange) == .generic)
    #expect(code(picture, 4, kCVPixelFormatType_32BGRA, [.cropRect: "all"]) == .generic)
    #expect(code(picture, 4, kCVPixelFormatType_32BGRA, [.cropRect: CGRect(x: 0.5, y: 0, width: 0.6, height: 1)]) == .generic)
    #expect(code(picture, 4, kCVPixelFormatType_32BGRA, [.cropAndScale: 3]) == .generic)
    #expect(code(picture, 4, kCVPixelFormatType_32BGRA, [.cropAndScale: "fit"]) == .generic)
  }
}
