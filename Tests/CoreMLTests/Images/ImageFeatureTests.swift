import CoreML
import Testing

/// Images of Core Graphics as features.
struct ImageFeatureTests {
  /// Two by two pixels: red and green over blue and a half transparent white.
  private func image(_ space: CFString = CGColorSpace.sRGB) throws -> CGImage {
    let pixels: [UInt8] = [200, 0, 0, 255, 0, 200, 0, 255, 0, 0, 200, 255, 255, 255, 255, 128]
    let space = try #require(CGColorSpace(name: space))
    let provider = try #require(CGDataProvider(data: Data(pixels) as CFData))
    return try #require(
      CGImage(
        width: 2, height: 2, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: 8, space: space,
        bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.last.rawValue), provider: provider, decode: nil, shouldInterpolate: true,
        intent: .defaultIntent))
  }

  private func colors(_ value: MLFeatureValue) throws -> [[Int]] {
    let buffer = try #require(value.imageBufferValue)
    CVPixelBufferLockBaseAddress(buffer, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
    return (0..<CVPixelBufferGetHeight(buffer)).flatMap { y in
      let row = CVPixelBufferGetBaseAddress(buffer).assumingMemoryBound(to: UInt8.self) + y * CVPixelBufferGetBytesPerRow(buffer)
      return (0..<CVPixelBufferGetWidth(buffer)).map { x in [2, 1, 0].map { Int(row[4 * x + $0]) } }
    }
  }

  @Test func `an image is a feature, in sRGB, as its constraint says`() throws {
    let image = try image()
    let value = try MLFeatureValue(cgImage: image, pixelsWide: 2, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32BGRA)
    // White is half transparent over black.
    #expect(try colors(value) == [[200, 0, 0], [0, 200, 0], [0, 0, 200], [128, 128, 128]])
    let constraint = try #require(try Fixture.model("rgb.mlpackage").modelDescription.inputDescriptionsByName["picture"]?.imageConstraint)
    let fitted = try #require(try MLFeatureValue(cgImage: image, constraint: constraint).imageBufferValue)
    #expect(CVPixelBufferGetWidth(fitted) == constraint.pixelsWide && CVPixelBufferGetHeight(fitted) == constraint.pixelsHigh)
    // Display P3's red is more than sRGB has.
    let wide = try MLFeatureValue(
      cgImage: try self.image(CGColorSpace.displayP3), pixelsWide: 2, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32BGRA)
    #expect(try colors(wide)[0][0] > 210)
  }

  @Test(arguments: ["ranged_image", "listed_image"])
  func `a constraint stands for the default of several sizes; the caller chooses another`(_ name: String) throws {
    let model = try Fixture.model(name + ".mlpackage")
    let constraint = try #require(model.modelDescription.inputDescriptionsByName["picture"]?.imageConstraint)
    #expect(constraint.pixelsWide == 4 && constraint.pixelsHigh == 3)
    func shape(_ value: MLFeatureValue) throws -> [NSNumber]? {
      let output = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["picture": value]))
      return output.featureValue(for: "samples")?.multiArrayValue?.shape
    }
    func value(_ width: Int, _ height: Int) throws -> MLFeatureValue {
      try MLFeatureValue(cgImage: try image(), pixelsWide: width, pixelsHigh: height, pixelFormatType: constraint.pixelFormatType)
    }
    #expect(try shape(MLFeatureValue(cgImage: try image(), constraint: constraint)) == [1, 3, 3, 4])
    // Also for a picture of another size that the model takes.
    let context = try #require(
      CGContext(
        data: nil, width: 8, height: 6, bitsPerComponent: 8, bytesPerRow: 0, space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
    let large = try #require(context.makeImage())
    #expect(try shape(MLFeatureValue(cgImage: large, constraint: constraint)) == [1, 3, 3, 4])
    #expect(try shape(value(8, 6)) == [1, 3, 6, 8] && shape(value(6, 8)) == [1, 3, 8, 6])
    #expect(thrown { _ = try shape(value(17, 6)) }?.localizedDescription.contains("'picture'") == true)
  }

  @Test func `an image is turned as the caller says`() throws {
    let (red, green, blue, gray) = ([200, 0, 0], [0, 200, 0], [0, 0, 200], [128, 128, 128])
    let expected: [CGImagePropertyOrientation: [[Int]]] = [
      .up: [red, green, blue, gray], .upMirrored: [green, red, gray, blue], .down: [gray, blue, green, red],
      .downMirrored: [blue, gray, red, green], .leftMirrored: [red, blue, green, gray], .right: [blue, red, gray, green],
      .rightMirrored: [gray, green, blue, red], .left: [green, gray, red, blue],
    ]
    let constraint = try #require(try Fixture.model("rgb.mlpackage").modelDescription.inputDescriptionsByName["picture"]?.imageConstraint)
    for (orientation, upright) in expected {
      let value = try MLFeatureValue(
        cgImage: try image(), orientation: orientation, pixelsWide: 2, pixelsHigh: 2, pixelFormatType: kCVPixelFormatType_32BGRA)
      #expect(try colors(value) == upright, "\(orientation)")
      let fitted = try MLFeatureValue(cgImage: try image(), orientation: orientation, constraint: constraint)
      #expect(fitted.imageBufferValue.map(CVPixelBufferGetWidth) == constraint.pixelsWide)
    }
  }

  @Test func `a file's colours are converted by its profile`() throws {
    let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("MartletMediaTests/Fixtures/pictures")
    let url = fixtures.appendingPathComponent("described.png")
    let source = try #require(CGImageSourceCreateWithURL(url as CFURL, nil))
    let image = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
    let value = try MLFeatureValue(imageAt: url, pixelsWide: 13, pixelsHigh: 21, pixelFormatType: kCVPixelFormatType_32BGRA)
    let turned = try MLFeatureValue(
      cgImage: image, orientation: .right, pixelsWide: 13, pixelsHigh: 21, pixelFormatType: kCVPixelFormatType_32BGRA)
    #expect(try colors(value) == colors(turned))
    let untagged = try #require(image.copy(colorSpace: CGColorSpaceCreateDeviceRGB()))
    let plain = try MLFeatureValue(
      cgImage: untagged, orientation: .right, pixelsWide: 13, pixelsHigh: 21, pixelFormatType: kCVPixelFormatType_32BGRA)
    #expect(try colors(value) != colors(plain))
  }
}
