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

  /// The distinguished kinds of message.
  package enum Message: Hashable, Sendable {
    case model, program, functionEntry, function, blockEntry, block, operation, argumentEntry, argument, binding, valueEntry
    case namedType, valueType, tensorType, listType, wrappedType, dimension, constantDimension, unknownDimension
    case value, immediate, tensorValue, floats, ints, bools, strings, longInts, doubles, rawBytes, listValue, blobReference
    case description, functionDescription, feature, featureType, arrayType, shapeRange, sizeRange, enumeratedShapes, shape, stateFeature
    case imageType
  }

  package let number: Int
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

  /// The string in a field of bytes.
  package var text: String? {
    if case .bytes(let bytes) = content { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  package func copy() -> ProtobufField {
    guard case .message(let message, let fields) = content else { return ProtobufField(number, content) }
    return ProtobufField(number, .message(message, fields.map { $0.copy() }))
  }

  private static let schema: [Message: [Int: Message]] = [
    .model: [2: .description, 502: .program],
    .program: [2: .functionEntry],
    .functionEntry: [2: .function],
    .function: [1: .namedType, 3: .blockEntry],
    .blockEntry: [2: .block],
    .block: [1: .namedType, 3: .operation],
    .operation: [2: .argumentEntry, 3: .namedType, 4: .block, 5: .valueEntry],
    .argumentEntry: [2: .argument],
    .argument: [1: .binding],
    .binding: [2: .value],
    .valueEntry: [2: .value],
    .namedType: [2: .valueType],
    .valueType: [1: .tensorType, 2: .listType, 5: .wrappedType],
    .listType: [1: .valueType, 2: .dimension],
    .wrappedType: [1: .valueType],
    .tensorType: [3: .dimension],
    .dimension: [1: .constantDimension, 2: .unknownDimension],
    .value: [2: .valueType, 3: .immediate, 5: .blobReference],
    .immediate: [1: .tensorValue, 3: .listValue],
    .listValue: [1: .value],
    .tensorValue: [1: .floats, 2: .ints, 3: .bools, 4: .strings, 5: .longInts, 6: .doubles, 7: .rawBytes],
    .description: [1: .feature, 10: .feature, 13: .feature, 20: .functionDescription],
    .functionDescription: [2: .feature, 3: .feature, 6: .feature],
    .feature: [3: .featureType],
    .featureType: [4: .imageType, 5: .arrayType, 8: .stateFeature],
    .stateFeature: [1: .arrayType],
    .arrayType: [21: .enumeratedShapes, 31: .shapeRange],
    .enumeratedShapes: [1: .shape],
    .shapeRange: [1: .sizeRange],
  ]

  // MARK: Reading

  /// The fields of a message; nil if the bytes are not a message.
  package static func read(_ bytes: ArraySlice<UInt8>, as message: Message, depth: Int = 0) -> [ProtobufField]? {
    guard depth < 100 else { return nil }
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
        if let inner = schema[message]?[number], let content = read(part, as: inner, depth: depth + 1) {
          fields.append(ProtobufField(number, .message(inner, content)))
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
