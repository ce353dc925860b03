import ImageIO
import Testing

struct PropertyTests {
  private func dictionary(_ properties: [CFString: Any], _ key: CFString) throws -> [CFString: Any] {
    try #require(properties[key] as? [CFString: Any], "\(key)")
  }

  @Test func `properties of a JPEG file`() throws {
    let properties = try PictureFile.properties(PictureFile.source("described.jpg"))
    #expect(properties[kCGImagePropertyPixelWidth] as? Int == 60 && properties[kCGImagePropertyPixelHeight] as? Int == 41)
    #expect(properties[kCGImagePropertyColorModel] as? String == kCGImagePropertyColorModelRGB as String)
    #expect(properties[kCGImagePropertyDepth] as? Int == 8 && properties[kCGImagePropertyHasAlpha] == nil)
    #expect(properties[kCGImagePropertyDPIWidth] as? Double == 144 && properties[kCGImagePropertyDPIHeight] as? Double == 144)
    let jfif = try dictionary(properties, kCGImagePropertyJFIFDictionary)
    #expect(jfif[kCGImagePropertyJFIFXDensity] as? Int == 144 && jfif[kCGImagePropertyJFIFYDensity] as? Int == 144)
    #expect(jfif[kCGImagePropertyJFIFDensityUnit] as? Int == 1 && jfif[kCGImagePropertyJFIFVersion] as? [Int] == [1, 0, 1])
    #expect(jfif[kCGImagePropertyJFIFIsProgressive] as? Bool == false)
    // As clients that use strings read them.
    let strings = CGImageSourceCopyPropertiesAtIndex(try PictureFile.source("described.jpg"), 0, nil) as? [String: Any]
    #expect((strings?["{Exif}"] as? [String: Any])?["FNumber"] as? Double == 1.8)
    #expect(strings?[kCGImagePropertyOrientation as String] as? UInt32 == CGImagePropertyOrientation.right.rawValue)
  }

  @Test func `EXIF, TIFF and GPS dictionaries`() throws {
    let properties = try PictureFile.properties(PictureFile.source("described.jpg"))
    let tiff = try dictionary(properties, kCGImagePropertyTIFFDictionary)
    #expect(tiff[kCGImagePropertyTIFFMake] as? String == "Maker" && tiff[kCGImagePropertyTIFFModel] as? String == "Camera 1")
    #expect(tiff[kCGImagePropertyTIFFOrientation] as? Int == 6 && tiff[kCGImagePropertyTIFFXResolution] as? Double == 240)
    #expect(tiff[kCGImagePropertyTIFFDateTime] as? String == "2024:05:06 07:08:09")
    let exif = try dictionary(properties, kCGImagePropertyExifDictionary)
    #expect(abs((exif[kCGImagePropertyExifExposureTime] as? Double ?? 0) - 0.004) < 1e-9)
    #expect(exif[kCGImagePropertyExifISOSpeedRatings] as? [Int] == [125])
    #expect(exif[kCGImagePropertyExifVersion] as? [Int] == [2, 3, 2])
    #expect(exif[kCGImagePropertyExifComponentsConfiguration] as? [Int] == [1, 2, 3, 0])
    #expect(exif[kCGImagePropertyExifUserComment] as? String == "a comment")
    #expect(exif[kCGImagePropertyExifLensSpecification] as? [Double] == [1.5, 9, 1.5, 2.8])
    #expect(exif[kCGImagePropertyExifLensModel] as? String == "Lens 2" && exif[kCGImagePropertyExifFlash] as? Int == 16)
    #expect(abs((exif[kCGImagePropertyExifExposureBiasValue] as? Double ?? 0) + 1.0 / 3) < 1e-6)
    let gps = try dictionary(properties, kCGImagePropertyGPSDictionary)
    #expect(abs((gps[kCGImagePropertyGPSLatitude] as? Double ?? 0) - 48.208333) < 1e-5)
    #expect(gps[kCGImagePropertyGPSLatitudeRef] as? String == "N" && gps[kCGImagePropertyGPSLongitude] as? Double == 11.5)
    #expect(gps[kCGImagePropertyGPSTimeStamp] as? String == "07:08:09" && gps[kCGImagePropertyGPSAltitude] as? Double == 519.5)
  }

  @Test func `IPTC dictionary`() throws {
    let iptc = try dictionary(PictureFile.properties(PictureFile.source("described.jpg")), kCGImagePropertyIPTCDictionary)
    #expect(iptc[kCGImagePropertyIPTCObjectName] as? String == "a name")
    #expect(iptc[kCGImagePropertyIPTCKeywords] as? [String] == ["sea", "gull"])
    #expect(iptc[kCGImagePropertyIPTCByline] as? [String] == ["Möwe"])
    #expect(iptc[kCGImagePropertyIPTCCaptionAbstract] as? String == "a gull at sea")
  }

  @Test func `PNG dictionary`() throws {
    let properties = try PictureFile.properties(PictureFile.source("described.png"))
    let png = try dictionary(properties, kCGImagePropertyPNGDictionary)
    #expect(png[kCGImagePropertyPNGTitle] as? String == "Café" && png[kCGImagePropertyPNGAuthor] as? String == "Möwe")
    #expect(png[kCGImagePropertyPNGInterlaceType] as? Int == 0 && png[kCGImagePropertyPNGXPixelsPerMeter] as? Int == 5669)
    #expect(properties[kCGImagePropertyOrientation] as? Int == 6)
    #expect((properties[kCGImagePropertyDPIWidth] as? Double)?.rounded() == 144)
    let gamma = try dictionary(PictureFile.properties(PictureFile.source("gamma.png")), kCGImagePropertyPNGDictionary)
    #expect(gamma[kCGImagePropertyPNGGamma] as? Double == 0.55556)
    #expect((gamma[kCGImagePropertyPNGChromaticities] as? [Double])?.count == 8)
    let srgb = try dictionary(PictureFile.properties(PictureFile.source("srgb.png")), kCGImagePropertyPNGDictionary)
    #expect(srgb[kCGImagePropertyPNGsRGBIntent] as? Int == 0)
    let interlaced = try dictionary(PictureFile.properties(PictureFile.source("rgb8_interlaced.png")), kCGImagePropertyPNGDictionary)
    #expect(interlaced[kCGImagePropertyPNGInterlaceType] as? Int == 1)
    #expect(try PictureFile.properties(PictureFile.source("rgba8.png"))[kCGImagePropertyHasAlpha] as? Bool == true)
  }

  @Test func `properties of formats with libraries of their own are known without them`() throws {
    let heic = try PictureFile.properties(PictureFile.source("rgb.heic"))
    #expect(heic[kCGImagePropertyPixelWidth] as? Int == 44 && heic[kCGImagePropertyProfileName] as? String == "Display P3")
    #expect(try dictionary(heic, kCGImagePropertyTIFFDictionary)[kCGImagePropertyTIFFModel] as? String == "Camera 1")
    #expect(try PictureFile.properties(PictureFile.source("rgb10.heic"))[kCGImagePropertyDepth] as? Int == 10)
    let webP = try PictureFile.properties(PictureFile.source("lossless.webp"))
    #expect(webP[kCGImagePropertyOrientation] as? Int == 8 && webP[kCGImagePropertyHasAlpha] as? Bool == true)
  }
}
