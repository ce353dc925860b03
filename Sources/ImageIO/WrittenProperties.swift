import CoreGraphics
import MartletMedia
import MartletPixels

/// The metadata that clients give for a picture to be written. Keys that are not known, and values of other types, are left out.
struct WrittenProperties {
  private let properties: [CFString: Any]

  /// - Parameter dictionaries: later ones win.
  init(_ dictionaries: [CFDictionary?]) {
    properties = dictionaries.compactMap { $0 }.reduce(into: [:]) { $0.merge(Self.content($1)) { $1 } }
  }

  private static func content(_ dictionary: CFDictionary) -> [CFString: Any] {
    var result: [CFString: Any] = [:]
    for (key, value) in dictionary { if let key = key as? String { result[key as CFString] = value } }
    return result
  }

  private func dictionary(_ key: CFString) -> [CFString: Any] {
    (properties[key] as? CFDictionary).map(Self.content) ?? [:]
  }

  /// A number from 0 to 1.
  var quality: Double? { Self.number(properties[kCGImageDestinationLossyCompressionQuality]) }

  /// Length of the longer side that must not be exceeded.
  var maximumExtent: Int? { Self.integer(properties[kCGImageDestinationImageMaxPixelSize]).flatMap { $0 > 0 ? $0 : nil } }

  var background: CGColor? { properties[kCGImageDestinationBackgroundColor] as? CGColor }

  var isProgressive: Bool { Self.integer(dictionary(kCGImagePropertyJFIFDictionary)[kCGImagePropertyJFIFIsProgressive]) == 1 }

  private var orientation: Int? {
    let given = properties[kCGImagePropertyOrientation] ?? dictionary(kCGImagePropertyTIFFDictionary)[kCGImagePropertyTIFFOrientation]
    return Self.integer(given).flatMap { (1...8).contains($0) ? $0 : nil }
  }

  /// The metadata without colours, which the picture has.
  var metadata: PictureMetadata {
    var metadata = PictureMetadata()
    var block = ExifBlock()
    for (key, tag) in PropertyTable.tiff { block.main[tag] = value(dictionary(kCGImagePropertyTIFFDictionary)[key], tag) }
    for (key, tag) in PropertyTable.exif { block.exif[tag] = value(dictionary(kCGImagePropertyExifDictionary)[key], tag) }
    for (key, tag) in PropertyTable.gps { block.gps[tag] = position(dictionary(kCGImagePropertyGPSDictionary)[key], tag) }
    // Properties of samples other than those that are written.
    for tag in [0x103, 0x106, 0x12D] { block.main[tag] = nil }
    block.main[PropertyTable.Tag.orientation] = orientation.map { .integers([$0]) }
    if let x = Self.number(properties[kCGImagePropertyDPIWidth]), let y = Self.number(properties[kCGImagePropertyDPIHeight]) {
      metadata.resolution = PictureMetadata.Resolution(x: x, y: y, unit: .inch)
      block.main[PropertyTable.Tag.xResolution] = .numbers([x])
      block.main[PropertyTable.Tag.yResolution] = .numbers([y])
      block.main[PropertyTable.Tag.resolutionUnit] = .integers([2])
    }
    if block != ExifBlock() { metadata.exif = block.bytes }
    metadata.iptc = iptc
    metadata.png = png
    return metadata
  }

  private func value(_ given: Any?, _ tag: Int) -> TIFFValue? {
    if let text = given as? String {
      guard tag == PropertyTable.Tag.userComment else { return .text(text) }
      let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
      let content = isASCII ? Array(text.utf8) : text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      return .bytes(Array((isASCII ? "ASCII\0\0\0" : "UNICODE\0").utf8) + content)
    }
    guard let numbers = Self.numbers(given) else { return nil }
    if PropertyTable.quotients.contains(tag) { return .numbers(numbers) }
    let integers = numbers.compactMap { Int(exactly: $0.rounded()) }
    guard integers.count == numbers.count, integers.allSatisfy({ Int(Int32.min)...Int(UInt32.max) ~= $0 }) else { return nil }
    switch tag {
    case PropertyTable.Tag.version, PropertyTable.Tag.flashPixVersion:
      guard (1...3).contains(integers.count), integers.allSatisfy({ (0...9).contains($0) }) else { return nil }
      return .bytes(([0] + integers + [0, 0]).prefix(4).map { UInt8($0) + 48 })
    case PropertyTable.Tag.componentsConfiguration, PropertyTable.Tag.fileSource, PropertyTable.Tag.sceneType:
      return .bytes(integers.map { UInt8(clamping: $0) })
    case PropertyTable.Tag.makerNote: return nil
    default: return .integers(integers)
    }
  }

  private func position(_ given: Any?, _ tag: Int) -> TIFFValue? {
    switch tag {
    case PropertyTable.Tag.latitude, PropertyTable.Tag.longitude, PropertyTable.Tag.destinationLatitude,
      PropertyTable.Tag.destinationLongitude:
      guard let degrees = Self.number(given).map(abs), degrees <= 360 else { return nil }
      let minutes = (degrees - degrees.rounded(.down)) * 60
      return .numbers([degrees.rounded(.down), minutes.rounded(.down), (minutes - minutes.rounded(.down)) * 60])
    case PropertyTable.Tag.timeStamp:
      let parts = (given as? String)?.split(separator: ":").compactMap { Double($0) } ?? []
      return parts.count == 3 ? .numbers(parts) : nil
    default:
      if let text = given as? String { return .text(text) }
      guard let numbers = Self.numbers(given) else { return nil }
      if PropertyTable.positionQuotients.contains(tag) { return .numbers(numbers) }
      return .integers(numbers.compactMap { Int(exactly: $0.rounded()) })
    }
  }

  private var iptc: [UInt8]? {
    var records = IPTCRecords()
    let given = dictionary(kCGImagePropertyIPTCDictionary)
    for (key, number) in PropertyTable.iptc {
      if let texts = given[key] as? [String], !texts.isEmpty { records.texts[number] = texts }
      if let text = given[key] as? String { records.texts[number] = [text] }
    }
    return records.texts.isEmpty ? nil : records.bytes
  }

  private var png: PictureMetadata.PNGProperties {
    var result = PictureMetadata.PNGProperties()
    let given = dictionary(kCGImagePropertyPNGDictionary)
    for key in PropertyTable.pngTexts { result.texts[key as String] = given[key] as? String }
    return result
  }

  // MARK: Values

  static func number(_ value: Any?) -> Double? { (value as? NSNumber)?.doubleValue }

  static func integer(_ value: Any?) -> Int? { number(value).flatMap { Int(exactly: $0.rounded()) } }

  private static func numbers(_ value: Any?) -> [Double]? {
    if let number = number(value) { return [number] }
    guard let list = value as? [Any] else { return nil }
    let numbers = list.compactMap { number($0) }
    return numbers.count == list.count && !numbers.isEmpty ? numbers : nil
  }
}
