extension JSONValue {
  /// A syntax error in JSON text, with its position.
  package struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
    package let byteOffset: Int
    package let reason: String
    package var description: String { "not JSON at byte \(byteOffset): \(reason)" }
  }

  /// Parses a complete UTF-8 text. Duplicate keys in an object are an error.
  package init(parsing text: [UInt8]) throws(ParseError) {
    do throws(JSONDocument.ParseError) {
      try self.init(JSONDocument(text, allowsNotFinite: true).root)
    } catch {
      throw ParseError(byteOffset: error.byteOffset, reason: error.reason)
    }
  }

  private init(_ element: JSONElement) throws(JSONDocument.ParseError) {
    switch element.kind {
    case .null: self = .null
    case .boolean: self = .boolean(element.boolean ?? false)
    case .integer: self = element.integer.map(JSONValue.integer) ?? .number(element.number ?? .nan)
    case .number: self = .number(element.number ?? .nan)
    case .string: self = .string(element.string ?? "")
    case .array:
      var items: [JSONValue] = []
      try element.forEachElement { (item) throws(JSONDocument.ParseError) in items.append(try JSONValue(item)) }
      self = .array(items)
    case .object:
      var members: [Member] = []
      var keys: Set<String> = []
      try element.forEachMember { (key, value) throws(JSONDocument.ParseError) in
        let name = key.string ?? ""
        guard keys.insert(name).inserted else {
          throw JSONDocument.ParseError(byteOffset: key.byteOffset, reason: "the key \"\(name)\" occurs twice")
        }
        members.append(Member(name, try JSONValue(value)))
      }
      self = .object(members)
    }
  }
}
