import MartletTensor

/// The chunks of a PNG file, in order.
///
/// Source: Portable Network Graphics, third edition, 5.3.
struct PNGChunks: Sequence, IteratorProtocol {
  /// A chunk: length of the content, type, content, and a checksum of type and content. The first one follows the signature of 8 bytes.
  struct Chunk {
    /// Position in the file.
    let start: Int
    let type: ArraySlice<UInt8>
    let content: ArraySlice<UInt8>
    let checksum: Int

    func hasType(_ name: StaticString) -> Bool { OrderedBytes(type, .bigEndian).has(name, at: 0) }
    /// Bit 5 of the first letter of the type.
    var isAncillary: Bool { type.first.map { $0 & 32 != 0 } == true }
    /// True if the content is as it was written; so without zlib, which libpng needs as well.
    var isIntact: Bool {
      guard let library = try? ZLib.loaded.get(), let bytes = typeAndContent else { return false }
      return Int(widening: library.checksum(bytes)) == checksum
    }

    /// Set by the reader.
    fileprivate let typeAndContent: ArraySlice<UInt8>?
  }

  private let file: OrderedBytes
  private(set) var position = 8

  init(_ bytes: [UInt8]) { file = OrderedBytes(bytes[...], .bigEndian) }

  /// - Returns: nil at the end and if the chunk is not complete.
  mutating func next() -> Chunk? {
    // In range: the chunk's parts lie within the file.
    guard let length = file.integer(at: position, byteCount: 4), let type = file.part(at: position + 4, count: 4),
      let content = file.part(at: position + 8, count: length), let checksum = file.integer(at: position + 8 + length, byteCount: 4)
    else { return nil }
    defer { position += 12 + length }
    return Chunk(
      start: position, type: type, content: content, checksum: checksum,
      typeAndContent: file.part(at: position + 4, count: 4 + length))
  }

  /// A chunk as it is written.
  /// - Parameter type: four letters.
  static func chunk(_ type: StaticString, _ content: [UInt8], _ library: ZLib) -> [UInt8] {
    var body = type.withUTF8Buffer { unsafe [UInt8]($0) }
    body += content
    var result: [UInt8] = []
    OrderedBytes.Order.bigEndian.append(content.count, byteCount: 4, to: &result)
    result += body
    OrderedBytes.Order.bigEndian.append(Int(widening: library.checksum(body[...])), byteCount: 4, to: &result)
    return result
  }
}
