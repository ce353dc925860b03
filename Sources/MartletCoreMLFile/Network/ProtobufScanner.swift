import MartletBytes
import MartletTensor

/// The fields of a serialised protobuf message, for messages with millions of fields: unlike `ProtobufFields`, it makes no view of each field.
struct ProtobufScanner {
  /// The wire types, with their numbers.
  enum Kind: UInt64 {
    case varint, fixed64, bytes, startGroup, endGroup, fixed32
  }

  private let message: ByteView
  private var position: Int
  private let end: Int
  private var released = 0

  init(_ message: ByteView) {
    self.message = message
    position = 0
    end = message.count
  }

  private init(_ message: ByteView, _ range: Range<Int>) {
    self.message = message
    position = range.lowerBound
    released = position
    end = range.upperBound
  }

  /// The number and the wire type of the next field, whose content must be read or skipped; nil at the end.
  mutating func next() throws(FileError) -> (number: UInt64, kind: Kind)? {
    guard position < end else { return nil }
    let key = try varint()
    guard let kind = Kind(rawValue: key & 7), key >> 3 > 0, key >> 3 < 1 << 29 else { throw damaged() }
    return (key >> 3, kind)
  }

  @inline(__always)
  mutating func varint() throws(FileError) -> UInt64 {
    let base = unsafe message.unsafeBaseAddress
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < end, shift < 70 {
      // In bounds by the condition.
      let byte = unsafe base.load(fromByteOffset: position, as: UInt8.self)
      position += 1
      value |= UInt64(widening: byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw damaged()
  }

  mutating func fixed64() throws(FileError) -> UInt64 {
    guard end - position >= 8 else { throw damaged() }
    defer { position += 8 }
    // In bounds by the condition.
    return unsafe UInt64(littleEndian: message.unsafeBaseAddress.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  /// The content of a message.
  mutating func bytes() throws(FileError) -> ProtobufScanner {
    let count = try varint()
    guard count <= UInt64(clamping: end - position) else { throw damaged() }
    defer { position += Int(clamping: count) }
    // In range: within the message.
    return ProtobufScanner(message, position..<position + Int(clamping: count))
  }

  /// Passes over the content of a field.
  mutating func skip(_ kind: Kind) throws(FileError) {
    switch kind {
    case .varint: _ = try varint()
    case .fixed64: _ = try fixed64()
    case .bytes: _ = try bytes()
    case .fixed32:
      guard end - position >= 4 else { throw damaged() }
      position += 4
    case .startGroup:
      // The fields of groups have no order that matters; only their nesting does.
      var depth = 1
      while depth > 0 {
        guard let (_, inner) = try next() else { throw damaged() }
        switch inner {
        case .startGroup: depth += 1
        case .endGroup: depth -= 1
        default: try skip(inner)
        }
      }
    case .endGroup: throw damaged()
    }
  }

  /// Size of a part whose pages are released together, in bytes.
  private static let releasedByteCount = 4 << 20

  /// Releases the pages of fields that have been read, from time to time. They are read again from the file where they are needed.
  mutating func releaseRead() {
    guard position - released >= Self.releasedByteCount,
      let part = try? message.slice(offset: released, count: position - released)
    else { return }
    message.owner.advise(.doNotNeed, for: part)
    released = position
  }

  /// The bytes from the position of this scanner to that of another one of the same message.
  func content(upTo other: ProtobufScanner) -> ByteView {
    // In range: positions within the message.
    (try? message.slice(offset: position, count: other.position - position)) ?? .empty
  }

  private func damaged() -> FileError {
    message.error(at: min(position, message.count), field: "model", "is damaged (not a protobuf message of this format)")
  }
}
