import MartletBytes
import MartletTensor

/// The fields of a serialised protobuf message, for messages with millions of fields: unlike `ProtobufFields`, it makes no view of each field.
@safe
struct ProtobufScanner {
  /// The wire types, with their numbers.
  enum Kind: UInt64 {
    case varint, fixed64, bytes, startGroup, endGroup, fixed32
  }

  private let message: ByteView
  /// Name of the message, for errors.
  private let part: String
  /// The first byte of `message`, which keeps it alive.
  private let base: UnsafeRawPointer
  /// Relative to `message`.
  private(set) var position: Int
  /// The end of the message whose fields are read: `message` itself or one in it.
  private var end: Int
  private var released: Int

  /// - Parameters:
  ///   - position: of the first field to be read.
  ///   - part: name of the message, for errors.
  init(_ message: ByteView, from position: Int = 0, part: String = "model") {
    self.message = message
    self.part = part
    unsafe base = message.unsafeBaseAddress
    end = message.count
    self.position = min(max(position, 0), end)
    released = self.position
  }

  /// The number and the wire type of the next field, whose content must be read or skipped; nil at the end.
  @inline(__always)
  mutating func next() throws(FileError) -> (number: UInt64, kind: Kind)? {
    guard position < end else { return nil }
    let key = try varint()
    guard let kind = Kind(rawValue: key & 7), key >> 3 > 0, key >> 3 < 1 << 29 else { throw damaged() }
    return (key >> 3, kind)
  }

  /// Goes to the next field of bytes with a number.
  /// - Returns: false if there is none.
  mutating func find(_ number: UInt64) throws(FileError) -> Bool {
    while let (field, kind) = try next() {
      if field == number, kind == .bytes { return true }
      try skip(kind)
      releaseRead()
    }
    return false
  }

  @inline(__always)
  mutating func varint() throws(FileError) -> UInt64 {
    if position < end {
      // In bounds by the condition.
      let byte = unsafe base.load(fromByteOffset: position, as: UInt8.self)
      if byte < 0x80 {
        position += 1
        return UInt64(widening: byte)
      }
    }
    return try longVarint()
  }

  private mutating func longVarint() throws(FileError) -> UInt64 {
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

  @inline(__always)
  mutating func fixed64() throws(FileError) -> UInt64 {
    guard end - position >= 8 else { throw damaged() }
    defer { position += 8 }
    // In bounds by the condition.
    return unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  @inline(__always)
  mutating func fixed32() throws(FileError) -> UInt32 {
    guard end - position >= 4 else { throw damaged() }
    defer { position += 4 }
    // In bounds by the condition.
    return unsafe UInt32(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt32.self))
  }

  /// Appends the content of a packed list of numbers of `byteCount` bytes each.
  mutating func appendNumbers(to numbers: inout [UInt8], byteCount: Int) throws(FileError) {
    let outer = try enter()
    // In range: within the message.
    guard (end - position) % byteCount == 0 else { throw damaged() }
    // In bounds: `enter` has checked the length.
    unsafe numbers.append(contentsOf: UnsafeRawBufferPointer(start: base + position, count: end - position))
    position = end
    leave(outer)
  }

  /// Begins to read the fields of a message in this one.
  /// - Returns: what `leave` needs.
  @inline(__always)
  mutating func enter() throws(FileError) -> Int {
    let count = try varint()
    guard count <= UInt64(clamping: end - position) else { throw damaged() }
    let outer = end
    // In range: within the message.
    end = position + Int(clamping: count)
    return outer
  }

  /// Returns from a message whose fields have been read to the end.
  @inline(__always)
  mutating func leave(_ outer: Int) { end = outer }

  /// Passes over the content of a field.
  @inline(__always)
  mutating func skip(_ kind: Kind) throws(FileError) {
    switch kind {
    case .varint: _ = try varint()
    case .bytes:
      let outer = try enter()
      position = end
      leave(outer)
    default: try skipRare(kind)
    }
  }

  private mutating func skipRare(_ kind: Kind) throws(FileError) {
    switch kind {
    case .varint, .bytes: try skip(kind)
    case .fixed64: _ = try fixed64()
    case .fixed32: _ = try fixed32()
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
  @inline(__always)
  mutating func releaseRead() {
    if position - released >= Self.releasedByteCount { releaseAll() }
  }

  private mutating func releaseAll() {
    guard let part = try? message.slice(offset: released, count: position - released) else { return }
    message.owner.advise(.doNotNeed, for: part)
    released = position
  }

  /// The bytes from the position of this scanner to that of another one of the same message.
  func content(upTo other: ProtobufScanner) -> ByteView {
    // In range: positions within the message.
    (try? message.slice(offset: position, count: other.position - position)) ?? .empty
  }

  // MARK: Contents

  /// True at the end of the message whose fields are read.
  var isAtEnd: Bool { position >= end }

  /// The content of a field of bytes, which must be entire; empty if it is not.
  mutating func view() -> ByteView {
    guard let outer = try? enter() else { return .empty }
    defer {
      position = end
      leave(outer)
    }
    // In range: `enter` has checked the length.
    return (try? message.slice(offset: position, count: end - position)) ?? .empty
  }

  /// Passes over a list of numbers of `byteCount` bytes each.
  mutating func skipNumbers(ofByteCount byteCount: Int) throws(FileError) {
    // In range: within the message.
    guard (end - position) % byteCount == 0 else { throw damaged() }
    position = end
  }

  /// Passes over the rest, which must be UTF-8.
  mutating func skipText() throws(FileError) {
    // In bounds: `enter` has checked the length.
    let text = unsafe UnsafeRawBufferPointer(start: base + position, count: end - position)
    let isValid = unsafe text.allSatisfy { $0 < 0x80 } || String(validating: text, as: UTF8.self) != nil
    guard isValid else { throw error("has text that is not UTF-8") }
    position = end
  }

  func error(_ reason: String) -> FileError { message.error(at: min(position, message.count), field: part, reason) }

  private func damaged() -> FileError { error("is damaged (not a protobuf message of this format)") }
}
