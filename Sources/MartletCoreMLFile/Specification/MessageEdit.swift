import MartletBytes
import MartletTensor

/// A change to a field of a serialised message.
enum MessageEdit: Sendable {
  case remove
  /// Makes a message empty.
  case clear
  /// Serialised fields at the end of a message, which is added if there is none.
  case append([UInt8])
  /// Changes to fields of a message, by their numbers.
  case message([Int: MessageEdit])

  /// A message with changed fields and everything else as it is.
  static func apply(_ edits: [Int: MessageEdit], to bytes: ByteView, part: String) throws(FileError) -> [UInt8] {
    var writer = ProtobufWriter()
    var missing = edits
    var fields = ProtobufFields(bytes, part: part)
    while let field = try fields.next() {
      guard let edit = edits[field.number] else {
        writer.append(field.stored)
        continue
      }
      // Appended fields go to the first occurrence alone.
      if let content = try (missing.removeValue(forKey: field.number) ?? edit.repeated).content(field.payload, part: part) {
        writer.append(content, as: field.number)
      }
    }
    for (number, edit) in missing.sortedByKey {
      if let content = try edit.contentOfMissing(part: part) { writer.append(content, as: number) }
    }
    return writer.bytes
  }

  /// The change to further occurrences of a field.
  private var repeated: MessageEdit {
    switch self {
    case .append: .append([])
    case .message(let edits): .message(edits.mapValues(\.repeated))
    case .remove, .clear: self
    }
  }

  /// The content of a changed field; nil to remove the field, as for any that holds no message.
  private func content(_ payload: ProtobufFields.Field.Payload, part: String) throws(FileError) -> [UInt8]? {
    guard case .bytes(let old) = payload else { return nil }
    switch self {
    case .remove: return nil
    case .clear: return []
    case .append(let new): return old.array + new
    case .message(let edits): return try Self.apply(edits, to: old, part: part)
    }
  }

  /// The content of a field that the message lacks; nil if there is nothing to add.
  private func contentOfMissing(part: String) throws(FileError) -> [UInt8]? {
    let content: [UInt8]
    switch self {
    case .remove, .clear: content = []
    case .append(let new): content = new
    case .message(let edits): content = try Self.apply(edits, to: .empty, part: part)
    }
    return content.isEmpty ? nil : content
  }
}
