import MartletTensor

/// The fields of a serialised protobuf message, in their order, without interpretation of their contents.
package struct ProtobufFields {
  /// A field of a message.
  package struct Field {
    package enum Payload {
      case varint(UInt64)
      case fixed64, fixed32
      /// Text, bytes, a message or a packed list.
      case bytes(ByteView)
      /// Fields up to an end mark; obsolete.
      case group
    }

    package let number: Int
    package let payload: Payload
    /// The field with its key, as stored.
    package let stored: ByteView
  }

  private let bytes: ByteView
  private let part: String
  private var position = 0

  /// - Parameter part: name of the message, for errors.
  package init(_ bytes: ByteView, part: String) {
    self.bytes = bytes
    self.part = part
  }

  /// The next field; nil at the end.
  package mutating func next() throws(FileError) -> Field? {
    guard position < bytes.count else { return nil }
    let start = position
    let (number, kind) = try key()
    let payload: Field.Payload
    switch kind {
    case 0:
      payload = .varint(try varint())
    case 1:
      try skip(8)
      payload = .fixed64
    case 2:
      guard let count = Int(exactly: try varint()) else { throw damaged() }
      let view = try bytes.slice(offset: position, count: count, field: part)
      try skip(count)
      payload = .bytes(view)
    case 3:
      try skipGroup(number)
      payload = .group
    case 5:
      try skip(4)
      payload = .fixed32
    default: throw damaged()
    }
    return Field(number: number, payload: payload, stored: try bytes.slice(offset: start, count: position - start, field: part))
  }

  /// The numbers of a packed list.
  package static func packedVarints(_ bytes: ByteView, part: String) throws(FileError) -> [UInt64] {
    var reader = ProtobufFields(bytes, part: part)
    var numbers: [UInt64] = []
    while reader.position < bytes.count { numbers.append(try reader.varint()) }
    return numbers
  }

  private mutating func key() throws(FileError) -> (number: Int, kind: UInt64) {
    let key = try varint()
    guard let number = Int(exactly: key >> 3), number > 0, number < 1 << 29 else { throw damaged() }
    return (number, key & 7)
  }

  private mutating func varint() throws(FileError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      let byte = try bytes.load(UInt8.self, at: position, field: part)
      position += 1
      value |= UInt64(widening: byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw damaged()
  }

  private mutating func skip(_ count: Int) throws(FileError) {
    guard bytes.contains(offset: position, count: count) else { throw damaged() }
    position += count
  }

  /// Skips the fields of a group, and of the groups inside.
  private mutating func skipGroup(_ number: Int) throws(FileError) {
    var open = [number]
    while let innermost = open.last {
      let (number, kind) = try key()
      switch kind {
      case 0: _ = try varint()
      case 1: try skip(8)
      case 2:
        guard let count = Int(exactly: try varint()) else { throw damaged() }
        try skip(count)
      case 3: open.append(number)
      case 4:
        guard number == innermost else { throw damaged() }
        open.removeLast()
      case 5: try skip(4)
      default: throw damaged()
      }
    }
  }

  private func damaged() -> FileError { bytes.error(field: part, "is damaged (not a protobuf message of this format)") }
}

/// A protobuf message under construction.
package struct ProtobufWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func append(_ view: ByteView) {
    unsafe view.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends a field of bytes, text or a message.
  package mutating func append(_ content: [UInt8], as number: Int) {
    append(varint: UInt64(clamping: number) << 3 | 2)
    append(varint: UInt64(clamping: content.count))
    bytes += content
  }

  /// A message with one field, a number.
  package static func message(number: Int, varint value: UInt64) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.append(varint: UInt64(clamping: number) << 3)
    writer.append(varint: value)
    return writer.bytes
  }

  /// Appends a number of a packed list.
  package mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}
