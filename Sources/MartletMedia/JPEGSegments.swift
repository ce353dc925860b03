import MartletTensor

/// The segments of a JPEG file around its entropy-coded data.
///
/// Source: ITU-T T.81, annex B.
struct JPEGSegments {
  /// The TIFF block of the first APP1 segment with an EXIF signature.
  private(set) var exif: ArraySlice<UInt8>?
  /// Offset of the first start-of-scan marker; nil if the segments do not lead to one.
  private(set) var firstScanOffset: Int?
  /// Whether an end-of-image marker follows the start of the first scan. Thumbnails in earlier segments do not count.
  private(set) var hasEnd = false
  /// Number of scans, of which a progressive file has several.
  private(set) var scanCount = 0

  init(_ bytes: [UInt8]) {
    // Segments precede the first scan: FF, marker, big-endian length that includes itself.
    var offset = 2
    while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
      let marker = bytes[offset + 1]
      if marker == 0xFF {
        offset += 1
        continue
      }
      if marker == 0xDA {
        firstScanOffset = offset
        // In entropy-coded data, a zero follows every byte FF.
        scanCount = (offset..<bytes.count - 1).count { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }
        hasEnd = (offset..<bytes.count - 1).reversed().contains { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD9 }
        return
      }
      let length = Int(widening: bytes[offset + 2]) << 8 | Int(widening: bytes[offset + 3])
      guard length >= 2, length <= bytes.count - offset - 2 else { return }
      let content = bytes[offset + 4..<offset + 2 + length]
      let signature: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
      if marker == 0xE1, exif == nil, content.starts(with: signature) { exif = content.dropFirst(signature.count) }
      offset += 2 + length
    }
  }
}
