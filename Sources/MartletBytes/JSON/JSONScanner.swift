import MartletTensor

/// Checks a JSON text and lists its values. Nesting takes memory of its own, not of the stack.
struct JSONScanner {
  private let text: [UInt8]
  private let maximumDepth: Int
  private let allowsNotFinite: Bool
  private var position = 0
  private var nodes: [JSONDocument.Node] = []
  /// Nodes of arrays and objects that are not closed yet.
  private var open: [Int] = []

  init(_ text: [UInt8], maximumDepth: Int, allowsNotFinite: Bool) {
    self.text = text
    self.maximumDepth = maximumDepth
    self.allowsNotFinite = allowsNotFinite
    // Vocabularies have a value about every ten bytes.
    nodes.reserveCapacity(text.count / 8 &+ 8)
  }

  mutating func scan() throws(JSONDocument.ParseError) -> [JSONDocument.Node] {
    guard (try? UTF8Span(validating: text.span)) != nil else { throw fault("the text is not UTF-8", at: 0) }
    try scanValue()
    while let innermost = open.last {
      if nodes[innermost].kind == .array { try continueArray(innermost) } else { try continueObject(innermost) }
    }
    guard peek() == nil else { throw fault("text follows the value") }
    return nodes
  }

  private func fault(_ reason: String, at offset: Int? = nil) -> JSONDocument.ParseError {
    JSONDocument.ParseError(byteOffset: offset ?? position, reason: reason)
  }

  /// The next byte that is not whitespace; nil at the end.
  private mutating func peek() -> UInt8? {
    while position < text.count {
      switch text[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position &+= 1
      default: return text[position]
      }
    }
    return nil
  }

  private mutating func continueArray(_ index: Int) throws(JSONDocument.ParseError) {
    let isFirst = index &+ 1 == nodes.count
    switch peek() {
    case UInt8(ascii: "]"): close(index)
    case UInt8(ascii: ",") where !isFirst:
      position &+= 1
      try scanValue()
    default:
      guard isFirst else { throw fault("',' or ']' is missing") }
      try scanValue()
    }
  }

  private mutating func continueObject(_ index: Int) throws(JSONDocument.ParseError) {
    let isFirst = index &+ 1 == nodes.count
    switch peek() {
    case UInt8(ascii: "}"): return close(index)
    case UInt8(ascii: ",") where !isFirst: position &+= 1
    default: guard isFirst else { throw fault("',' or '}' is missing") }
    }
    guard peek() == UInt8(ascii: "\"") else { throw fault("a key is missing") }
    try scanString()
    guard peek() == UInt8(ascii: ":") else { throw fault("':' is missing") }
    position &+= 1
    try scanValue()
  }

  private mutating func close(_ index: Int) {
    position &+= 1
    nodes[index].last = UInt32(clamping: position)
    nodes[index].end = UInt32(clamping: nodes.count)
    open.removeLast()
  }

  private mutating func append(_ kind: JSONDocument.Kind, from first: Int, to last: Int, hasEscapes: Bool = false) {
    nodes.append(
      JSONDocument.Node(
        first: UInt32(clamping: first), last: UInt32(clamping: last), end: UInt32(clamping: nodes.count &+ 1), kind: kind,
        hasEscapes: hasEscapes))
  }

  private mutating func scanValue() throws(JSONDocument.ParseError) {
    guard let first = peek() else { throw fault("the text ends early") }
    switch first {
    case UInt8(ascii: "\""): try scanString()
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard open.count < maximumDepth else { throw fault("is nested too deeply") }
      open.append(nodes.count)
      append(first == UInt8(ascii: "{") ? .object : .array, from: position, to: position)
      position &+= 1
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      if allowsNotFinite, scanWord("-Infinity", .number) { return }
      try scanNumber()
    default:
      if scanWord("true", .boolean) || scanWord("false", .boolean) || scanWord("null", .null) { return }
      if allowsNotFinite, scanWord("NaN", .number) || scanWord("Infinity", .number) { return }
      throw fault("a value is missing")
    }
  }

  private mutating func scanWord(_ word: StaticString, _ kind: JSONDocument.Kind) -> Bool {
    let count = word.utf8CodeUnitCount
    guard text.count - position >= count else { return false }
    // Within both by the check above.
    let isEqual = word.withUTF8Buffer { letters in (0..<count).allSatisfy { unsafe letters[$0] == text[position &+ $0] } }
    guard isEqual else { return false }
    append(kind, from: position, to: position &+ count)
    position &+= count
    return true
  }

  private mutating func scanNumber() throws(JSONDocument.ParseError) {
    let start = position
    var isInteger = true
    if text[position] == UInt8(ascii: "-") { position &+= 1 }
    let firstDigit = position
    try skipDigits()
    if text[firstDigit] == UInt8(ascii: "0"), position > firstDigit &+ 1 { throw fault("a number has a leading zero") }
    if position < text.count, text[position] == UInt8(ascii: ".") {
      isInteger = false
      position &+= 1
      try skipDigits()
    }
    if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      position &+= 1
      if position < text.count, text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-") { position &+= 1 }
      try skipDigits()
    }
    // An integer beyond 64 bits is a number with a rounded value.
    if isInteger, position &- start >= 19 { isInteger = Int(String(decoding: text[start..<position], as: UTF8.self), radix: 10) != nil }
    append(isInteger ? .integer : .number, from: start, to: position)
  }

  private mutating func skipDigits() throws(JSONDocument.ParseError) {
    let start = position
    while position < text.count, text[position] &- UInt8(ascii: "0") < 10 { position &+= 1 }
    guard position > start else { throw fault("a value is missing") }
  }

  private mutating func scanString() throws(JSONDocument.ParseError) {
    position &+= 1
    let start = position
    var hasEscapes = false
    while position < text.count {
      let byte = text[position]
      if byte == UInt8(ascii: "\"") {
        append(.string, from: start, to: position, hasEscapes: hasEscapes)
        position &+= 1
        return
      }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        try skipEscape()
      } else if byte < 0x20 {
        throw fault("a string contains a control character")
      } else {
        position &+= 1
      }
    }
    throw fault("a string is not terminated")
  }

  private mutating func skipEscape() throws(JSONDocument.ParseError) {
    position &+= 1
    guard position < text.count else { throw fault("a string is not terminated") }
    switch text[position] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      position &+= 1
    case UInt8(ascii: "u"):
      position &+= 1
      let unit = try unicodeUnit()
      guard unit & 0xF800 == 0xD800 else { return }
      guard unit < 0xDC00, text.count - position >= 6, text[position] == UInt8(ascii: "\\"), text[position &+ 1] == UInt8(ascii: "u")
      else { throw fault("an unpaired surrogate") }
      position &+= 2
      guard try unicodeUnit() & 0xFC00 == 0xDC00 else { throw fault("an unpaired surrogate") }
    default: throw fault("an unknown escape")
    }
  }

  private mutating func unicodeUnit() throws(JSONDocument.ParseError) -> UInt32 {
    guard text.count - position >= 4, let unit = Self.unit(text, position) else { throw fault("\\u needs four hexadecimal digits") }
    position &+= 4
    return unit
  }

  private static func unit(_ text: [UInt8], _ position: Int) -> UInt32? {
    var unit: UInt32 = 0
    for byte in text[position..<position + 4] {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): digit = (byte | 0x20) &- UInt8(ascii: "a") &+ 10
      default: return nil
      }
      unit = unit << 4 | UInt32(widening: digit)
    }
    return unit
  }

  /// Appends a string that has been checked, without its escapes.
  static func appendUnescaped(_ text: [UInt8], _ range: Range<Int>, to bytes: inout [UInt8]) {
    var position = range.lowerBound
    while position < range.upperBound {
      let byte = text[position]
      position &+= 1
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      let letter = text[position]
      position &+= 1
      switch letter {
      case UInt8(ascii: "b"): bytes.append(0x08)
      case UInt8(ascii: "f"): bytes.append(0x0C)
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "u"):
        var value = unit(text, position) ?? 0
        position &+= 4
        if value & 0xFC00 == 0xD800 {
          value = 0x10000 &+ (value & 0x3FF) << 10 &+ (unit(text, position &+ 2) ?? 0) & 0x3FF
          position &+= 6
        }
        if let scalar = Unicode.Scalar(value) { bytes.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? []) }
      default: bytes.append(letter)
      }
    }
  }
}
