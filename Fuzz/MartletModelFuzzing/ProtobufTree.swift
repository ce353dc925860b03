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
  package static func read(_ bytes: ArraySlice<UInt8>, as message: Message, depth: Int = 0) -> [ProtobufField]? {
    guard depth < 100 else { return nil }
    let definition = message.definition
    var position = bytes.startIndex
    var fields: [ProtobufField] = []
    func varint() -> UInt64? {
      var value: UInt64 = 0
      for shift in stride(from: 0, to: 70, by: 7) {
        guard position < bytes.endIndex else { return nil }
        let byte = bytes[position]
        position += 1
        if shift < 64 { value |= UInt64(byte & 0x7f) << UInt64(shift) }
        if byte < 0x80 { return value }
      }
      return nil
    }
    func fixed(_ count: Int) -> UInt64? {
      guard bytes.endIndex - position >= count else { return nil }
      defer { position += count }
      return (0..<count).reduce(0) { $0 | UInt64(bytes[position + $1]) << UInt64(8 * $1) }
    }
    while position < bytes.endIndex {
      guard let tag = varint(), let number = Int(exactly: tag >> 3), number > 0 else { return nil }
      switch tag & 7 {
      case 0:
        guard let value = varint() else { return nil }
        fields.append(ProtobufField(number, .varint(value)))
      case 1:
        guard let value = fixed(8) else { return nil }
        fields.append(ProtobufField(number, .fixed64(value)))
      case 5:
        guard let value = fixed(4) else { return nil }
        fields.append(ProtobufField(number, .fixed32(UInt32(truncatingIfNeeded: value))))
      case 2:
        guard let length = varint(), let count = Int(exactly: length), count <= bytes.endIndex - position else { return nil }
        let part = bytes[position..<position + count]
        position += count
        if case .message(let inner)? = definition.field(number)?.type,
          let content = read(part, as: Message(position: inner), depth: depth + 1)
        {
          fields.append(ProtobufField(number, .message(Message(position: inner), content)))
        } else {
          fields.append(ProtobufField(number, .bytes(Array(part))))
        }
      default: return nil
      }
    }
    return fields
  }

  // MARK: Writing

  package static func write(_ fields: [ProtobufField]) -> [UInt8] {
    var bytes: [UInt8] = []
    for field in fields { field.write(to: &bytes) }
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

  private func write(to bytes: inout [UInt8]) {
    func tag(_ wire: UInt64) { Self.append(varint: UInt64(number) << 3 | wire, to: &bytes) }
    switch content {
    case .varint(let value):
      tag(0)
      Self.append(varint: value, to: &bytes)
    case .fixed64(let value):
      tag(1)
      for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    case .fixed32(let value):
      tag(5)
      for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * index))) }
    case .bytes(let part):
      tag(2)
      Self.append(varint: UInt64(part.count), to: &bytes)
      bytes += part
    case .message(_, let fields):
      let part = Self.write(fields)
      tag(2)
      Self.append(varint: UInt64(part.count), to: &bytes)
      bytes += part
    }
  }
}
