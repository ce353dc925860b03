import MartletMedia
import MartletPixels
import MartletTensor
import MartletVocabulary
import Testing

@Suite("Image files")
struct ImageFileTests {
  /// Compares with a uint8 array of shape `[height, width]` or `[height, width, channels]`.
  static func expectEqual(_ image: Image, _ expected: HostTensor?, tolerance: Int, _ name: String) throws {
    let expected = try #require(expected, "\(name)")
    let channelCount = expected.shape.count == 2 ? 1 : expected.shape[2]
    #expect([image.height, image.width] == Array(expected.shape.prefix(2)), "\(name)")
    try #require(image.format.channelCount == channelCount && image.pixels.count == expected.bytes.count, "\(name)")
    let largest = zip(image.pixels, expected.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
    #expect(largest <= tolerance, "\(name): samples differ by up to \(largest)")
  }

  @Test(
    "PNG files of every kind decode to Pillow's samples",
    .enabled(if: PNGCodec.isAvailable, "libpng16.so.16 is not installed (Debian package libpng16-16)"),
    arguments: [
      "rgb", "rgba", "gray", "gray_alpha", "bilevel", "palette", "palette_transparent", "rgb16", "gray16",
    ])
  func png(name: String) throws {
    let image = try Image.read(path: Fixture.path("\(name).png"))
    try Self.expectEqual(image, Fixture.arrays("expected_png.npz")["\(name).png"], tolerance: 0, name)
  }

  @Test(
    "JPEG files of every kind decode to Pillow's samples",
    .enabled(if: JPEGCodec.isAvailable, "libturbojpeg.so.0 is not installed (Debian package libturbojpeg0)"),
    arguments: ["baseline", "full_chroma", "progressive", "gray", "cmyk"])
  func jpeg(name: String) throws {
    let image = try Image.read(path: Fixture.path("\(name).jpg"))
    // Decoders may differ by a step in the upsampling of colour.
    try Self.expectEqual(image, Fixture.arrays("expected_jpeg.npz")["\(name).jpg"], tolerance: 1, name)
  }

  @Test(
    "A JPEG is turned upright by its EXIF orientation, in both byte orders",
    .enabled(if: JPEGCodec.isAvailable, "libturbojpeg.so.0 is not installed (Debian package libturbojpeg0)"),
    arguments: ImageOrientation.allCases)
  func orientation(orientation: ImageOrientation) throws {
    let name = "orientation_\(orientation.rawValue).jpg"
    let image = try Image.read(path: Fixture.path(name))
    #expect(image.width == (orientation.rawValue < 5 ? 24 : 16))
    try Self.expectEqual(image, Fixture.arrays("expected_orientation.npz")[name], tolerance: 1, name)
  }

  @Test(
    "A progressive JPEG with more scans than any encoder writes is refused",
    .enabled(if: JPEGCodec.isAvailable, "libturbojpeg.so.0 is not installed (Debian package libturbojpeg0)"))
  func scans() throws {
    let bytes = try FileContents.read(path: Fixture.path("progressive.jpg"))
    let last = try #require(bytes.indices.dropLast().last { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
    let scan = bytes[last..<bytes.count - 2]
    let many = Array(bytes[..<last] + [[UInt8]](repeating: Array(scan), count: 600).joined() + [0xFF, 0xD9])
    let error = #expect(throws: MediaError.self) { try Image.decode(many, name: "scans") }
    #expect(error?.field == "number of scans")
  }

  @Test(
    "Texts of a PNG are not read",
    .enabled(if: PNGCodec.isAvailable, "libpng16.so.16 is not installed (Debian package libpng16-16)"))
  func texts() throws {
    let bytes = try FileContents.read(path: Fixture.path("rgb.png"))
    // A chunk whose content is no valid text would be a warning; one with a critical type is an error.
    func chunk(_ type: String) -> [UInt8] { [0, 0, 0, 4] + Array(type.utf8) + [1, 2, 3, 4] + [0, 0, 0, 0] }
    let texts = Array(bytes[..<33] + [[UInt8]](repeating: chunk("zTXt"), count: 5000).joined() + bytes[33...])
    try Self.expectEqual(
      try Image.decode(texts, name: "texts"), Fixture.arrays("expected_png.npz")["rgb.png"], tolerance: 0, "texts")
    let critical = Array(bytes[..<33] + chunk("ZTXT") + bytes[33...])
    #expect(throws: MediaError.self) { try Image.decode(critical, name: "critical") }
  }

  @Test(
    "A PNG is turned upright by its EXIF chunk, before or after the picture's data",
    .enabled(if: PNGCodec.isAvailable, "libpng16.so.16 is not installed (Debian package libpng16-16)"),
    arguments: ImageOrientation.allCases)
  func pngOrientation(orientation: ImageOrientation) throws {
    let name = "orientation_\(orientation.rawValue).png"
    try Self.expectEqual(
      try Image.read(path: Fixture.path(name)), Fixture.arrays("expected_orientation.npz")[name], tolerance: 0, name)
  }

  @Test(
    "A PNG whose EXIF chunk is damaged is shown as stored",
    .enabled(if: PNGCodec.isAvailable, "libpng16.so.16 is not installed (Debian package libpng16-16)"))
  func damagedPNGOrientation() throws {
    var bytes = try FileContents.read(path: Fixture.path("orientation_3.png"))
    let stored = try Image.read(path: Fixture.path("orientation_1.png"))
    #expect(try Image.decode(bytes, name: "m") != stored)
    let chunk = try #require((0..<bytes.count - 4).first { bytes[$0..<$0 + 4].elementsEqual("eXIf".utf8) })
    // A bit of the content, so that the checksum is wrong.
    bytes[chunk + 4 + 18] ^= 1
    #expect(try Image.decode(bytes, name: "m") == stored)
    // A chunk that ends behind the file's end, where the picture's data are still to come.
    bytes[chunk - 4] = 0x7F
    #expect(throws: MediaError.self) { try Image.decode(bytes, name: "m") }
  }

  @Test(
    "Images written as PNG read back unchanged",
    .enabled(if: PNGCodec.isAvailable, "libpng16.so.16 is not installed (Debian package libpng16-16)"),
    arguments: Image.PixelFormat.allCases)
  func pngRoundTrip(format: Image.PixelFormat) throws {
    var generator = SplitMix64(state: 5)
    for (width, height) in [(1, 1), (3, 2), (130, 70)] {
      // Noise does not compress: the file is larger than the samples. Alpha 0 would lose the colours under it.
      let pixels = (0..<width * height * format.channelCount).map { _ in UInt8.random(in: 1...255, using: &generator) }
      let image = try #require(Image(width: width, height: height, format: format, pixels: pixels))
      let file = try PNGCodec.encode(image, name: "m")
      #expect(try Image.decode(file, name: "m") == image)
    }
  }

  @Test("Images written as PPM and PGM read back unchanged, without alpha")
  func ppmRoundTrip() throws {
    for format in Image.PixelFormat.allCases {
      let pixels = (0..<5 * 3 * format.channelCount).map { UInt8($0 * 4) }
      let image = try #require(Image(width: 5, height: 3, format: format, pixels: pixels))
      let back = try Image.decode(PPMCodec.encode(image), name: "m")
      #expect(back == (format == .rgba8 ? image.converted(to: .rgb8) : image))
    }
  }

  @Test("PPM headers may hold comments, and samples are scaled from the file's maximum")
  func ppmHeaders() throws {
    let text = "P5 # gray\n# two\n2\t1 # extents\n 3 "
    #expect(try Image.decode(Array(text.utf8) + [1, 3], name: "m").pixels == [85, 255])
    let wide = try Image.decode(Array("P6 1 1 65535\n".utf8) + [0, 0, 0x80, 0, 0xFF, 0xFF], name: "m")
    #expect(wide.pixels == [0, 128, 255])
  }

  @Test(
    "Damaged PPM files are typed errors",
    arguments: [
      "P6 2 2 255\n12345678901", "P6 0 2 255\n", "P6 -1 2 255\n", "P6 2 2 0\n", "P6 2 2 70000\n", "P3 1 1 255\n1 2 3",
      "P6 4000000000 4000000000 255\n", "P6 9223372036854775807 9223372036854775807 255\n", "P6", "P", "P6 1 1 255",
      "P6 99999999999999999999 1 255\n",
    ])
  func damagedPPM(text: String) {
    #expect(throws: MediaError.self) { try Image.decode(Array(text.utf8), name: "m") }
  }

  @Test("A picture with more pixels than the limit is refused, in every format")
  func pixelLimit() throws {
    var files = ["P5 43 33 255\n"].map { Array($0.utf8) + [UInt8](repeating: 0, count: 43 * 33) }
    if PNGCodec.isAvailable { files.append(try Fixture.bytes("rgb.png")) }
    if JPEGCodec.isAvailable { files.append(try Fixture.bytes("baseline.jpg")) }
    for file in files {
      #expect(throws: MediaError(file: "m", field: "pixel count", reason: .tooLarge(declared: 1419, limit: 1418))) {
        try Image.decode(file, name: "m", maximumPixelCount: 1418)
      }
      #expect(try Image.decode(file, name: "m", maximumPixelCount: 1419).width == 43)
    }
  }

  @Test(
    "A PNG cut short is an error, and a damaged one never traps",
    .enabled(if: PNGCodec.isAvailable, "libpng16.so.16 is not installed (Debian package libpng16-16)"))
  func damagedPNG() throws {
    let file = try Fixture.bytes("palette_transparent.png")
    for count in 0..<file.count - 16 {
      #expect(throws: MediaError.self, "\(count) bytes") { try Image.decode(Array(file[..<count]), name: "m") }
    }
    for copy in damaged(file, count: 500, seed: 7) {
      _ = try? Image.decode(copy, name: "m", maximumPixelCount: 1 << 20)
    }
  }

  @Test(
    "A JPEG cut short is an error, and a damaged one never traps",
    .enabled(if: JPEGCodec.isAvailable, "libturbojpeg.so.0 is not installed (Debian package libturbojpeg0)"))
  func damagedJPEG() throws {
    for name in ["orientation_6.jpg", "progressive.jpg"] {
      let file = try Fixture.bytes(name)
      for count in 0..<file.count - 2 {
        #expect(throws: MediaError.self, "\(count) bytes") { try Image.decode(Array(file[..<count]), name: "m") }
      }
      for copy in damaged(file, count: 500, seed: 8) {
        _ = try? Image.decode(copy, name: "m", maximumPixelCount: 1 << 20)
      }
    }
  }

  @Test("A file of another kind is an error that says so")
  func otherKinds() {
    for bytes in [[], [0x47, 0x49, 0x46, 0x38], [0xFF]] as [[UInt8]] {
      #expect(throws: MediaError.self) { try Image.decode(bytes, name: "m") }
    }
  }

  @Test("The message about a missing library names the Debian package and the command")
  func missingLibrary() {
    let error = MediaError(
      file: "a.png", field: "PNG image",
      reason: .missingLibrary(name: "libpng16.so.16", debianPackage: "libpng16-16", detail: "no such file"))
    #expect("\(error)".contains("libpng16.so.16"))
    #expect("\(error)".contains("apt-get install libpng16-16"))
  }
}

@Suite("Image operations")
struct ImageTests {
  @Test("An image holds exactly its samples")
  func construction() {
    #expect(Image(width: 2, height: 1, format: .rgb8, pixels: [1, 2, 3, 4, 5, 6]) != nil)
    #expect(Image(width: 2, height: 1, format: .rgb8, pixels: [1, 2, 3]) == nil)
    #expect(Image(width: 0, height: 1, format: .rgb8, pixels: []) == nil)
    #expect(Image(width: -1, height: -1, format: .gray8, pixels: [1]) == nil)
    #expect(Image(width: .max, height: .max, format: .gray8, pixels: [1]) == nil)
  }

  @Test("Formats convert: gray spreads, alpha is dropped or opaque")
  func conversion() throws {
    let image = try #require(Image(width: 1, height: 1, format: .rgba8, pixels: [10, 20, 30, 40]))
    #expect(image.converted(to: .rgb8).pixels == [10, 20, 30])
    #expect(image.converted(to: .gray8).pixels == [18])
    #expect(image.converted(to: .gray8).converted(to: .rgba8).pixels == [18, 18, 18, 255])
  }

  @Test("Crops stay inside the image")
  func cropping() throws {
    let image = try #require(Image(width: 4, height: 3, format: .gray8, pixels: Array(0..<12)))
    #expect(image.cropped(x: 1, y: 1, width: 2, height: 2)?.pixels == [5, 6, 9, 10])
    #expect(image.cropped(x: 3, y: 0, width: 2, height: 1) == nil)
    #expect(image.cropped(x: 0, y: 0, width: .max, height: 1) == nil)
    #expect(image.cropped(x: -1, y: 0, width: 1, height: 1) == nil)
    #expect(image.centerCropped(width: 2, height: 1)?.pixels == [5, 6])
    #expect(image.centerCropped(width: 5, height: 1) == nil)
  }

  @Test("Resizing agrees with Pillow, for each filter and format, up and down")
  func resizing() throws {
    let expected = try Fixture.arrays("expected_resized.npz")
    let sources = try Fixture.arrays("expected_png.npz")
    var compared = 0
    for (name, tensor) in expected {
      let parts = name.split(separator: ".")
      guard parts.count == 3 else { continue }
      let source = try #require(sources["\(parts[0]).png"])
      let format: Image.PixelFormat = parts[0] == "rgb" ? .rgb8 : parts[0] == "rgba" ? .rgba8 : .gray8
      let image = try #require(
        Image(width: source.shape[1], height: source.shape[0], format: format, pixels: source.bytes))
      let filter: ResamplingFilter = parts[1] == "bilinear" ? .bilinear : .bicubic
      let resized = image.resized(width: tensor.shape[1], height: tensor.shape[0], filter: filter)
      try ImageFileTests.expectEqual(resized, tensor, tolerance: 0, name)
      compared += 1
    }
    #expect(compared == 20)
  }

  @Test("Gray conversion agrees with Pillow")
  func luma() throws {
    let source = try #require(try Fixture.arrays("expected_png.npz")["rgb.png"])
    let image = try #require(Image(width: source.shape[1], height: source.shape[0], format: .rgb8, pixels: source.bytes))
    let expected = try Fixture.arrays("expected_resized.npz")["luma"]
    try ImageFileTests.expectEqual(image.converted(to: .gray8), expected, tolerance: 0, "luma")
  }

  @Test("Scaling the shorter side keeps the aspect, rounded down, and never gives an empty image")
  func shorterSide() throws {
    let wide = try #require(Image(width: 43, height: 33, format: .gray8, pixels: [UInt8](repeating: 9, count: 43 * 33)))
    let scaled = wide.resizedShorterSide(to: 32)
    #expect(scaled.width == 41 && scaled.height == 32)
    #expect(scaled.pixels.allSatisfy { $0 == 9 })
    let tall = try #require(Image(width: 1, height: 5, format: .gray8, pixels: [1, 2, 3, 4, 5]))
    #expect(tall.resizedShorterSide(to: 2, filter: .bicubic).height == 10)
  }

  @Test("Preprocessing gives torchvision's tensor")
  func preprocessing() throws {
    let source = try #require(try Fixture.arrays("expected_png.npz")["rgb.png"])
    let image = try #require(Image(width: source.shape[1], height: source.shape[0], format: .rgb8, pixels: source.bytes))
    let scaled = image.converted(to: .rgba8).converted(to: .rgb8).resizedShorterSide(to: 32)
    let tensor = try #require(scaled.centerCropped(width: 24, height: 24))
      .tensor(mean: [0.485, 0.456, 0.406], standardDeviation: [0.229, 0.224, 0.225])
    let expected = try #require(try Fixture.arrays("expected_resized.npz")["normalised"])
    #expect(tensor.dtype == .float32 && tensor.shape == [1, 3, 24, 24] && expected.shape == tensor.shape)
    let actualValues = floats(tensor)
    let largest = zip(actualValues, floats(expected)).map { abs($0 - $1) }.max() ?? .infinity
    #expect(largest <= 1e-6)
  }

  private func floats(_ tensor: HostTensor) -> [Float] {
    stride(from: 0, to: tensor.bytes.count, by: 4).map { start in
      Float(bitPattern: tensor.bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
  }

  @Test("A gray network gets one channel")
  func grayTensor() throws {
    let image = try #require(Image(width: 2, height: 1, format: .rgb8, pixels: [255, 255, 255, 0, 0, 0]))
    let tensor = image.converted(to: .gray8).tensor(mean: [0.5], standardDeviation: [0.5])
    #expect(tensor.shape == [1, 1, 1, 2])
    // One rounding instead of the formula's three.
    #expect(zip(floats(tensor), [1, -1]).allSatisfy { abs($0 - $1) < 2e-7 })
  }
}

@Suite("Label files")
struct LabelFileTests {
  @Test("Lines are labels; endings, a byte order mark and empty lines at the end do not count")
  func lines() throws {
    #expect(
      try LabelFile.decode(Array("\u{FEFF}tench\r\ngreat white shark\n\nMöwe\n\n".utf8), name: "m")
        == ["tench", "great white shark", "", "Möwe"])
    #expect(try LabelFile.decode(Array("a".utf8), name: "m") == ["a"])
    #expect(try LabelFile.decode([], name: "m") == [])
  }

  @Test("Text that is not UTF-8 is an error that names the line")
  func encoding() {
    #expect(throws: MediaError(file: "m", field: "line 2", reason: .invalid("is not UTF-8"))) {
      try LabelFile.decode([0x61, 0x0A, 0xFF, 0x0A], name: "m")
    }
  }
}
