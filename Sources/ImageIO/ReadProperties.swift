import CoreGraphics
import MartletMedia
import MartletPixels

/// Metadata as the dictionaries that clients read.
enum ReadProperties {
  static func dictionary(_ header: PictureHeader, _ metadata: PictureMetadata) -> [CFString: Any] {
    var properties: [CFString: Any] = [
      kCGImagePropertyPixelWidth: header.width, kCGImagePropertyPixelHeight: header.height,
      kCGImagePropertyDepth: header.bitsPerComponent,
    ]
    switch header.model {
    case .gray: properties[kCGImagePropertyColorModel] = kCGImagePropertyColorModelGray
    case .rgb: properties[kCGImagePropertyColorModel] = kCGImagePropertyColorModelRGB
    case .cmyk: properties[kCGImagePropertyColorModel] = kCGImagePropertyColorModelCMYK
    case .indexed:
      properties[kCGImagePropertyColorModel] = kCGImagePropertyColorModelRGB
      properties[kCGImagePropertyIsIndexed] = true
    }
    if header.hasAlpha { properties[kCGImagePropertyHasAlpha] = true }
    properties[kCGImagePropertyProfileName] = PictureColors.profileName(metadata)
    properties[kCGImagePropertyOrientation] = metadata.orientation?.rawValue
    if let resolution = metadata.resolution?.perInch {
      properties[kCGImagePropertyDPIWidth] = resolution.x
      properties[kCGImagePropertyDPIHeight] = resolution.y
    }
    if let block = metadata.exif, let exif = try? ExifBlock(block[...]) { add(exif, to: &properties) }
    if let records = metadata.iptc { properties[kCGImagePropertyIPTCDictionary] = iptc(IPTCRecords(records[...])) }
    properties[kCGImagePropertyJFIFDictionary] = metadata.jfif.map { jfif($0, isProgressive: header.isProgressive) }
    properties[kCGImagePropertyPNGDictionary] = metadata.png.map { png($0, metadata.resolution) }
    return properties
  }

  private static func add(_ block: ExifBlock, to properties: inout [CFString: Any]) {
    let tiff = dictionary(block.main, PropertyTable.tiff)
    if properties[kCGImagePropertyDPIWidth] == nil, let x = tiff[kCGImagePropertyTIFFXResolution] as? Double,
      let y = tiff[kCGImagePropertyTIFFYResolution] as? Double
    {
      // 3 says centimetres; inches are the default.
      let unit: PictureMetadata.Resolution.Unit = tiff[kCGImagePropertyTIFFResolutionUnit] as? Int == 3 ? .centimeter : .inch
      let perInch = PictureMetadata.Resolution(x: x, y: y, unit: unit).perInch
      properties[kCGImagePropertyDPIWidth] = perInch?.x
      properties[kCGImagePropertyDPIHeight] = perInch?.y
    }
    for (key, values) in [
      (kCGImagePropertyTIFFDictionary, tiff), (kCGImagePropertyExifDictionary, dictionary(block.exif, PropertyTable.exif)),
      (kCGImagePropertyGPSDictionary, dictionary(block.gps, PropertyTable.gps, arePositions: true)),
    ] where !values.isEmpty {
      properties[key] = values
    }
  }

  private static func dictionary(
    _ directory: TIFFDirectory, _ table: [(key: CFString, tag: Int)], arePositions: Bool = false
  ) -> [CFString: Any] {
    var result: [CFString: Any] = [:]
    for (key, tag) in table {
      guard let value = directory[tag] else { continue }
      result[key] = arePositions ? position(value, tag) : plain(value, tag)
    }
    return result
  }

  private static func plain(_ value: TIFFValue, _ tag: Int) -> Any? {
    switch value {
    case .text(let text): return text
    // Some programs write bytes as numbers.
    case .integers(let values) where tag == PropertyTable.Tag.userComment: return comment(values.map { UInt8(truncatingIfNeeded: $0) })
    case .integers(let values): return values.count == 1 && !PropertyTable.lists.contains(tag) ? values[0] : values
    case .numbers(let values):
      guard values.allSatisfy(\.isFinite) else { return nil }
      return values.count == 1 && !PropertyTable.lists.contains(tag) ? values[0] : values
    case .bytes(let bytes):
      switch tag {
      case PropertyTable.Tag.version, PropertyTable.Tag.flashPixVersion: return version(bytes)
      case PropertyTable.Tag.userComment: return comment(bytes)
      case PropertyTable.Tag.fileSource, PropertyTable.Tag.sceneType: return bytes.first.map { Int($0) }
      case PropertyTable.Tag.makerNote: return nil
      default: return bytes.map { Int($0) }
      }
    }
  }

  /// Two digits of the main number, then one each of the others: "0230" is 2, 3.
  private static func version(_ bytes: [UInt8]) -> [Int]? {
    let digits = bytes.map { Int($0) - 48 }
    guard digits.count == 4, digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
    return [digits[0] * 10 + digits[1], digits[2]] + (digits[3] == 0 ? [] : [digits[3]])
  }

  /// A text with its character set in the first eight bytes.
  private static func comment(_ bytes: [UInt8]) -> String? {
    guard bytes.count >= 8 else { return nil }
    let text = bytes[8...].prefix { $0 != 0 }
    if bytes.starts(with: "UNICODE\0".utf8) {
      let units = stride(from: 8, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
      return String(decoding: units, as: UTF16.self)
    }
    return String(validating: text, as: UTF8.self)
  }

  private static func position(_ value: TIFFValue, _ tag: Int) -> Any? {
    guard case .numbers(let parts) = value, parts.count == 3, parts.allSatisfy(\.isFinite) else { return plain(value, tag) }
    switch tag {
    case PropertyTable.Tag.latitude, PropertyTable.Tag.longitude, PropertyTable.Tag.destinationLatitude,
      PropertyTable.Tag.destinationLongitude:
      // Degrees, minutes and seconds.
      return parts[0] + parts[1] / 60 + parts[2] / 3600
    case PropertyTable.Tag.timeStamp:
      return String(
        format: "%02d:%02d:%02d", Int(exactly: parts[0].rounded()) ?? 0, Int(exactly: parts[1].rounded()) ?? 0,
        Int(exactly: parts[2].rounded(.down)) ?? 0)
    default: return plain(value, tag)
    }
  }

  private static func iptc(_ records: IPTCRecords) -> [CFString: Any] {
    var result: [CFString: Any] = [:]
    for (key, number) in PropertyTable.iptc {
      guard let texts = records.texts[number] else { continue }
      result[key] = PropertyTable.iptcLists.contains(number) ? texts : texts[0]
    }
    return result
  }

  private static func jfif(_ jfif: PictureMetadata.JFIF, isProgressive: Bool) -> [CFString: Any] {
    [
      kCGImagePropertyJFIFVersion: [jfif.majorVersion, jfif.minorVersion / 16, jfif.minorVersion % 16],
      kCGImagePropertyJFIFXDensity: jfif.xDensity, kCGImagePropertyJFIFYDensity: jfif.yDensity,
      kCGImagePropertyJFIFDensityUnit: jfif.densityUnit, kCGImagePropertyJFIFIsProgressive: isProgressive,
    ]
  }

  private static func png(_ png: PictureMetadata.PNGProperties, _ resolution: PictureMetadata.Resolution?) -> [CFString: Any] {
    var result: [CFString: Any] = [kCGImagePropertyPNGInterlaceType: png.isInterlaced ? 1 : 0]
    result[kCGImagePropertyPNGGamma] = png.gamma
    result[kCGImagePropertyPNGChromaticities] = png.chromaticities
    result[kCGImagePropertyPNGsRGBIntent] = png.sRGBIntent
    if let resolution, resolution.unit == .meter {
      result[kCGImagePropertyPNGXPixelsPerMeter] = resolution.x
      result[kCGImagePropertyPNGYPixelsPerMeter] = resolution.y
    }
    for key in PropertyTable.pngTexts { result[key] = png.texts[key as String] }
    return result
  }
}

extension PropertyTable {
  /// Data sets that may occur several times.
  static let iptcLists: Set<Int> = [12, 20, 25, 26, 27, 80, 85, 118, 122]
  /// Keywords of texts in PNG files.
  @safe nonisolated(unsafe) static let pngTexts: [CFString] = [
    kCGImagePropertyPNGAuthor, kCGImagePropertyPNGCopyright, kCGImagePropertyPNGCreationTime, kCGImagePropertyPNGDescription,
    kCGImagePropertyPNGModificationTime, kCGImagePropertyPNGSoftware, kCGImagePropertyPNGTitle, kCGImagePropertyPNGComment,
    kCGImagePropertyPNGDisclaimer, kCGImagePropertyPNGSource, kCGImagePropertyPNGWarning,
  ]
}
