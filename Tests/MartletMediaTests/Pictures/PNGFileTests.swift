import MartletMedia
import MartletPixels
import Testing

@Suite("PNG files", .enabled(if: PNGCodec.isAvailable, "libpng16.so.16 is not installed (Debian package libpng16-16)"))
struct PNGFileTests {
  static let names: [String] = {
    var names = ["described", "gamma", "srgb"]
    for depth in [1, 2, 4, 8, 16] { names += ["gray\(depth)", "gray\(depth)_interlaced"] }
    for depth in [1, 2, 4, 8] { names += ["palette\(depth)", "palette\(depth)_transparent"] }
    for depth in [8, 16] {
      names += ["rgb", "rgba", "grayalpha"].map { "\($0)\(depth)" }
      names += ["rgb\(depth)_interlaced", "rgb\(depth)_transparent", "gray\(depth)_transparent"]
    }
    return names
  }()

  @Test(arguments: names)
  func `samples of every depth and kind are those that were stored`(name: String) throws {
    let file = try PictureFixture.file("\(name).png")
    let expected = try PictureFixture.expected("\(name).png")
    let picture = try file.decode(at: 0, PictureDecoding(padsColors: false))
    let header = file.header(at: 0)
    #expect(header.width == 21 && header.height == 13 && picture.width == 21 && picture.height == 13)
    #expect(header.hasAlpha == (picture.alpha == .straight))
    #expect(header.isProgressive == (name.contains("interlaced") || name.hasPrefix("palette") && name.contains("transparent")))
    #expect(picture.bitsPerComponent == (name.contains("16") ? 16 : 8))
    if case .palette(let table) = picture.colors {
      let colors = picture.bytes.flatMap { table[3 * Int($0)..<3 * Int($0) + 3] }
      #expect(try PictureFixture.largestDifference(colors, expected) == 0)
    } else {
      #expect(try PictureFixture.largestDifference(picture.bytes, expected) == 0)
    }
  }

  @Test func `a fourth sample may follow colours`() throws {
    for (name, size) in [("rgb8.png", 1), ("rgb16.png", 2)] {
      let file = try PictureFixture.file(name)
      let packed = try file.decode(at: 0, PictureDecoding(padsColors: false))
      let padded = try file.decode(at: 0)
      #expect(padded.alpha == .skipped && padded.bitsPerPixel == 32 * size)
      let samples = stride(from: 0, to: padded.bytes.count, by: 4 * size).flatMap { padded.bytes[$0..<$0 + 3 * size] }
      #expect(samples == packed.bytes)
      #expect(padded.bytes[(3 * size)..<(4 * size)].allSatisfy { $0 == 255 })
    }
  }

  @Test func `profile, texts, resolution and orientation are read`() throws {
    let metadata = try PictureFixture.file("described.png").metadata(at: 0)
    #expect(metadata.profile.flatMap { ColorProfile($0)?.name } == "Display P3")
    #expect(metadata.png?.texts["Title"] == "Café")
    #expect(metadata.png?.texts["Description"] == String(repeating: "a text", count: 20))
    #expect(metadata.png?.texts["Author"] == "Möwe")
    #expect(metadata.orientation == .right)
    #expect(metadata.resolution?.perInch.map { Int($0.x.rounded()) } == 144)
    let gamma = try PictureFixture.file("gamma.png").metadata(at: 0).png
    #expect(gamma?.gamma == 0.55556 && gamma?.chromaticities?[2] == 0.68)
    #expect(try PictureFixture.file("srgb.png").metadata(at: 0).png?.sRGBIntent == 0)
  }

  @Test(arguments: ["rgb8", "rgba8", "gray8", "grayalpha8", "rgb16", "rgba16", "gray16", "grayalpha16"])
  func `what is written reads back`(name: String) throws {
    for padsColors in [false, true] {
      let picture = try PictureFixture.file("\(name).png").decode(at: 0, PictureDecoding(padsColors: padsColors))
      var metadata = try PictureFixture.file("described.png").metadata(at: 0)
      let bytes = try PNGCodec.encode(picture, metadata, name: "m")
      let file = try PictureFile(bytes, name: "m")
      #expect(try file.decode(at: 0, PictureDecoding(padsColors: padsColors)) == picture)
      let read = try file.metadata(at: 0)
      metadata.png?.isInterlaced = false
      #expect(read.png == metadata.png && read.exif == metadata.exif && read.profile == metadata.profile)
      #expect(read.resolution?.perInch.map { Int($0.x.rounded()) } == 144)
    }
  }

  @Test func `pictures without a form in the format are refused`() throws {
    let palette = try PictureFixture.file("palette4.png").decode(at: 0)
    #expect(throws: MediaError.self) { try PNGCodec.encode(palette, PictureMetadata(), name: "m") }
  }
}
