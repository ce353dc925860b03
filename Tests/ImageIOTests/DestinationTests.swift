import ImageIO
import Testing

struct DestinationTests {
  private func image(
    _ bytes: [UInt8], width: Int, bits: Int = 8, bitsPerPixel: Int, _ info: UInt32, in space: CFString = CGColorSpace.sRGB
  ) throws -> CGImage {
    let row = width * bitsPerPixel / 8
    let space = try #require(CGColorSpace(name: space))
    let provider = try #require(CGDataProvider(data: Data(bytes) as CFData))
    return try #require(
      CGImage(
        width: width, height: bytes.count / row, bitsPerComponent: bits, bitsPerPixel: bitsPerPixel, bytesPerRow: row,
        space: space, bitmapInfo: CGBitmapInfo(rawValue: info), provider: provider, decode: nil, shouldInterpolate: false,
        intent: .defaultIntent))
  }

  @Test func `a PNG file has the pixels of the image, in every layout`() throws {
    // Red and half transparent green, each as its layout has it.
    let layouts: [([UInt8], UInt32)] = [
      ([200, 10, 0, 255, 0, 201, 20, 128], CGImageAlphaInfo.last.rawValue),
      ([255, 200, 10, 0, 128, 0, 201, 20], CGImageAlphaInfo.first.rawValue),
      ([0, 10, 200, 255, 20, 201, 0, 128], CGImageAlphaInfo.first.rawValue | CGBitmapInfo.byteOrder32Little.rawValue),
    ]
    for (bytes, info) in layouts {
      let source = try written(image(bytes, width: 2, bitsPerPixel: 32, info), "public.png")
      let read = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
      #expect(read.bytes == [200, 10, 0, 255, 0, 201, 20, 128], "\(info)")
    }
    let premultiplied = try image(
      [200, 10, 0, 255, 0, 100, 10, 128], width: 2, bitsPerPixel: 32, CGImageAlphaInfo.premultipliedLast.rawValue)
    let straight = try #require(CGImageSourceCreateImageAtIndex(written(premultiplied, "public.png"), 0, nil)).bytes
    #expect(straight == [200, 10, 0, 255, 0, 199, 20, 128])
    let skipped = try image(
      [0, 10, 200, 9, 20, 201, 0, 7], width: 2, bitsPerPixel: 32,
      CGImageAlphaInfo.noneSkipFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue)
    #expect(try CGImageSourceCreateImageAtIndex(written(skipped, "public.png"), 0, nil)?.bytes == [200, 10, 0, 255, 0, 201, 20, 255])
    let gray = try image([1, 2, 250], width: 3, bitsPerPixel: 8, 0, in: CGColorSpace.genericGrayGamma2_2)
    let grayFile = try written(gray, "public.png")
    #expect(CGImageSourceCreateImageAtIndex(grayFile, 0, nil)?.bytes == [1, 2, 250])
    #expect(try PictureFile.properties(grayFile)[kCGImagePropertyColorModel] as? String == "Gray")
    let bits = try image([0b1010_0000], width: 8, bits: 1, bitsPerPixel: 1, 0, in: CGColorSpace.genericGrayGamma2_2)
    #expect(try CGImageSourceCreateImageAtIndex(written(bits, "public.png"), 0, nil)?.bytes == [255, 0, 255, 0, 0, 0, 0, 0])
    let wide = try image([1, 2, 3, 4, 5, 6], width: 1, bits: 16, bitsPerPixel: 48, CGBitmapInfo.byteOrder16Big.rawValue)
    let wideFile = try written(wide, "public.png")
    #expect(try PictureFile.properties(wideFile)[kCGImagePropertyDepth] as? Int == 16)
    #expect(CGImageSourceCreateImageAtIndex(wideFile, 0, nil)?.bytes == [2, 1, 4, 3, 6, 5, 255, 255])
    let palette = try PictureFile.image("palette4.png")
    let colors = try #require(CGImageSourceCreateImageAtIndex(written(palette, "public.png"), 0, nil))
    let table = try #require(palette.colorSpace?.colorTable)
    let index = Int(palette.bytes[2 * palette.bytesPerRow + 3])
    let expected = (0..<3).map { Int(table[3 * index + $0]) }
    #expect(colors.color(3, 2) == expected)
  }

  @Test func `a file keeps the image's colours`() throws {
    let pixels: [UInt8] = [200, 10, 0, 255, 0, 201, 20, 255]
    for type in ["public.png", "public.jpeg"] {
      let info = CGImageAlphaInfo.noneSkipLast.rawValue
      let p3 = try written(image(pixels, width: 2, bitsPerPixel: 32, info, in: CGColorSpace.displayP3), type)
      #expect(CGImageSourceCreateImageAtIndex(p3, 0, nil)?.colorSpace?.isWideGamutRGB == true)
      #expect(try PictureFile.properties(p3)[kCGImagePropertyProfileName] as? String == "DisplayP3")
      let sRGB = try written(image(pixels, width: 2, bitsPerPixel: 32, info), type)
      #expect(CGImageSourceCreateImageAtIndex(sRGB, 0, nil)?.colorSpace?.isWideGamutRGB == false)
    }
  }

  @Test func `a lower quality makes a smaller JPEG`() throws {
    let image = try PictureFile.image("reduced.jpg")
    func size(_ quality: Double) throws -> Int {
      let source = try written(image, "public.jpeg", [kCGImageDestinationLossyCompressionQuality: quality])
      return try #require(CGImageSourceCopyProperties(source, nil)?[kCGImagePropertyFileSize] as? Int)
    }
    #expect(try size(0.1) < size(0.5) && size(0.5) < size(1))
    let best = try #require(
      CGImageSourceCreateImageAtIndex(written(image, "public.jpeg", [kCGImageDestinationLossyCompressionQuality: 1.0]), 0, nil))
    #expect(zip(best.bytes, image.bytes).allSatisfy { abs(Int($0) - Int($1)) <= 6 })
    let inks = try PictureFile.image("cmyk_adobe.jpg")
    let again = try #require(
      CGImageSourceCreateImageAtIndex(written(inks, "public.jpeg", [kCGImageDestinationLossyCompressionQuality: 1.0]), 0, nil))
    #expect(again.colorSpace?.model == .cmyk)
    #expect(zip(again.bytes, inks.bytes).allSatisfy { abs(Int($0) - Int($1)) <= 8 })
  }

  @Test func `a transparent image lies over white, or another colour, in a JPEG`() throws {
    let clear = try image([255, 0, 0, 0, 255, 0, 0, 0], width: 2, bitsPerPixel: 32, CGImageAlphaInfo.last.rawValue)
    let white = try #require(CGImageSourceCreateImageAtIndex(written(clear, "public.jpeg"), 0, nil))
    #expect(white.color(0, 0).allSatisfy { $0 >= 253 })
    let blue = CGColor(red: 0, green: 0, blue: 1, alpha: 1)
    let over = try #require(
      CGImageSourceCreateImageAtIndex(
        written(clear, "public.jpeg", [kCGImageDestinationBackgroundColor: blue, kCGImageDestinationLossyCompressionQuality: 1.0]), 0, nil))
    #expect(over.color(0, 0)[2] >= 250 && over.color(0, 0)[0] <= 5)
  }

  @Test func `metadata that is written reads back`() throws {
    let exif: [CFString: Any] = [
      kCGImagePropertyExifFNumber: 2, kCGImagePropertyExifExposureTime: 0.01, kCGImagePropertyExifISOSpeedRatings: [200],
      kCGImagePropertyExifVersion: [2, 3, 2], kCGImagePropertyExifUserComment: "Möwe", kCGImagePropertyExifLensModel: "Lens",
      kCGImagePropertyExifSceneType: 1,
    ]
    let gps: [CFString: Any] = [
      kCGImagePropertyGPSLatitude: 48.2083, kCGImagePropertyGPSLatitudeRef: "N", kCGImagePropertyGPSTimeStamp: "07:08:09",
    ]
    let given: [CFString: Any] = [
      kCGImagePropertyOrientation: CGImagePropertyOrientation.left.rawValue, kCGImagePropertyDPIWidth: 300, kCGImagePropertyDPIHeight: 300,
      kCGImagePropertyExifDictionary: exif, kCGImagePropertyGPSDictionary: gps,
      kCGImagePropertyTIFFDictionary: [kCGImagePropertyTIFFMake: "Maker", kCGImagePropertyTIFFArtist: "nobody"] as [CFString: Any],
      kCGImagePropertyIPTCDictionary: [kCGImagePropertyIPTCKeywords: ["sea", "gull"]] as [CFString: Any],
      kCGImagePropertyPNGDictionary: [kCGImagePropertyPNGTitle: "Möwe"] as [CFString: Any],
      kCGImagePropertyJFIFDictionary: [kCGImagePropertyJFIFIsProgressive: true] as [CFString: Any],
    ]
    for type in ["public.jpeg", "public.png"] {
      let source = try written(PictureFile.image("rgb8.png"), type, given)
      let read = try PictureFile.properties(source)
      #expect(read[kCGImagePropertyOrientation] as? Int == 8 && (read[kCGImagePropertyDPIWidth] as? Double)?.rounded() == 300)
      let readExif = try #require(read[kCGImagePropertyExifDictionary] as? [CFString: Any])
      #expect(readExif[kCGImagePropertyExifFNumber] as? Double == 2 && readExif[kCGImagePropertyExifExposureTime] as? Double == 0.01)
      #expect(readExif[kCGImagePropertyExifISOSpeedRatings] as? [Int] == [200])
      #expect(readExif[kCGImagePropertyExifVersion] as? [Int] == [2, 3, 2])
      #expect(readExif[kCGImagePropertyExifUserComment] as? String == "Möwe" && readExif[kCGImagePropertyExifSceneType] as? Int == 1)
      #expect(readExif[kCGImagePropertyExifLensModel] as? String == "Lens")
      let readGPS = try #require(read[kCGImagePropertyGPSDictionary] as? [CFString: Any])
      #expect(abs((readGPS[kCGImagePropertyGPSLatitude] as? Double ?? 0) - 48.2083) < 1e-6)
      #expect(readGPS[kCGImagePropertyGPSTimeStamp] as? String == "07:08:09")
      #expect((read[kCGImagePropertyTIFFDictionary] as? [CFString: Any])?[kCGImagePropertyTIFFArtist] as? String == "nobody")
      if type == "public.jpeg" {
        let iptc = try #require(read[kCGImagePropertyIPTCDictionary] as? [CFString: Any])
        #expect(iptc[kCGImagePropertyIPTCKeywords] as? [String] == ["sea", "gull"])
        #expect((read[kCGImagePropertyJFIFDictionary] as? [CFString: Any])?[kCGImagePropertyJFIFIsProgressive] as? Bool == true)
      } else {
        #expect((read[kCGImagePropertyPNGDictionary] as? [CFString: Any])?[kCGImagePropertyPNGTitle] as? String == "Möwe")
      }
    }
  }

  @Test func `a source's picture is written with its properties, some of them replaced`() throws {
    let source = try PictureFile.source("described.jpg")
    let data = CFMutableData()
    let destination = try #require(CGImageDestinationCreateWithData(data, "public.jpeg" as CFString, 1, nil))
    CGImageDestinationSetProperties(destination, [kCGImageDestinationLossyCompressionQuality: 0.9] as [CFString: Any] as CFDictionary)
    CGImageDestinationAddImageFromSource(destination, source, 0, [kCGImagePropertyOrientation: 1] as [CFString: Any] as CFDictionary)
    #expect(CGImageDestinationFinalize(destination))
    let read = try PictureFile.properties(try #require(CGImageSourceCreateWithData(data, nil)))
    #expect(read[kCGImagePropertyOrientation] as? Int == 1 && read[kCGImagePropertyProfileName] as? String == "Display P3")
    #expect((read[kCGImagePropertyExifDictionary] as? [CFString: Any])?[kCGImagePropertyExifLensModel] as? String == "Lens 2")
    #expect((read[kCGImagePropertyIPTCDictionary] as? [CFString: Any])?[kCGImagePropertyIPTCObjectName] as? String == "a name")
  }

  @Test func `a file is written once, with the one picture that it holds`() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".png")
    defer { try? FileManager.default.removeItem(at: url) }
    let image = try PictureFile.image("rgb8.png")
    let destination = try #require(CGImageDestinationCreateWithURL(url as CFURL, "public.png" as CFString, 1, nil))
    CGImageDestinationAddImage(destination, image, nil)
    #expect(CGImageDestinationFinalize(destination) && !CGImageDestinationFinalize(destination))
    let source = try #require(CGImageSourceCreateWithURL(url as CFURL, nil))
    #expect(CGImageSourceCreateImageAtIndex(source, 0, nil)?.bytes == image.bytes)
    let empty = try #require(CGImageDestinationCreateWithURL(url as CFURL, "public.png" as CFString, 1, nil))
    #expect(!CGImageDestinationFinalize(empty))
    let nowhere = URL(fileURLWithPath: "/nowhere/a.png") as CFURL
    let lost = try #require(CGImageDestinationCreateWithURL(nowhere, "public.png" as CFString, 1, nil))
    CGImageDestinationAddImage(lost, image, nil)
    #expect(!CGImageDestinationFinalize(lost))
    #expect(CGImageDestinationCreateWithURL(url as CFURL, "public.heic" as CFString, 1, nil) == nil)
    #expect(CGImageDestinationCreateWithURL(url as CFURL, "public.png" as CFString, 2, nil) == nil)
    #expect(Set(CGImageDestinationCopyTypeIdentifiers() as? [String] ?? []) == ["public.png", "public.jpeg"])
  }

  @Test func `a written picture may be smaller`() throws {
    let source = try written(PictureFile.image("reduced.jpg"), "public.png", [kCGImageDestinationImageMaxPixelSize: 20])
    #expect(try PictureFile.properties(source)[kCGImagePropertyPixelWidth] as? Int == 20)
    #expect(try PictureFile.properties(source)[kCGImagePropertyPixelHeight] as? Int == 15)
  }
}
