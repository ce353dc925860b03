import MartletBytes
import MartletTensor

/// What messages of a format may contain.
struct ProtobufSchema: Sendable {
  /// What a field contains.
  enum Kind: UInt16, Sendable {
    case varint, fixed64, fixed32, text, bytes, message
  }

  private struct Field {
    let number: UInt64
    let kind: Kind
    /// The number of the message in the field.
    let message: Int
  }

  /// By the number of the message, in the order of their numbers.
  private let fields: [[Field]]

  /// Maximum nesting depth of messages.
  private static let maximumDepth = 100

  /// - Parameter table: of each message the number of its fields; of each field the number, the kind, and the number of the message in it.
  init(messageCount: Int, _ table: [UInt16]) {
    var position = 0
    func next() -> UInt16 {
      defer { position += 1 }
      return table[position]
    }
    fields = (0..<messageCount).map { _ in
      (0..<Int(widening: next())).map { _ in
        Field(number: UInt64(widening: next()), kind: Kind(rawValue: next()) ?? .bytes, message: Int(widening: next()))
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
      guard wireType == .bytes, let field = Self.field(number, in: fields) else {
        try scanner.skip(wireType)
        continue
      }
      let outer = try scanner.enter()
      switch field.kind {
      case .message: try check(&scanner, field.message, depth: depth + 1)
      case .text: try scanner.skipText()
      case .bytes: scanner.skipRest()
      case .varint: while !scanner.isAtEnd { _ = try scanner.varint() }
      case .fixed32: try scanner.skipNumbers(ofByteCount: 4)
      case .fixed64: try scanner.skipNumbers(ofByteCount: 8)
      }
      scanner.leave(outer)
    }
  }

  private static func field(_ number: UInt64, in fields: [Field]) -> Field? {
    var range = 0..<fields.count
    while !range.isEmpty {
      // In range: positions in an array.
      let middle = (range.lowerBound + range.upperBound) / 2
      if fields[middle].number == number { return fields[middle] }
      range = fields[middle].number < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }
}
