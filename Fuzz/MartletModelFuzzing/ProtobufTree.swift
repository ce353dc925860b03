/// A message of the Core ML model format as a tree of fields, as far as mutation requires it; everything else is kept as bytes.
///
/// A tree can be made from any bytes. A field whose content is not a message, although the schema requires one, is kept as bytes.
package final class ProtobufField {
  package enum Content {
    case varint(UInt64)
    case fixed32(UInt32)
    case fixed64(UInt64)
    case bytes([UInt8])
    case message(Message, [ProtobufField])
  }

  /// A kind of message.
  package struct Message: Hashable, Sendable {
    package let position: Int

    package init(position: Int) { self.position = position }

    private init(_ name: String) { position = ProtobufSchema.coreML.position(of: name) }

    package var definition: ProtobufSchema.Message { ProtobufSchema.coreML.messages[position] }

    static let model = Message("Model")
    static let pipeline = Message("Pipeline")
    static let linkedModel = Message("LinkedModel")
    static let feature = Message("FeatureDescription")
    static let arrayType = Message("ArrayFeatureType")
    static let shapeRange = Message("ArrayFeatureType.ShapeRange")
    static let sizeRange = Message("SizeRange")
    static let enumeratedShapes = Message("ArrayFeatureType.EnumeratedShapes")
    static let shape = Message("ArrayFeatureType.Shape")
    static let function = Message("mil.Function")
    static let blockEntry = Message("mil.Function.block_specializationsEntry")
    static let block = Message("mil.Block")
    static let operation = Message("mil.Operation")
    static let argumentEntry = Message("mil.Operation.inputsEntry")
    static let binding = Message("mil.Argument.Binding")
    static let valueEntry = Message("mil.Operation.attributesEntry")
    static let namedType = Message("mil.NamedValueType")
    static let tensorType = Message("mil.TensorType")
    static let dimension = Message("mil.Dimension")
    static let constantDimension = Message("mil.Dimension.ConstantDimension")
    static let unknownDimension = Message("mil.Dimension.UnknownDimension")
    static let tensorValue = Message("mil.TensorValue")
    static let floats = Message("mil.TensorValue.RepeatedFloats")
    static let ints = Message("mil.TensorValue.RepeatedInts")
    static let bools = Message("mil.TensorValue.RepeatedBools")
    static let strings = Message("mil.TensorValue.RepeatedStrings")
    static let longInts = Message("mil.TensorValue.RepeatedLongInts")
    static let doubles = Message("mil.TensorValue.RepeatedDoubles")
    static let rawBytes = Message("mil.TensorValue.RepeatedBytes")
  }

  /// The number of an ML Program in a model.
  static let programNumber = 502

  package var number: Int
  package var content: Content

  package init(_ number: Int, _ content: Content) {
    self.number = number
    self.content = content
  }

  package var message: Message? {
    if case .message(let message, _) = content { message } else { nil }
  }

  package var fields: [ProtobufField] {
    get { if case .message(_, let fields) = content { fields } else { [] } }
    set { if case .message(let message, _) = content { content = .message(message, newValue) } }
  }

  package func first(_ number: Int) -> ProtobufField? { fields.first { $0.number == number } }

  /// Whether a message of the kind is in the field.
  func contains(_ kind: Message) -> Bool { message == kind || fields.contains { $0.contains(kind) } }

  /// The string in a field of bytes.
  package var text: String? {
    if case .bytes(let bytes) = content { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  package func copy() -> ProtobufField {
    guard case .message(let message, let fields) = content else { return ProtobufField(number, content) }
    return ProtobufField(number, .message(message, fields.map { $0.copy() }))
  }

  // MARK: Reading

  /// The fields of a message; nil if the bytes are not a message.
  package static func read(_ bytes: [UInt8], as message: Message) -> [ProtobufField]? {
    unsafe bytes.withUnsafeBytes { buffer in
      var reader = unsafe Reader(bytes: buffer)
      return unsafe reader.fields(of: message, to: buffer.count, depth: 0)
    }
  }

  /// A position in the bytes of a message.
  @unsafe private struct Reader {
    let bytes: UnsafeRawBufferPointer
    var position = 0

    init(bytes: UnsafeRawBufferPointer) { unsafe self.bytes = unsafe bytes }

    mutating func fields(of message: Message, to end: Int, depth: Int) -> [ProtobufField]? {
      guard depth < 100 else { return nil }
      let definition = message.definition
      var fields: [ProtobufField] = []
      while unsafe position < end {
        guard let tag = unsafe varint(to: end), let number = Int(exactly: tag >> 3), number > 0,
          let content = unsafe content(tag & 7, definition.field(number), to: end, depth: depth)
        else { return nil }
        fields.append(ProtobufField(number, content))
      }
      return fields
    }

    private mutating func content(_ wire: UInt64, _ definition: ProtobufSchema.Field?, to end: Int, depth: Int) -> Content? {
      switch wire {
      case 0: return unsafe varint(to: end).map { .varint($0) }
      case 1: return unsafe fixed(8, to: end).map { .fixed64($0) }
      case 5: return unsafe fixed(4, to: end).map { .fixed32(UInt32(truncatingIfNeeded: $0)) }
      case 2:
        guard let length = unsafe varint(to: end), let count = Int(exactly: length), unsafe count <= end - position else { return nil }
        let start = unsafe position
        if case .message(let inner)? = definition?.type,
          let fields = unsafe fields(of: Message(position: inner), to: start + count, depth: depth + 1)
        {
          return .message(Message(position: inner), fields)
        }
        unsafe position = start + count
        return unsafe .bytes(Array(bytes[start..<start + count]))
      default: return nil
      }
    }

    private mutating func varint(to end: Int) -> UInt64? {
      var value: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 70, by: 7) {
        guard unsafe position < end else { return nil }
        let byte = unsafe bytes[position]
        unsafe position += 1
        if shift < 64 { value |= UInt64(byte & 0x7f) << shift }
        if byte < 0x80 { return value }
      }
      return nil
    }

    private mutating func fixed(_ count: Int, to end: Int) -> UInt64? {
      guard unsafe end - position >= count else { return nil }
      defer { unsafe position += count }
      return (0..<count).reduce(0) { unsafe $0 | UInt64(bytes[position + $1]) << UInt64(8 * $1) }
    }
  }

  // MARK: Writing

  package static func write(_ fields: [ProtobufField]) -> [UInt8] {
    var bytes: [UInt8] = []
    for field in fields.reversed() { field.append(toReversed: &bytes) }
    bytes.reverse()
    return bytes
  }

  package static func append(varint value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Appends the field with its last byte first: so the length of a message is known when it is written.
  private func append(toReversed bytes: inout [UInt8]) {
    switch content {
    case .varint(let value):
      Self.append(varint: value, toReversed: &bytes)
      Self.append(varint: UInt64(number) << 3, toReversed: &bytes)
    case .fixed64(let value):
      for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * index))) }
      Self.append(varint: UInt64(number) << 3 | 1, toReversed: &bytes)
    case .fixed32(let value):
      for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index))) }
      Self.append(varint: UInt64(number) << 3 | 5, toReversed: &bytes)
    case .bytes(let part):
      bytes.append(contentsOf: part.reversed())
      Self.append(varint: UInt64(part.count), toReversed: &bytes)
      Self.append(varint: UInt64(number) << 3 | 2, toReversed: &bytes)
    case .message(_, let fields):
      let start = bytes.count
      for field in fields.reversed() { field.append(toReversed: &bytes) }
      Self.append(varint: UInt64(bytes.count - start), toReversed: &bytes)
      Self.append(varint: UInt64(number) << 3 | 2, toReversed: &bytes)
    }
  }

  private static func append(varint value: UInt64, toReversed bytes: inout [UInt8]) {
    let groupCount = max(1, (64 - value.leadingZeroBitCount + 6) / 7)
    for group in (0..<groupCount).reversed() {
      let bits = UInt8(truncatingIfNeeded: value >> UInt64(7 * group)) & 0x7f
      bytes.append(group == groupCount - 1 ? bits : bits | 0x80)
    }
  }
}
