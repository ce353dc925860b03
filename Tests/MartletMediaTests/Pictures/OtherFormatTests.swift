import MartletMedia
import MartletPixels
import Testing

@Suite("HEIF, AVIF and WebP files")
struct OtherFormatTests {
  @Test(arguments: ["rgb.heic", "rgba.heic", "odd.heic"])
  func `samples of HEIC files are libheif's`(name: String) throws {
    let file = try PictureFixture.file(name)
    let size = name == "odd.heic" ? (43, 33) : (44, 34)
    #expect((file.header(at: 0).width, file.header(at: 0).height) == size && file.type == .heic)
    #expect(file.header(at: 0).hasAlpha == (name == "rgba.heic"))
    guard InstalledLibrary.heif else { return try expectMissing("libheif1", file) }
    let picture = try file.decode(at: 0, PictureDecoding(padsColors: false))
    #expect((picture.width, picture.height) == size)
    // Colours are stored as brightness and two differences, which versions of the library round differently.
    #expect(try PictureFixture.largestDifference(picture.bytes, try PictureFixture.expected(name)) <= 2)
  }

  @Test func `ten bits become sixteen`() throws {
    let file = try PictureFixture.file("rgb10.heic")
    #expect(file.header(at: 0).bitsPerComponent == 10)
    guard InstalledLibrary.heif else { return try expectMissing("libheif1", file) }
    let picture = try file.decode(at: 0, PictureDecoding(padsColors: false))
    #expect(picture.bitsPerComponent == 16)
    // Two steps of ten bits.
    #expect(try PictureFixture.largestDifference(picture.bytes, try PictureFixture.expected("rgb10.heic")) <= 2 * 65)
  }

  @Test(arguments: 1...8)
  func `a HEIC file says once how it was turned, and its pixels are not`(number: Int) throws {
    let name = "orientation_\(number).heic"
    let file = try PictureFixture.file(name)
    let orientation = try #require(ImageOrientation(rawValue: number))
    #expect(file.orientation(at: 0) == orientation)
    #expect(try file.metadata(at: 0).orientation == orientation)
    #expect(file.header(at: 0).width == 24 && file.header(at: 0).height == 16)
    guard InstalledLibrary.heif else { return try expectMissing("libheif1", file) }
    let picture = try file.decode(at: 0)
    #expect(picture.width == 24 && picture.height == 16)
    // The library's own turning.
    let upright = picture.image.upright(from: orientation)
    #expect(try PictureFixture.largestDifference(upright.pixels, try PictureFixture.expected(name)) <= 2)
  }

  @Test func `profile and EXIF data of a HEIC file are read without the library`() throws {
    let metadata = try PictureFixture.file("rgb.heic").metadata(at: 0)
    #expect(metadata.profile.flatMap { ColorProfile($0)?.name } == "Display P3")
    let exif = try ExifBlock(try #require(metadata.exif)[...])
    #expect(exif.main[0x0110] == .text("Camera 1") && exif.exif[0x920A] == .numbers([4.25]))
  }

  @Test func `a file of two pictures says which one to show`() throws {
    let file = try PictureFixture.file("two.heic")
    #expect(file.pictureCount == 2)
    #expect(file.header(at: file.primaryIndex).width == 20)
    #expect(file.header(at: 1 - file.primaryIndex).width == 44)
  }

  @Test func `AVIF files decode`() throws {
    let file = try PictureFixture.file("rgb.avif")
    #expect(file.type == .avif && file.header(at: 0).width == 44)
    guard InstalledLibrary.heif else { return try expectMissing("libheif1", file) }
    let picture = try file.decode(at: 0, PictureDecoding(padsColors: false))
    #expect(try PictureFixture.largestDifference(picture.bytes, try PictureFixture.expected("rgb.avif")) <= 2)
  }

  @Test func `WebP files decode to Pillow's samples`() throws {
    for (name, tolerance) in [("lossless.webp", 0), ("lossy.webp", 1)] {
      let file = try PictureFixture.file(name)
      #expect(file.header(at: 0).width == 44 && file.header(at: 0).height == 34)
      #expect(file.header(at: 0).hasAlpha == (name == "lossless.webp"))
      guard InstalledLibrary.webP else {
        try expectMissing("libwebp7", file)
        continue
      }
      let picture = try file.decode(at: 0, PictureDecoding(padsColors: false))
      #expect(try PictureFixture.largestDifference(picture.bytes, try PictureFixture.expected(name)) <= tolerance)
    }
    let metadata = try PictureFixture.file("lossless.webp").metadata(at: 0)
    #expect(metadata.orientation == .left && metadata.profile.flatMap { ColorProfile($0)?.name } == "Display P3")
  }

  @Test func `an animation is refused by name`() throws {
    let file = try PictureFixture.file("animated.webp")
    let error = #expect(throws: MediaError.self) { try file.decode(at: 0) }
    #expect(error?.reason == .unsupported("animations"))
  }

  private func expectMissing(_ package: String, _ file: PictureFile) throws {
    let error = #expect(throws: MediaError.self) { try file.decode(at: 0) }
    guard case .missingLibrary(_, let named, _) = error?.reason else {
      Issue.record("\(String(describing: error)) names no package")
      return
    }
    #expect(named == package)
  }

  // MARK: Types

  @Test func `types are told by the first bytes`() throws {
    let names: [(String, PictureType)] = [
      ("rgb8.png", .png), ("gray.jpg", .jpeg), ("rgb.heic", .heic), ("rgb.avif", .avif), ("lossy.webp", .webP), ("plain.gif", .gif),
      ("plain.tiff", .tiff),
    ]
    for (name, type) in names { #expect(PictureType(of: try PictureFixture.bytes(name)) == type, "\(name)") }
    func type(_ text: String, _ rest: [UInt8] = []) -> PictureType? { PictureType(of: Array(text.utf8) + rest) }
    #expect(type("FUJIFILMCCD-RAW 0201") == .fujiRaw)
    #expect(type("II*\0", [16, 0, 0, 0] + Array("CR".utf8) + [2, 0]) == .canonRaw2)
    #expect(type("IIU\0") == .panasonicRaw && type("IIRO") == .olympusRaw)
    #expect(PictureType(of: [0, 0, 0, 24] + Array("ftypcrx \0\0\0\u{1}crx isom".utf8)) == .canonRaw3)
    #expect(PictureType(of: [0, 0, 0, 16] + Array("ftypisom\0\0\0\0".utf8)) == nil)
    // A TIFF directory with DNGVersion.
    #expect(type("II*\0", [8, 0, 0, 0, 1, 0, 0x12, 0xC6, 1, 0, 4, 0, 0, 0, 1, 4, 0, 0, 0, 0, 0, 0]) == .adobeRaw)
    #expect(type("hello") == nil && PictureType(of: []) == nil)
  }

  @Test func `files that are only recognised say what they are`() throws {
    for (name, identifier) in [("plain.gif", "com.compuserve.gif"), ("plain.tiff", "public.tiff")] {
      let error = #expect(throws: MediaError.self) { try PictureFixture.file(name) }
      #expect("\(String(describing: error))".contains(identifier))
    }
  }
}
