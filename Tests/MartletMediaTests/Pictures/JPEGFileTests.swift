import MartletMedia
import MartletPixels
import MartletTensor
import Testing

@Suite("JPEG files", .enabled(if: JPEGCodec.isAvailable, "libturbojpeg.so.0 is not installed (Debian package libturbojpeg0)"))
struct JPEGFileTests {
  @Test(arguments: ["baseline420", "baseline444", "restart", "progressive", "gray", "cmyk_adobe", "ycck", "described"])
  func `samples are Pillow's`(name: String) throws {
    let file = try PictureFixture.file("\(name).jpg")
    let picture = try file.decode(at: 0, PictureDecoding(padsColors: false))
    #expect(picture.width == 60 && picture.height == 41)
    #expect(file.header(at: 0).isProgressive == (name == "progressive"))
    let colors: DecodedPicture.Colors = name == "gray" ? .gray : name == "cmyk_adobe" || name == "ycck" ? .cmyk : .rgb
    #expect(picture.colors == colors)
    #expect(try PictureFixture.largestDifference(picture.bytes, try PictureFixture.expected("\(name).jpg")) <= 1)
  }

  @Test(arguments: [1, 2, 4])
  func `a smaller picture takes less work, and is Pillow's`(eighths: Int) throws {
    let file = try PictureFixture.file("reduced.jpg")
    let size = 200 * eighths / 8
    let picture = try file.decode(at: 0, PictureDecoding(padsColors: false, sufficientExtent: size))
    #expect(picture.width == size)
    let expected = try PictureFixture.expected("reduced.\(eighths)")
    // Small pictures are smoothed differently where Pillow's library merges two steps.
    #expect(try PictureFixture.largestDifference(picture.bytes, expected) <= 1)
    let next = try file.decode(at: 0, PictureDecoding(sufficientExtent: size + 1))
    #expect(next.width == 2 * size)
  }

  @Test func `a profile in several segments is put together`() throws {
    let profile = try #require(try PictureFixture.file("profile_parts.jpg").metadata(at: 0).profile)
    #expect(profile.count == 70_000)
    let expected = try PictureFixture.expected("profile_parts.icc")
    #expect(stride(from: 0, to: profile.count, by: 97).map { profile[$0] } == Array(expected.bytes))
  }

  @Test func `EXIF, IPTC and JFIF data are read`() throws {
    let metadata = try PictureFixture.file("described.jpg").metadata(at: 0)
    #expect(metadata.orientation == .right && metadata.jfif?.xDensity == 144 && metadata.resolution?.unit == .inch)
    #expect(metadata.profile.flatMap { ColorProfile($0)?.name } == "Display P3")
    let exif = try ExifBlock(try #require(metadata.exif)[...])
    #expect(exif.main[0x010F] == .text("Maker") && exif.main[0x0112] == .integers([6]) && exif.main[0x011A] == .numbers([240]))
    #expect(exif.exif[0x829D] == .numbers([1.8]) && exif.exif[0x8827] == .integers([125]))
    #expect(exif.exif[0x9000] == .bytes(Array("0232".utf8)))
    #expect(exif.exif[0x9204] == .numbers([-1.0 / 3]))
    #expect(exif.gps[2] == .numbers([48, 12, 30]))
    let thumbnail = try PictureFile(try #require(exif.thumbnail), name: "thumbnail").decode(at: 0, PictureDecoding(padsColors: false))
    #expect(try PictureFixture.largestDifference(thumbnail.bytes, try PictureFixture.expected("described.thumbnail")) <= 1)
    let iptc = IPTCRecords(try #require(metadata.iptc)[...])
    #expect(iptc.texts[5] == ["a name"] && iptc.texts[25] == ["sea", "gull"] && iptc.texts[80] == ["Möwe"])
  }

  @Test(arguments: ["baseline444.jpg", "gray.jpg", "cmyk_adobe.jpg"])
  func `what is written reads back`(name: String) throws {
    let source = try PictureFixture.file("described.jpg").metadata(at: 0)
    for padsColors in [false, true] {
      let picture = try PictureFixture.file(name).decode(at: 0, PictureDecoding(padsColors: padsColors))
      var options = JPEGCodec.Options()
      options.quality = 1
      options.isProgressive = padsColors
      var metadata = source
      metadata.resolution = PictureMetadata.Resolution(x: 300, y: 150, unit: .inch)
      let file = try PictureFile(try JPEGCodec.encode(picture, metadata, options, name: "m"), name: "m")
      #expect(file.header(at: 0).isProgressive == padsColors)
      let read = try file.decode(at: 0, PictureDecoding(padsColors: padsColors))
      #expect(read.colors == picture.colors && read.alpha == picture.alpha)
      let differences = zip(read.bytes, picture.bytes).map { abs(Int($0) - Int($1)) }
      #expect(differences.max() ?? 255 <= 6, "\(name)")
      let back = try file.metadata(at: 0)
      #expect(back.exif == source.exif && back.iptc == source.iptc && back.profile == source.profile)
      if name != "cmyk_adobe.jpg" { #expect(back.resolution == metadata.resolution) }
    }
  }

  @Test func `a lower quality gives a smaller file`() throws {
    let picture = try PictureFixture.file("reduced.jpg").decode(at: 0)
    let sizes = try [0, 0.3, 0.6, 0.9, 1].map { quality in
      var options = JPEGCodec.Options()
      options.quality = quality
      return try JPEGCodec.encode(picture, PictureMetadata(), options, name: "m").count
    }
    #expect(sizes == sizes.sorted() && sizes[0] < sizes[4])
  }

  @Test func `a profile of several segments is written`() throws {
    let picture = try PictureFixture.file("gray.jpg").decode(at: 0)
    var metadata = PictureMetadata()
    metadata.profile = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let bytes = try JPEGCodec.encode(picture, metadata, JPEGCodec.Options(), name: "m")
    #expect(try PictureFile(bytes, name: "m").metadata(at: 0).profile == metadata.profile)
  }
}
