import MartletBytes

/// Reads the members of one object in `case.json`, and reports members that were not read.
struct CaseReader {
  let path: String
  private let prefix: String
  private var members: [String: JSONValue] = [:]

  /// - Parameter prefix: the key of the object followed by a dot, for messages.
  init(_ json: JSONValue, path: String, prefix: String = "") throws(CaseError) {
    self.path = path
    self.prefix = prefix
    guard case .object(let members) = json else {
      throw .invalid(path: path, key: prefix.isEmpty ? "file" : String(prefix.dropLast()), reason: "is not an object")
    }
    for member in members { self.members[member.key] = member.value }
  }

  func fault(_ key: String, _ reason: String) -> CaseError {
    .invalid(path: path, key: prefix + key, reason: reason)
  }

  mutating func take(_ key: String) -> JSONValue? {
    members.removeValue(forKey: key)
  }

  /// - Throws: if a member is left over.
  func finish() throws(CaseError) {
    if let key = members.keys.min() { throw fault(key, "is not a key of the format") }
  }

  mutating func string(_ key: String) throws(CaseError) -> String? {
    guard let value = take(key) else { return nil }
    guard case .string(let string) = value else { throw fault(key, "is not a string") }
    return string
  }

  mutating func strings(_ key: String) throws(CaseError) -> [String]? {
    guard let value = take(key) else { return nil }
    guard let strings = value.strings else { throw fault(key, "is not an array of strings") }
    return strings
  }

  mutating func boolean(_ key: String) throws(CaseError) -> Bool? {
    guard let value = take(key) else { return nil }
    guard case .boolean(let boolean) = value else { throw fault(key, "is not true or false") }
    return boolean
  }

  /// A finite number of at least 0.
  mutating func bound(_ key: String) throws(CaseError) -> Double? {
    guard let value = take(key) else { return nil }
    guard let bound = value.double, bound >= 0, bound.isFinite else { throw fault(key, "is not a finite number of at least 0") }
    return bound
  }

  /// An integer of at least 0.
  mutating func count(_ key: String) throws(CaseError) -> Int? {
    guard let value = take(key) else { return nil }
    guard case .integer(let count) = value, count >= 0 else { throw fault(key, "is not an integer of at least 0") }
    return count
  }

  mutating func choice<Choice: RawRepresentable<String>>(_ key: String) throws(CaseError) -> Choice? {
    guard let text = try string(key) else { return nil }
    guard let choice = Choice(rawValue: text) else { throw fault(key, "\"\(text)\" is not a value of the format") }
    return choice
  }

  /// Inputs or outputs: an array of entries, or an object with named entries.
  mutating func arguments(_ key: String) throws(CaseError) -> RecordedCase.Arguments? {
    guard let value = take(key) else { return nil }
    switch value {
    case .array(let items):
      var entries: [CaseEntry] = []
      for (index, item) in items.enumerated() {
        entries.append(try CaseEntry(item, path: path, key: "\(prefix)\(key)[\(index)]"))
      }
      return .positional(entries)
    case .object(let members):
      var entries: [RecordedCase.NamedEntry] = []
      for member in members {
        let entry = try CaseEntry(member.value, path: path, key: "\(prefix)\(key).\(member.key)")
        entries.append(RecordedCase.NamedEntry(member.key, entry))
      }
      return .named(entries)
    default: throw fault(key, "is neither an array nor an object")
    }
  }
}
