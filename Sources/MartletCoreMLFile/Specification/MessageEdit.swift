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
  ///
  /// - Parameter addsMissing: false if messages that are missing are not to be added.
  static func apply(
    _ edits: [Int: MessageEdit], to bytes: ByteView, part: String, addsMissing: Bool = true
  ) throws(FileError) -> [UInt8] {
    var writer = ProtobufWriter()
    var missing = edits
    var fields = ProtobufFields(bytes, part: part)
    while let field = try fields.next() {
      guard let edit = edits[field.number] else {
        writer.append(field.stored)
        continue
      }
      // What is appended to a field is appended once.
      if let content = try (missing.removeValue(forKey: field.number) ?? edit.repeated).content(field.payload, part: part) {
        writer.append(content, as: field.number)
      }
    }
    guard addsMissing else { return writer.bytes }
    for (number, edit) in missing.sorted(by: { $0.key < $1.key }) {
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

  /// The content of a changed field; nil if it is removed. Fields that hold no message are.
  private func content(_ payload: ProtobufFields.Field.Payload, part: String) throws(FileError) -> [UInt8]? {
    guard case .bytes(let old) = payload else { return nil }
    switch self {
    case .remove: return nil
    case .clear: return []
    case .append(let new): return unsafe old.withUnsafeBytes { unsafe [UInt8]($0) } + new
    case .message(let edits): return try Self.apply(edits, to: old, part: part)
    }
  }

  private func contentOfMissing(part: String) throws(FileError) -> [UInt8]? {
    switch self {
    case .remove, .clear: nil
    case .append(let new): new.isEmpty ? nil : new
    case .message(let edits):
      if case let content = try Self.apply(edits, to: .empty, part: part), !content.isEmpty { content } else { nil }
    }
  }
}
