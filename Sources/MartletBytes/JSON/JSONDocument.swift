import MartletTensor

/// A JSON text (RFC 8259) that has been checked as a whole, as a flat list of its values. Nothing is decoded before it is asked for.
///
/// Texts of vocabularies have hundreds of thousands of values: a node takes 16 bytes, and scanning allocates nothing else.
package final class JSONDocument: Sendable {
  package enum Kind: UInt8, Sendable {
    case null, boolean, integer, number, string, array, object
  }

  /// A value. The values inside of it follow it, up to `end`; an object's members are a string and a value each.
  struct Node: Sendable {
    /// The bytes of a string between its quotes, or of any other value.
    var first: UInt32
    var last: UInt32
    /// Index of the node after this value and all that it contains.
    var end: UInt32
    var kind: Kind
    /// True if a string contains escapes.
    var hasEscapes: Bool
  }

  /// A syntax error.
  package struct ParseError: Error, Sendable, Equatable {
    package let byteOffset: Int
    package let reason: String

    package init(byteOffset: Int, reason: String) {
      self.byteOffset = byteOffset
      self.reason = reason
    }
  }

  package let bytes: [UInt8]
  let nodes: [Node]

  /// Texts of more bytes are refused.
  package static let largestByteCount = 1 << 30

  /// - Parameters:
  ///   - bytes: the text in UTF-8.
  ///   - maximumDepth: how deep values may be nested.
  ///   - allowsNotFinite: whether `NaN`, `Infinity` and `-Infinity` are numbers, as in texts that Python writes.
  package init(_ bytes: [UInt8], maximumDepth: Int = 64, allowsNotFinite: Bool = false) throws(ParseError) {
    guard bytes.count <= Self.largestByteCount else {
      throw ParseError(byteOffset: 0, reason: "\(bytes.count) bytes are more than \(Self.largestByteCount)")
    }
    var scanner = JSONScanner(bytes, maximumDepth: maximumDepth, allowsNotFinite: allowsNotFinite)
    nodes = try scanner.scan()
    self.bytes = bytes
  }

  package var root: JSONElement { JSONElement(document: self, index: 0) }
}

/// A value of a JSON document.
package struct JSONElement: Sendable {
  package let document: JSONDocument
  let index: Int

  private var node: JSONDocument.Node { document.nodes[index] }

  package var kind: JSONDocument.Kind { node.kind }
  package var isNull: Bool { node.kind == .null }

  /// Position of the value's first byte; of a string's first byte within the quotes.
  package var byteOffset: Int { Int(widening: node.first) }

  package var boolean: Bool? { node.kind == .boolean ? document.bytes[byteOffset] == UInt8(ascii: "t") : nil }

  /// A number without fraction or exponent that fits `Int`.
  package var integer: Int? { node.kind == .integer ? Int(numberText, radix: 10) : nil }

  /// An integer of at most nine digits without a sign, read without a detour over text; other numbers as `integer`.
  package var shortInteger: Int? {
    let node = node
    guard node.kind == .integer else { return nil }
    let range = Int(widening: node.first)..<Int(widening: node.last)
    guard range.count <= 9, document.bytes[range.lowerBound] != UInt8(ascii: "-") else { return integer }
    var value = 0
    for index in range { value = value &* 10 &+ Int(widening: document.bytes[index] & 0xF) }
    return value
  }

  package var number: Double? {
    switch node.kind {
    case .integer: Double(numberText)
    case .number:
      switch numberText {
      case "NaN": .nan
      case "Infinity": .infinity
      case "-Infinity": -.infinity
      default: Double(numberText)
      }
    default: nil
    }
  }

  /// The number as fast readers of JSON compute it, which are off by one unit in the last place now and then: the digits as an integer of
  /// 64 bits, rounded, and then multiplied or divided by a power of ten, and rounded again. For sums that must be those of such a reader.
  package var roundedTwice: Double? {
    guard node.kind == .integer || node.kind == .number else { return nil }
    var digits: UInt64 = 0
    var exponent = 0
    var isFraction = false
    var isFull = false
    var range = byteRange
    let isNegative = document.bytes[range.lowerBound] == UInt8(ascii: "-")
    if isNegative { range = range.dropFirst() }
    for index in range {
      let byte = document.bytes[index]
      if byte == UInt8(ascii: ".") {
        isFraction = true
      } else if byte &- UInt8(ascii: "0") < 10 {
        let (product, overflows) = digits.multipliedReportingOverflow(by: 10)
        let (sum, overflowsToo) = product.addingReportingOverflow(UInt64(widening: byte & 0xF))
        isFull = isFull || overflows || overflowsToo
        if !isFull { digits = sum }
        // In range: at most the length of a text.
        if isFull != isFraction { exponent += isFull ? 1 : -1 }
      } else {
        let text = String(decoding: document.bytes[(index + 1)..<range.upperBound], as: UTF8.self)
        exponent = (Extent(exponent) + (Int(text.hasPrefix("+") ? String(text.dropFirst()) : text, radix: 10) ?? 0)).clamped
        break
      }
    }
    guard abs(max(exponent, -400)) <= 308, let power = Double("1e\(abs(exponent))") else { return number }
    let value = exponent < 0 ? Double(digits) / power : Double(digits) * power
    return isNegative ? -value : value
  }

  private var numberText: String { String(decoding: document.bytes[byteRange], as: UTF8.self) }

  private var byteRange: Range<Int> { Int(widening: node.first)..<Int(widening: node.last) }

  package var string: String? {
    guard node.kind == .string else { return nil }
    if !node.hasEscapes { return String(decoding: document.bytes[byteRange], as: UTF8.self) }
    var bytes: [UInt8] = []
    appendString(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the bytes of a string in UTF-8; false if the value is none.
  @discardableResult
  package func appendString(to bytes: inout [UInt8]) -> Bool {
    let node = node
    guard node.kind == .string else { return false }
    let range = Int(widening: node.first)..<Int(widening: node.last)
    if node.hasEscapes {
      JSONScanner.appendUnescaped(document.bytes, range, to: &bytes)
    } else {
      bytes.append(contentsOf: document.bytes[range])
    }
    return true
  }

  /// The number of an array's values or of an object's members; 0 for other values. Takes time in proportion.
  package var count: Int {
    var count = 0
    forEach { _ in count += 1 }
    return node.kind == .object ? count / 2 : count
  }

  /// Calls `body` with an array's values in their order.
  package func forEachElement<Failure: Error>(_ body: (JSONElement) throws(Failure) -> Void) throws(Failure) {
    if node.kind == .array { try forEach(body) }
  }

  /// Calls `body` with an object's members in their order; a key is a string.
  package func forEachMember<Failure: Error>(_ body: (_ key: JSONElement, _ value: JSONElement) throws(Failure) -> Void) throws(Failure) {
    guard node.kind == .object else { return }
    var key: JSONElement?
    try forEach { (element) throws(Failure) in
      if let open = key {
        try body(open, element)
        key = nil
      } else {
        key = element
      }
    }
  }

  /// The values of an array.
  package var elements: [JSONElement] {
    var elements: [JSONElement] = []
    forEachElement { elements.append($0) }
    return elements
  }

  /// The last member of that name; nil if there is none, or if the value is no object.
  package subscript(key: String) -> JSONElement? {
    var found: JSONElement?
    forEachMember { member, value in
      if member.equals(key) { found = value }
    }
    return found
  }

  /// True if the value is that string.
  package func equals(_ text: String) -> Bool {
    guard node.kind == .string else { return false }
    return node.hasEscapes ? string == text : document.bytes[byteRange].elementsEqual(text.utf8)
  }

  private func forEach<Failure: Error>(_ body: (JSONElement) throws(Failure) -> Void) throws(Failure) {
    let end = Int(widening: node.end)
    // In range: indices of nodes.
    var next = index + 1
    while next < end {
      try body(JSONElement(document: document, index: next))
      next = Int(widening: document.nodes[next].end)
    }
  }
}
