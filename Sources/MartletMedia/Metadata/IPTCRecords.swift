import MartletTensor

/// Data sets of the application record (number 2) of the IPTC's Information Interchange Model: texts by their numbers.
///
/// Source: IPTC-NAA Information Interchange Model 4.2, 1.5 and 6.
package struct IPTCRecords: Sendable, Equatable {
  /// Some data sets may occur several times, such as keywords.
  package var texts: [Int: [String]] = [:]

  package init() {}

  /// Reads records until their end or the first one that is damaged.
  package init(_ records: ArraySlice<UInt8>) {
    let bytes = OrderedBytes(records, .bigEndian)
    var position = 0
    // A marker, the record's number, the data set's number and the length, each in one or two bytes.
    while bytes.integer(at: position, byteCount: 1) == 0x1C, let record = bytes.integer(at: position + 1, byteCount: 1),
      let number = bytes.integer(at: position + 2, byteCount: 1), let length = bytes.integer(at: position + 3, byteCount: 2),
      // The highest bit says that the length comes in more bytes, which texts do not need.
      length < 0x8000, let content = bytes.part(at: position + 5, count: length)
    {
      if record == 2 {
        let text =
          String(validating: content, as: UTF8.self) ?? String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
        // The version of the record is a number of two bytes.
        if number != 0 { texts[number, default: []].append(text) }
      }
      // In range: the content lies within the bytes.
      position += 5 + length
    }
  }

  /// The records as they are written, in UTF-8.
  package var bytes: [UInt8] {
    // The character set is UTF-8, and the record has version 4.
    var result: [UInt8] = [0x1C, 1, 90, 0, 3, 0x1B, 0x25, 0x47, 0x1C, 2, 0, 0, 2, 0, 4]
    for (number, list) in texts.sortedByKey {
      for text in list {
        let content = Array(text.utf8.prefix(0x7FFF))
        result += [0x1C, 2, UInt8(clamping: number)]
        OrderedBytes.Order.bigEndian.append(content.count, byteCount: 2, to: &result)
        result += content
      }
    }
    return result
  }
}

/// Image resources of Photoshop, the form in which JPEG files have IPTC data.
enum PhotoshopResources {
  private static let iptc = 0x0404

  /// The IPTC records; nil if there are none.
  static func iptc(_ resources: ArraySlice<UInt8>) -> [UInt8]? {
    let bytes = OrderedBytes(resources, .bigEndian)
    var position = 0
    // A signature, a number, a name with its length before it, a size and the data; name and data are padded to even sizes.
    while bytes.has("8BIM", at: position), let number = bytes.integer(at: position + 4, byteCount: 2),
      let nameLength = bytes.integer(at: position + 6, byteCount: 1)
    {
      // In range: sizes of 32 bits plus a position within the bytes.
      let sizePosition = position + 6 + (nameLength + 2) / 2 * 2
      guard let size = bytes.integer(at: sizePosition, byteCount: 4), let data = bytes.part(at: sizePosition + 4, count: size) else {
        return nil
      }
      if number == iptc { return Array(data) }
      position = sizePosition + 4 + (size + 1) / 2 * 2
    }
    return nil
  }

  static func resources(iptc records: [UInt8]) -> [UInt8] {
    var result = Array("8BIM".utf8)
    OrderedBytes.Order.bigEndian.append(iptc, byteCount: 2, to: &result)
    result += [0, 0]
    OrderedBytes.Order.bigEndian.append(records.count, byteCount: 4, to: &result)
    return result + records + (records.count % 2 == 1 ? [0] : [])
  }
}
