import CoreML
import Testing

/// Pixel buffers in and out of models.
struct ImageTests {
  /// A picture of 4 x 3 with a colour of its own at every pixel.
  private func color(_ x: Int, _ y: Int) -> (red: UInt8, green: UInt8, blue: UInt8) {
    (UInt8(10 + x), UInt8(100 + 10 * y), UInt8(200 + x + 4 * y))
  }

  private func make(_ format: OSType, _ width: Int = 4, _ height: Int = 3) throws -> CVPixelBuffer {
    var created: CVPixelBuffer?
    CVPixelBufferCreate(kCFAllocatorDefault, width, height, format, nil, &created)
    return try #require(created)
  }

  private func picture(_ format: OSType, _ offsets: (Int, Int, Int), bytes: Int) throws -> CVPixelBuffer {
    let buffer = try make(format)
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    for y in 0..<3 {
      let row = CVPixelBufferGetBaseAddress(buffer).assumingMemoryBound(to: UInt8.self) + y * CVPixelBufferGetBytesPerRow(buffer)
      for x in 0..<4 {
        let color = color(x, y)
        row[x * bytes + offsets.0] = color.red
        row[x * bytes + offsets.1] = color.green
        row[x * bytes + offsets.2] = color.blue
      }
    }
    return buffer
  }

  private func predict(_ model: String, _ buffer: CVPixelBuffer, _ backing: CVPixelBuffer? = nil) throws -> any MLFeatureProvider {
    let options = MLPredictionOptions()
    if let backing { options.outputBackings["negative"] = backing }
    let input = try MLDictionaryFeatureProvider(dictionary: ["picture": MLFeatureValue(pixelBuffer: buffer)])
    return try Fixture.model(model).prediction(from: input, options: options)
  }

  private static let formats: [(OSType, Int, Int, Int, Int)] = [
    (kCVPixelFormatType_32BGRA, 2, 1, 0, 4), (kCVPixelFormatType_32RGBA, 0, 1, 2, 4), (kCVPixelFormatType_32ARGB, 1, 2, 3, 4),
    (kCVPixelFormatType_32ABGR, 3, 2, 1, 4), (kCVPixelFormatType_24RGB, 0, 1, 2, 3), (kCVPixelFormatType_24BGR, 2, 1, 0, 3),
  ]

  @Test(arguments: formats) func `a program gets the colours in its order whatever the buffer's format`(
    _ format: OSType, _ red: Int, _ green: Int, _ blue: Int, _ bytes: Int
  ) throws {
    let buffer = try picture(format, (red, green, blue), bytes: bytes)
    for (model, isRed) in [("rgb.mlpackage", true), ("bgr.mlpackage", false)] {
      let output = try predict(model, buffer)
      let samples = try #require(output.featureValue(for: "samples")?.multiArrayValue)
      #expect(samples.shape == [1, 3, 3, 4])
      for y in 0..<3 {
        for x in 0..<4 {
          let color = color(x, y)
          let index = { (channel: Int) in [0, channel, y, x] as [NSNumber] }
          #expect(samples[index(isRed ? 0 : 2)].intValue == 2 * Int(color.red))
          #expect(samples[index(1)].intValue == 2 * Int(color.green))
          #expect(samples[index(isRed ? 2 : 0)].intValue == 2 * Int(color.blue))
        }
      }
    }
  }

  @Test func `an image comes out with its colours in place`() throws {
    let buffer = try picture(kCVPixelFormatType_32BGRA, (2, 1, 0), bytes: 4)
    for model in ["rgb.mlpackage", "bgr.mlpackage"] {
      let value = try #require(try predict(model, buffer).featureValue(for: "negative"))
      let image = try #require(value.imageBufferValue)
      #expect(value.type == .image && CVPixelBufferGetPixelFormatType(image) == kCVPixelFormatType_32BGRA)
      #expect(CVPixelBufferGetWidth(image) == 4 && CVPixelBufferGetHeight(image) == 3)
      let row = CVPixelBufferGetBaseAddress(image).assumingMemoryBound(to: UInt8.self) + 2 * CVPixelBufferGetBytesPerRow(image)
      let color = color(3, 2)
      #expect(Array(UnsafeBufferPointer(start: row + 12, count: 4)) == [255 - color.blue, 255 - color.green, 255 - color.red, 255])
    }
  }

  @Test func `an image goes into its backing`() throws {
    let buffer = try picture(kCVPixelFormatType_24RGB, (0, 1, 2), bytes: 3)
    let backing = try make(kCVPixelFormatType_32ARGB)
    let output = try predict("rgb.mlpackage", buffer, backing)
    #expect(output.featureValue(for: "negative")?.imageBufferValue == backing)
    let pixel = CVPixelBufferGetBaseAddress(backing).assumingMemoryBound(to: UInt8.self)
    #expect(Array(UnsafeBufferPointer(start: pixel, count: 4)) == [255, 245, 155, 55])
    for wrong in [try make(kCVPixelFormatType_OneComponent8), try make(kCVPixelFormatType_32BGRA, 5, 3)] {
      #expect(thrown { _ = try predict("rgb.mlpackage", buffer, wrong) }?.localizedDescription.contains("'negative'") == true)
    }
  }

  @Test func `gray models take gray, colours and half precision`() throws {
    let gray = try make(kCVPixelFormatType_OneComponent8)
    CVPixelBufferGetBaseAddress(gray).assumingMemoryBound(to: UInt8.self)[1] = 77
    let output = try predict("gray.mlpackage", gray)
    #expect(floats(output, "samples")?[1] == 154)
    let image = try #require(output.featureValue(for: "negative")?.imageBufferValue)
    #expect(CVPixelBufferGetPixelFormatType(image) == kCVPixelFormatType_OneComponent8)
    #expect(CVPixelBufferGetBaseAddress(image).assumingMemoryBound(to: UInt8.self)[1] == 178)
    let color = try picture(kCVPixelFormatType_32BGRA, (2, 1, 0), bytes: 4)
    // 0.299 * 10 + 0.587 * 100 + 0.114 * 200 is 84.49.
    #expect(floats(try predict("gray.mlpackage", color), "samples")?[0] == 168)
    let half = try make(kCVPixelFormatType_OneComponent16Half)
    CVPixelBufferGetBaseAddress(half).assumingMemoryBound(to: Float16.self)[3] = 0.25
    let precise = try predict("gray16.mlpackage", half)
    #expect(floats(precise, "samples")?[3] == 0.5)
    let negative = try #require(precise.featureValue(for: "negative")?.imageBufferValue)
    #expect(CVPixelBufferGetPixelFormatType(negative) == kCVPixelFormatType_OneComponent16Half)
    #expect(CVPixelBufferGetBaseAddress(negative).assumingMemoryBound(to: Float16.self)[3] == 254.75)
  }

  @Test func `luma and chroma become colours`() throws {
    let buffer = try make(kCVPixelFormatType_420YpCbCr8BiPlanarFullRange)
    CVPixelBufferLockBaseAddress(buffer, [])
    for (plane, value) in [(0, UInt8(90)), (1, 128)] {
      let base = CVPixelBufferGetBaseAddressOfPlane(buffer, plane).assumingMemoryBound(to: UInt8.self)
      let count = CVPixelBufferGetBytesPerRowOfPlane(buffer, plane) * CVPixelBufferGetHeightOfPlane(buffer, plane)
      for index in 0..<count { base[index] = value }
    }
    CVPixelBufferUnlockBaseAddress(buffer, [])
    #expect(Set(try #require(floats(try predict("rgb.mlpackage", buffer), "samples"))) == [180])
  }

  @Test func `images of other sizes, formats and types are errors`() throws {
    let large = try make(kCVPixelFormatType_32BGRA, 5, 3)
    let size = try #require(thrown { _ = try predict("rgb.mlpackage", large) })
    #expect(size.code == .featureType && size.localizedDescription.contains("Image (5 × 3)") && size.localizedDescription.contains("4 × 3"))
    let format = try #require(thrown { _ = try predict("rgb.mlpackage", try make(kCVPixelFormatType_16LE565)) })
    #expect(format.localizedDescription.contains("'L565'") && format.localizedDescription.contains("'picture'"))
    let input = try MLDictionaryFeatureProvider(dictionary: ["picture": try MLMultiArray(shape: [1, 3, 3, 4], dataType: .float32)])
    let model = try Fixture.model("rgb.mlpackage")
    #expect(thrown { _ = try model.prediction(from: input) }?.localizedDescription.contains("expects Image (Color, 4 × 3)") == true)
  }
}
