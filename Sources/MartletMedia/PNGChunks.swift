import MartletTensor

/// Chunks of a PNG file other than its image.
///
/// Source: Portable Network Graphics, third edition, 5.3.
struct PNGChunks {
  /// The TIFF block of the first `eXIf` chunk whose checksum is right; none without zlib, which libpng needs as well.
  private(set) var exif: ArraySlice<UInt8>?

  init(_ bytes: [UInt8]) {
    guard let library = try? ZLib.loaded.get() else { return }
    var next = Chunk(at: 8, of: bytes)
    while let chunk = next, !chunk.hasType("IEND") {
      if chunk.hasType("eXIf"), library.checksum(bytes[chunk.type.startIndex..<chunk.content.endIndex]) == chunk.checksum {
        exif = chunk.content
        return
      }
      next = Chunk(at: chunk.end, of: bytes)
    }
  }

  /// A chunk: length of the content, type, content, and a checksum of type and content. The first one follows the signature of 8 bytes.
  private struct Chunk {
    let start: Int
    let type: ArraySlice<UInt8>
    let content: ArraySlice<UInt8>
    let checksum: UInt32
    var end: Int { content.endIndex + 4 }

    /// - Returns: nil if the chunk is not complete.
    init?(at start: Int, of bytes: [UInt8]) {
      func integer(at offset: Int) -> UInt32 { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32(widening: $1) } }
      guard start + 12 <= bytes.count, case let length = Int(widening: integer(at: start)), length <= bytes.count - start - 12 else {
        return nil
      }
      self.start = start
      type = bytes[start + 4..<start + 8]
      content = bytes[start + 8..<start + 8 + length]
      checksum = integer(at: start + 8 + length)
    }

    func hasType(_ name: String) -> Bool { type.elementsEqual(name.utf8) }
    /// Bit 5 of the first letter of the type.
    var isAncillary: Bool { type.first.map { $0 & 32 != 0 } == true }
  }

  /// Ancillary chunks that change the pixels: transparency, gamma, chromaticities and colour profile.
  private static let kept = ["tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT"]

  /// The file without ancillary chunks that do not change the pixels, such as texts. libpng would decompress and keep each of them.
  static func essential(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    // Everything before it is in `result`, unless there was nothing to leave out yet.
    var copied = 0
    var next = Chunk(at: 8, of: bytes)
    while let chunk = next {
      if chunk.isAncillary, !kept.contains(where: chunk.hasType) {
        result += bytes[copied..<chunk.start]
        copied = chunk.end
      }
      next = Chunk(at: chunk.end, of: bytes)
    }
    return copied == 0 ? bytes : result + bytes[copied...]
  }
}
