import Foundation

/// The messages of the Core ML model format, as the definitions state them that the engine's reader is generated from.
package struct ProtobufSchema: Sendable {
  package enum FieldType: Sendable, Hashable {
    case bool, int32, uint32, int64, uint64, float, double, text, bytes
    /// With the numbers of its cases.
    case enumeration([UInt64])
    /// With the position of the message in `messages`.
    case message(Int)
  }

  /// A class, as messages are, because trees refer to both by the thousand.
  package final class Field: Sendable {
    package let number: Int
    package let type: FieldType
    package let isRepeated: Bool
    /// The name of the group of fields of which a message has one; empty for others.
    package let choice: String

    fileprivate init(number: Int, type: FieldType, isRepeated: Bool, choice: String) {
      self.number = number
      self.type = type
      self.isRepeated = isRepeated
      self.choice = choice
    }
  }

  package final class Message: Sendable {
    /// The names of the messages around it and its own, with dots between them.
    package let name: String
    /// In the order of their numbers.
    package let fields: [Field]
    /// By their numbers.
    private let table: [Field?]

    fileprivate init(name: String, fields: [Field]) {
      self.name = name
      self.fields = fields
      var table = [Field?](repeating: nil, count: (fields.last?.number ?? -1) + 1)
      for field in fields { table[field.number] = field }
      self.table = table
    }

    package func field(_ number: Int) -> Field? { number < table.count ? table[number] : nil }
  }

  package let messages: [Message]
  private let positions: [String: Int]

  /// The format of Core ML models.
  package static let coreML: ProtobufSchema = {
    let sources = "Sources/MartletCoreMLFile/Specification/Protos"
    let here = URL(fileURLWithPath: #filePath)
    let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let folder = [sources, root.path + "/" + sources].first { FileManager.default.fileExists(atPath: $0) }
    guard let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      preconditionFailure("the definitions of the format are missing: \(sources)")
    }
    let definitions = names.filter { $0.hasSuffix(".proto") }.sorted()
    return ProtobufSchema(definitions.compactMap { try? String(contentsOfFile: folder + "/" + $0, encoding: .utf8) })
  }()

  /// The position of a message by its name.
  package func position(of name: String) -> Int {
    guard let position = positions[name] else { preconditionFailure("the format has no message \(name)") }
    return position
  }

  /// - Parameter definitions: the texts of files in the language of protobuf.
  init(_ definitions: [String]) {
    var parsed: [Parser.Message] = []
    var enumerations: [String: [UInt64]] = [:]
    for text in definitions {
      var parser = Parser(text)
      parser.parseFile()
      parsed += parser.messages
      enumerations.merge(parser.enumerations) { first, _ in first }
    }
    parsed.sort { $0.name < $1.name }
    let positions = Dictionary(uniqueKeysWithValues: parsed.enumerated().map { ($0.element.name, $0.offset) })
    self.positions = positions
    messages = parsed.map { message in
      let fields = message.fields.sorted { $0.number < $1.number }.map { field in
        Field(
          number: field.number, type: Self.type(field.type, in: message.package, positions, enumerations), isRepeated: field.isRepeated,
          choice: field.choice)
      }
      return Message(name: message.name, fields: fields)
    }
  }

  private static func type(
    _ name: String, in package: String, _ positions: [String: Int], _ enumerations: [String: [UInt64]]
  ) -> FieldType {
    switch name {
    case "bool": return .bool
    case "int32": return .int32
    case "uint32": return .uint32
    case "int64": return .int64
    case "uint64": return .uint64
    case "float": return .float
    case "double": return .double
    case "string": return .text
    case "bytes": return .bytes
    default:
      // A name is looked for in the file's own package first.
      for candidate in [package + name, name] {
        if let position = positions[candidate] { return .message(position) }
        if let numbers = enumerations[candidate] { return .enumeration(numbers) }
      }
      preconditionFailure("the format has no type \(name)")
    }
  }

  /// Reads definitions of messages, of which it knows as much as the format uses.
  private struct Parser {
    struct Field {
      let number: Int
      let type: String
      let isRepeated: Bool
      let choice: String
    }

    struct Message {
      let name: String
      let package: String
      var fields: [Field]
    }

    private let tokens: [Substring]
    private var position = 0
    /// With a dot at its end; empty for the main package.
    private var package = ""
    private(set) var messages: [Message] = []
    private(set) var enumerations: [String: [UInt64]] = [:]

    init(_ text: String) {
      var tokens: [Substring] = []
      for line in text.split(separator: "\n") {
        var rest = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
        while let first = rest.first {
          let isWord = first.isLetter || first.isNumber || "_.-\"".contains(first)
          let token = isWord ? rest.prefix { $0.isLetter || $0.isNumber || "_.-\"".contains($0) } : rest.prefix(1)
          if !first.isWhitespace { tokens.append(token) }
          rest = rest.dropFirst(token.count)
        }
      }
      self.tokens = tokens
    }

    private mutating func next() -> String {
      defer { position += 1 }
      return String(tokens[position])
    }

    private mutating func skip(through end: String) { while next() != end {} }

    mutating func parseFile() {
      while position < tokens.count {
        switch next() {
        case "package":
          let name = next().replacing("martlet.coreml", with: "").drop { $0 == "." }
          package = name.isEmpty ? "" : name + "."
          skip(through: ";")
        case "message": parseMessage(in: package)
        case "enum": parseEnumeration(in: package)
        default: skip(through: ";")
        }
      }
    }

    private mutating func parseEnumeration(in prefix: String) {
      let name = prefix + next()
      var numbers: [UInt64] = []
      skip(through: "{")
      while next() != "}" {
        skip(through: "=")
        numbers.append(UInt64(bitPattern: Int64(next())!))
        skip(through: ";")
      }
      enumerations[name] = numbers
    }

    private mutating func parseMessage(in prefix: String) {
      var message = Message(name: prefix + next(), package: package, fields: [])
      skip(through: "{")
      var choice = ""
      while true {
        let word = next()
        switch word {
        case "message": parseMessage(in: message.name + ".")
        case "enum": parseEnumeration(in: message.name + ".")
        case "oneof":
          choice = next()
          skip(through: "{")
        case "}":
          if choice.isEmpty {
            messages.append(message)
            return
          }
          choice = ""
        case "map":
          skip(through: "<")
          let key = next()
          skip(through: ",")
          let value = next()
          skip(through: ">")
          let name = next()
          // The wire has a list of messages with a key and a value.
          let entry = "\(message.name).\(name)Entry"
          messages.append(
            Message(
              name: entry, package: package,
              fields: [
                Field(number: 1, type: key, isRepeated: false, choice: ""), Field(number: 2, type: value, isRepeated: false, choice: ""),
              ]))
          parseNumber(of: entry, isRepeated: true, choice: "", to: &message)
        default:
          let isRepeated = word == "repeated"
          let type = isRepeated ? next() : word
          _ = next()
          parseNumber(of: type, isRepeated: isRepeated, choice: choice, to: &message)
        }
      }
    }

    private mutating func parseNumber(of type: String, isRepeated: Bool, choice: String, to message: inout Message) {
      skip(through: "=")
      message.fields.append(Field(number: Int(next())!, type: type, isRepeated: isRepeated, choice: choice))
      skip(through: ";")
    }
  }
}
