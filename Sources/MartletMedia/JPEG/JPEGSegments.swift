import MartletSystem
import MartletTensor

/// The segments of a JPEG file around its entropy-coded data.
///
/// Source: ITU-T T.81, annex B; ITU-T T.871 and T.872 for the application segments.
struct JPEGSegments: Sendable {
  /// What the frame header declares.
  struct Frame {
    var width: Int
    var height: Int
    var precision: Int
    var componentCount: Int
    var isProgressive: Bool
  }

  private(set) var frame: Frame?
  /// The TIFF block of the first APP1 segment with an EXIF signature.
  private(set) var exif: ArraySlice<UInt8>?
  private(set) var iptc: [UInt8]?
  private(set) var jfif: PictureMetadata.JFIF?
  /// How Adobe's marker says that colours were converted: 0 not, 1 to YCbCr, 2 to YCCK; nil without the marker.
  private(set) var adobeTransform: Int?
  /// Offset of the first start-of-scan marker; nil if the segments do not lead to one.
  private(set) var firstScanOffset: Int?
  /// True if an end-of-image marker follows the start of the first scan. Thumbnails in earlier segments do not count.
  private(set) var hasEnd = false
  /// Number of scans up to the first end of an image; a progressive file has several.
  private(set) var scanCount = 0
  /// Parts of the colour profile by their numbers, and how many there should be.
  private var profileParts: [Int: ArraySlice<UInt8>] = [:]
  private var profilePartCount = 0

  init(_ file: [UInt8]) {
    let bytes = OrderedBytes(file[...], .bigEndian)
    // Segments precede the first scan: FF, marker, big-endian length that includes itself.
    var offset = 2
    while bytes.integer(at: offset, byteCount: 1) == 0xFF, let marker = bytes.integer(at: offset + 1, byteCount: 1) {
      if marker == 0xFF {
        offset += 1
        continue
      }
      if marker == 0xDA {
        firstScanOffset = offset
        countScans(file, from: offset)
        return
      }
      // In range: a length of 16 bits.
      guard let length = bytes.integer(at: offset + 2, byteCount: 2), length >= 2,
        let content = bytes.part(at: offset + 4, count: length - 2)
      else { return }
      read(marker, OrderedBytes(content, .bigEndian))
      offset += 2 + length
    }
  }

  private mutating func read(_ marker: Int, _ content: OrderedBytes) {
    switch marker {
    // Frame headers; the codes left out are tables.
    case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
      guard frame == nil, let precision = content.integer(at: 0, byteCount: 1), let height = content.integer(at: 1, byteCount: 2),
        let width = content.integer(at: 3, byteCount: 2), let count = content.integer(at: 5, byteCount: 1)
      else { return }
      frame = Frame(
        width: width, height: height, precision: precision, componentCount: count,
        isProgressive: [0xC2, 0xC6, 0xCA, 0xCE].contains(marker))
    case 0xE0 where content.has("JFIF\0", at: 0):
      guard jfif == nil, let major = content.integer(at: 5, byteCount: 1), let minor = content.integer(at: 6, byteCount: 1),
        let unit = content.integer(at: 7, byteCount: 1), let x = content.integer(at: 8, byteCount: 2),
        let y = content.integer(at: 10, byteCount: 2)
      else { return }
      jfif = PictureMetadata.JFIF(majorVersion: major, minorVersion: minor, densityUnit: unit, xDensity: x, yDensity: y)
    case 0xE1 where content.has("Exif\0\0", at: 0): exif = exif ?? content.rest(from: 6)
    case 0xE2 where content.has("ICC_PROFILE\0", at: 0):
      guard let number = content.integer(at: 12, byteCount: 1), let count = content.integer(at: 13, byteCount: 1),
        let part = content.rest(from: 14)
      else { return }
      profileParts[number] = profileParts[number] ?? part
      profilePartCount = count
    case 0xED where content.has("Photoshop 3.0\0", at: 0):
      guard iptc == nil, let resources = content.rest(from: 14) else { return }
      iptc = PhotoshopResources.iptc(resources)
    case 0xEE where content.has("Adobe", at: 0): adobeTransform = content.integer(at: 11, byteCount: 1)
    default: return
    }
  }

  /// In entropy-coded data, a zero follows every byte FF.
  private mutating func countScans(_ file: [UInt8], from offset: Int) {
    unsafe file.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      var position = offset
      while position + 1 < bytes.count, let found = unsafe memchr(start + position, 0xFF, bytes.count - 1 - position) {
        // In range: the byte found is not the last one.
        position = unsafe UnsafeRawPointer(found) - UnsafeRawPointer(start) + 1
        let marker = unsafe bytes[position]
        if marker == 0xDA { scanCount += 1 }
        if marker == 0xD9 {
          hasEnd = true
          return
        }
      }
    }
  }

  /// Size of the profile in bytes.
  var profileByteCount: Int { profileParts.values.reduce(0) { $0 + $1.count } }

  /// The colour profile, put together from its parts; nil if there is none or a part is missing.
  var profile: [UInt8]? {
    guard profilePartCount > 0, profileParts.count == profilePartCount else { return nil }
    var profile: [UInt8] = []
    for number in 1...profilePartCount {
      guard let part = profileParts[number] else { return nil }
      profile += part
    }
    return profile
  }

  /// A segment as it is written; nil if the content is too long for one.
  static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8]? {
    guard content.count <= 0xFFFF - 2 else { return nil }
    var result: [UInt8] = [0xFF, marker]
    OrderedBytes.Order.bigEndian.append(content.count + 2, byteCount: 2, to: &result)
    return result + content
  }
}
