/// A Python literal of the kinds that occur in a `.npy` header.
indirect enum PythonLiteral: Equatable {
  case string(String)
  case boolean(Bool)
  case integer(Int)
  /// A tuple or a list.
  case sequence([PythonLiteral])
}

/// Parser for one dictionary literal with strings, booleans, integers, tuples and lists.
struct PythonLiteralParser {
  struct Fault: Error {
    let reason: String
  }

  private let bytes: ArraySlice<UInt8>
  private var position: Int
  /// Maximum nesting depth, so that malicious input cannot exhaust the stack.
  private static let maximumDepth = 8

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// Parses the whole input as a dictionary, in text order. Only whitespace and NUL may follow.
  mutating func parseDictionary() throws(Fault) -> [(key: String, value: PythonLiteral)] {
    var entries: [(key: String, value: PythonLiteral)] = []
    try expect("{")
    while peek() != UInt8(ascii: "}") {
      guard case .string(let key) = try parseValue(depth: 0) else { throw Fault(reason: "a key is not a string") }
      try expect(":")
      entries.append((key, try parseValue(depth: 0)))
      guard peek() == UInt8(ascii: ",") else { break }
      position += 1
    }
    try expect("}")
    while let byte = peek() {
      guard byte == 0 else { throw Fault(reason: "text follows the dictionary") }
      position += 1
    }
    return entries
  }

  /// The next byte that is not whitespace; nil at the end.
  private mutating func peek() -> UInt8? {
    while position < bytes.endIndex {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return bytes[position]
      }
    }
    return nil
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(Fault) {
    guard peek() == UInt8(ascii: character) else { throw Fault(reason: "'\(character)' is missing") }
    position += 1
  }

  private mutating func parseValue(depth: Int) throws(Fault) -> PythonLiteral {
    guard depth <= Self.maximumDepth else { throw Fault(reason: "is nested too deeply") }
    guard let first = peek() else { throw Fault(reason: "ends early") }
    switch first {
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return .string(try parseString(quote: first))
    case UInt8(ascii: "("): return .sequence(try parseSequence(end: ")", depth: depth))
    case UInt8(ascii: "["): return .sequence(try parseSequence(end: "]", depth: depth))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .integer(try parseInteger())
    default:
      for (word, value) in [("True", true), ("False", false)] where bytes[position...].starts(with: word.utf8) {
        position += word.utf8.count
        return .boolean(value)
      }
      throw Fault(reason: "contains a value that is not a string, boolean, integer or tuple")
    }
  }

  private mutating func parseString(quote: UInt8) throws(Fault) -> String {
    let start = position + 1
    guard let end = bytes[start...].firstIndex(of: quote) else { throw Fault(reason: "a string is not terminated") }
    let content = bytes[start..<end]
    guard !content.contains(UInt8(ascii: "\\")) else { throw Fault(reason: "a string contains an escape") }
    position = end + 1
    return String(decoding: content, as: UTF8.self)
  }

  private mutating func parseSequence(end: Unicode.Scalar, depth: Int) throws(Fault) -> [PythonLiteral] {
    position += 1
    var items: [PythonLiteral] = []
    while peek() != UInt8(ascii: end) {
      items.append(try parseValue(depth: depth + 1))
      guard peek() == UInt8(ascii: ",") else { break }
      position += 1
    }
    try expect(end)
    return items
  }

  private mutating func parseInteger() throws(Fault) -> Int {
    let start = position
    position += 1
    while position < bytes.endIndex, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) { position += 1 }
    guard let value = Int(String(decoding: bytes[start..<position], as: UTF8.self), radix: 10) else {
      throw Fault(reason: "an integer does not fit in 64 bits")
    }
    // Python 2 wrote long integers with a suffix.
    if position < bytes.endIndex, bytes[position] == UInt8(ascii: "L") { position += 1 }
    return value
  }
}
