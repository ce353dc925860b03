import MartletBytes
import MartletTensor

/// The fields of a format's messages whose contents need a check: messages, texts and lists of numbers.
struct ProtobufSchema: Sendable {
  /// Content of a field. Numbers are those of packed lists.
  enum Kind: UInt16, Sendable {
    case varint, fixed64, fixed32, text, message
  }

  private struct Field {
    let number: UInt64
    let kind: Kind
    /// The number of the message in the field.
    let message: Int
  }

  /// Fields by the number of their message, in ascending order.
  private let fields: [[Field]]

  /// Maximum nesting depth of messages.
  private static let maximumDepth = 100

  /// - Parameter table: for each message the count of its fields; for each field its number, its kind, and the number of the message in it.
  init(messageCount: Int, _ table: [UInt16]) {
    var position = 0
    func next() -> UInt16 {
      defer { position += 1 }
      return table[position]
    }
    fields = (0..<messageCount).map { _ in
      (0..<Int(widening: next())).map { _ in
        let number = next()
        guard let kind = Kind(rawValue: next()) else { preconditionFailure("the table has a field of an unknown kind") }
        return Field(number: UInt64(widening: number), kind: kind, message: Int(widening: next()))
      }
    }
  }

  /// Checks a serialised message and those in it. Fields that the schema does not have are skipped, as are those with another wire type.
  ///
  /// - Throws: `FileError` naming `part` if it is no protobuf message, text is not UTF-8, or messages are nested more than 100 deep.
  func check(_ bytes: ByteView, message: Int, part: String) throws(FileError) {
    var scanner = ProtobufScanner(bytes, part: part)
    try check(&scanner, message, depth: 1)
  }

  private func check(_ scanner: inout ProtobufScanner, _ message: Int, depth: Int) throws(FileError) {
    guard depth <= Self.maximumDepth else { throw scanner.error("is nested too deeply") }
    let fields = fields[message]
    while let (number, wireType) = try scanner.next() {
      let place = fields.partitioned { fields[$0].number >= number }
      guard wireType == .bytes, place < fields.count, fields[place].number == number else {
        try scanner.skip(wireType)
        continue
      }
      let outer = try scanner.enter()
      switch fields[place].kind {
      case .message: try check(&scanner, fields[place].message, depth: depth + 1)
      case .text: try scanner.skipText()
      case .varint: while !scanner.isAtEnd { _ = try scanner.varint() }
      case .fixed32: try scanner.skipNumbers(ofByteCount: 4)
      case .fixed64: try scanner.skipNumbers(ofByteCount: 8)
      }
      scanner.leave(outer)
    }
  }
}
