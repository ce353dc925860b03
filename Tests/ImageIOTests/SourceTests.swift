import ImageIO
import Testing

struct SourceTests {
  @Test func `a source is made from a URL, data or a provider`() throws {
    let url = PictureFile.url("rgb8.png")
    let data = try Data(contentsOf: url)
    let sources = [
      CGImageSourceCreateWithURL(url as CFURL, nil), CGImageSourceCreateWithData(data as CFData, nil),
      CGImageSourceCreateWithDataProvider(try #require(CGDataProvider(data: data as CFData)), nil),
    ]
    for source in sources {
      let source = try #require(source)
      #expect(CGImageSourceGetCount(source) == 1)
      #expect(CGImageSourceGetPrimaryImageIndex(source) == 0)
      #expect(CGImageSourceGetStatus(source) == .statusComplete && CGImageSourceGetStatusAtIndex(source, 0) == .statusComplete)
      #expect(CGImageSourceGetStatusAtIndex(source, 1) != .statusComplete)
      #expect(CGImageSourceCreateImageAtIndex(source, 0, nil)?.width == 21)
      #expect(CGImageSourceCreateImageAtIndex(source, 1, nil) == nil && CGImageSourceCreateImageAtIndex(source, -1, nil) == nil)
      #expect(CGImageSourceCopyPropertiesAtIndex(source, 1, nil) == nil)
      #expect((CGImageSourceCopyProperties(source, nil)?[kCGImagePropertyFileSize] as? Int) == data.count)
    }
    #expect(CGImageSourceCreateWithURL(URL(fileURLWithPath: "/nowhere.png") as CFURL, nil) == nil)
  }

  @Test func `the type is known of every file, the picture of those that can be decoded`() throws {
    let types = [
      "rgb8.png": "public.png", "gray.jpg": "public.jpeg", "rgb.heic": "public.heic", "rgb.avif": "public.avif",
      "lossy.webp": "org.webmproject.webp", "plain.gif": "com.compuserve.gif", "plain.tiff": "public.tiff",
    ]
    for (name, type) in types {
      let source = try PictureFile.source(name)
      #expect(CGImageSourceGetType(source) as String? == type)
      let isKnownOnly = name.hasPrefix("plain")
      #expect(CGImageSourceGetCount(source) == (isKnownOnly ? 0 : 1))
      #expect((CGImageSourceGetStatus(source) == .statusUnknownType) == isKnownOnly)
      if isKnownOnly { #expect(CGImageSourceCreateImageAtIndex(source, 0, nil) == nil) }
    }
    let text = try #require(CGImageSourceCreateWithData(Data("hello".utf8) as CFData, nil))
    #expect(CGImageSourceGetType(text) == nil && CGImageSourceGetCount(text) == 0)
    let empty = try #require(CGImageSourceCreateWithData(Data() as CFData, nil))
    #expect(CGImageSourceGetStatus(empty) == .statusUnexpectedEOF)
    let cut = try Data(contentsOf: PictureFile.url("rgb8.png")).prefix(20)
    let short = try #require(CGImageSourceCreateWithData(cut as CFData, nil))
    #expect(CGImageSourceGetStatus(short) == .statusInvalidData)
    let identifiers = CGImageSourceCopyTypeIdentifiers() as? [String] ?? []
    #expect(Set(["public.png", "public.jpeg", "public.heic", "public.avif", "org.webmproject.webp"]).isSubset(of: identifiers))
  }

  @Test(arguments: 1...8)
  func `an image is as stored, whatever its orientation`(number: Int) throws {
    let file = PictureFile.folder.appendingPathComponent("orientation_\(number).jpg")
    let source = try #require(CGImageSourceCreateWithURL(file as CFURL, nil))
    let image = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
    #expect(image.width == 24 && image.height == 16)
    let properties = try PictureFile.properties(source)
    let orientation = try #require((properties[kCGImagePropertyOrientation] as? UInt32).flatMap(CGImagePropertyOrientation.init))
    #expect(orientation.rawValue == UInt32(number))
    #expect(properties[kCGImagePropertyPixelWidth] as? Int == 24 && properties[kCGImagePropertyPixelHeight] as? Int == 16)
    let first = try #require(
      CGImageSourceCreateWithURL(PictureFile.folder.appendingPathComponent("orientation_1.jpg") as CFURL, nil))
    #expect(CGImageSourceCreateImageAtIndex(first, 0, nil)?.bytes == image.bytes)
  }

  @Test(arguments: 1...8)
  func `a HEIC file has the orientation of its container`(number: Int) throws {
    let source = try PictureFile.source("orientation_\(number).heic")
    let properties = try PictureFile.properties(source)
    #expect(properties[kCGImagePropertyOrientation] as? Int == number)
    #expect(properties[kCGImagePropertyPixelWidth] as? Int == 24 && properties[kCGImagePropertyPixelHeight] as? Int == 16)
    guard PictureFile.decodes("rgb.heic") else { return }
    let image = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
    #expect(image.width == 24 && image.height == 16)
    let options =
      [
        kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: true,
      ] as [CFString: Any]
    let upright = try #require(CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary))
    #expect(upright.width == (number < 5 ? 24 : 16))
  }

  @Test func `16 bits stay 16 bits`() throws {
    let image = try PictureFile.image("rgba16.png")
    #expect(image.bitsPerComponent == 16 && image.bitsPerPixel == 64 && image.alphaInfo == .last)
    #expect(try PictureFile.image("rgb16.png").alphaInfo == .noneSkipLast)
    let gray = try PictureFile.image("gray16.png")
    #expect(gray.bitsPerComponent == 16 && gray.colorSpace?.model == .monochrome)
    #expect(try PictureFile.properties(PictureFile.source("gray16.png"))[kCGImagePropertyDepth] as? Int == 16)
    // Little-endian words: the largest number of the byte form in both bytes.
    #expect(gray.byteOrderInfo == .order16Little)
    let bytes = try PictureFile.image("gray8.png").bytes
    let words = gray.bytes
    #expect(bytes.indices.allSatisfy { abs(Int(words[2 * $0 + 1]) - Int(bytes[$0])) <= 1 })
  }

  @Test func `a palette is a colour space`() throws {
    let image = try PictureFile.image("palette4.png")
    #expect(image.colorSpace?.model == .indexed && image.bitsPerPixel == 8)
    let properties = try PictureFile.properties(PictureFile.source("palette4.png"))
    #expect(properties[kCGImagePropertyIsIndexed] as? Bool == true && properties[kCGImagePropertyDepth] as? Int == 4)
    #expect(try PictureFile.image("palette4_transparent.png").alphaInfo == .last)
  }

  @Test func `inks are CMYK, however they are stored`() throws {
    for name in ["cmyk_adobe.jpg", "ycck.jpg"] {
      let image = try PictureFile.image(name)
      #expect(image.colorSpace?.model == .cmyk && image.bitsPerPixel == 32 && image.alphaInfo == .none)
      #expect(try PictureFile.properties(PictureFile.source(name))[kCGImagePropertyColorModel] as? String == "CMYK")
    }
    // The two hold the same picture; a saturated red has no cyan.
    let (plain, converted) = (try PictureFile.image("cmyk_adobe.jpg").bytes, try PictureFile.image("ycck.jpg").bytes)
    #expect(zip(plain, converted).allSatisfy { abs(Int($0) - Int($1)) < 24 })
  }

  @Test func `a profile is the image's colour space`() throws {
    for name in ["described.png", "described.jpg"] + (PictureFile.decodes("rgb.heic") ? ["rgb.heic"] : []) {
      let source = try PictureFile.source(name)
      #expect(try PictureFile.properties(source)[kCGImagePropertyProfileName] as? String == "Display P3")
      let space = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil)?.colorSpace)
      #expect(space.isWideGamutRGB && space.copyICCData().map { ($0 as Data).count }.map { $0 > 400 } == true)
    }
    #expect(try PictureFile.image("srgb.png").colorSpace?.name == CGColorSpace.sRGB)
    #expect(try PictureFile.properties(PictureFile.source("srgb.png"))[kCGImagePropertyProfileName] as? String == "sRGB IEC61966-2.1")
    // Primaries and an exponent in place of a profile.
    let gamma = try #require(try PictureFile.image("gamma.png").colorSpace)
    #expect(gamma.isWideGamutRGB && gamma.name == nil)
    #expect(try PictureFile.image("rgb8.png").colorSpace?.name == CGColorSpace.sRGB)
  }

  @Test func `a picture in use is decoded once, unless it must not be kept`() throws {
    let source = try PictureFile.source("rgb8.png")
    let first = CGImageSourceCreateImageAtIndex(source, 0, nil)
    #expect(CGImageSourceCreateImageAtIndex(source, 0, [kCGImageSourceShouldCache: true] as [CFString: Any] as CFDictionary) === first)
    #expect(CGImageSourceCreateImageAtIndex(source, 0, [kCGImageSourceShouldCache: false] as [CFString: Any] as CFDictionary) !== first)
    CGImageSourceRemoveCacheAtIndex(source, 0)
    let second = CGImageSourceCreateImageAtIndex(source, 0, nil)
    #expect(second !== first && second?.bytes == first?.bytes)
    // No picture here has floating-point samples.
    let options = [kCGImageSourceShouldAllowFloat: true, kCGImageSourceShouldCacheImmediately: true] as [CFString: Any]
    #expect(CGImageSourceCreateImageAtIndex(source, 0, options as CFDictionary)?.bitsPerComponent == 8)
  }

  @Test func `a file of several pictures has a primary one`() throws {
    let source = try PictureFile.source("two.heic")
    let primary = CGImageSourceGetPrimaryImageIndex(source)
    #expect(CGImageSourceGetCount(source) == 2)
    #expect(try PictureFile.properties(source, primary)[kCGImagePropertyPixelWidth] as? Int == 20)
    #expect(try PictureFile.properties(source, 1 - primary)[kCGImagePropertyPixelWidth] as? Int == 44)
    #expect(try PictureFile.properties(source, 0)[kCGImagePropertyPrimaryImage] as? Int == primary)
  }
}
