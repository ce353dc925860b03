import MartletTensor

/// Chunks of a PNG file other than its image.
///
/// Source: Portable Network Graphics, third edition, 5.3.
struct PNGChunks {
  /// The TIFF block of the first `eXIf` chunk whose checksum is right; none without zlib, which libpng needs as well.
  private(set) var exif: ArraySlice<UInt8>?

  init(_ bytes: [UInt8]) {
    guard let library = try? ZLib.loaded.get() else { return }
    func integer(at offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int(widening: $1) } }
    // After the signature, chunks consist of content length, type, content, and a checksum of type and content.
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = integer(at: offset)
      guard length <= bytes.count - offset - 12 else { return }
      let type = bytes[offset + 4..<offset + 8]
      if type.elementsEqual("eXIf".utf8),
        library.checksum(bytes[offset + 4..<offset + 8 + length]) == UInt32(clamping: integer(at: offset + 8 + length))
      {
        exif = bytes[offset + 8..<offset + 8 + length]
        return
      }
      if type.elementsEqual("IEND".utf8) { return }
      offset += 12 + length
    }
  }

  /// Ancillary chunks that change the pixels: transparency, gamma, chromaticities and colour profile.
  private static let kept = ["tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT"].map { Array($0.utf8) }

  /// The file without ancillary chunks that do not change the pixels, such as texts. libpng would decompress and keep each of them.
  static func essential(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    // Everything before it is in `result`, unless there was nothing to leave out yet.
    var copied = 0
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int(widening: $1) }
      guard length <= bytes.count - offset - 12 else { break }
      let type = bytes[offset + 4..<offset + 8]
      let end = offset + 12 + length
      // Bit 5 of the first letter marks ancillary chunks.
      if type.first.map({ $0 & 32 != 0 }) == true, !kept.contains(where: { type.elementsEqual($0) }) {
        result += bytes[copied..<offset]
        copied = end
      }
      offset = end
    }
    return copied == 0 ? bytes : result + bytes[copied...]
  }
}
