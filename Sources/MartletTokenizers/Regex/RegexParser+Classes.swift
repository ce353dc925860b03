import MartletTensor

/// Escapes and classes of characters.
extension RegexParser {
  /// Parses the rest of an escape outside of a class, from the backslash on.
  mutating func parseEscape() throws(RegexError) -> RegexNode {
    switch peek() {
    case "A": return step(.before(ScalarSet(), orStart: true))
    case "z": return step(.after(ScalarSet(), orEnd: true))
    case "Z":
      return step(
        .choice([
          .after(ScalarSet(), orEnd: true),
          .lookAhead(.sequence([.set(ScalarSet("\n")), .after(ScalarSet(), orEnd: true)]), negative: false),
        ]))
    case "b", "B":
      let isBoundary = peek() == "b"
      let word = wordSet
      let other = word.inverted
      // A word begins or ends, or neither.
      let pairs: [(RegexNode, RegexNode)] =
        isBoundary
        ? [
          (.before(word, orStart: false), .after(other, orEnd: true)),
          (.before(other, orStart: true), .after(word, orEnd: false)),
        ]
        : [
          (.before(word, orStart: false), .after(word, orEnd: false)),
          (.before(other, orStart: true), .after(other, orEnd: true)),
        ]
      return step(.choice(pairs.map { .sequence([$0.0, $0.1]) }))
    case "R" where dialect == .oniguruma:
      return step(
        .choice([
          .sequence([.set(ScalarSet("\r")), .set(ScalarSet("\n"))]),
          .set(ScalarSet([0xA...0xD, 0x85...0x85, 0x2028...0x2029])),
        ]))
    case "1", "2", "3", "4", "5", "6", "7", "8", "9", "k", "g": throw fault("references to groups are not supported")
    case "G", "K", "X", "y", "Y": throw fault("the escape \\\(peek().map { String($0) } ?? "") is not supported")
    default: return .set(folded(try parseSetEscape()))
    }
  }

  private mutating func step(_ node: RegexNode) -> RegexNode {
    position += 1
    return node
  }

  private var wordSet: ScalarSet {
    switch dialect {
    case .oniguruma: UnicodeProperty.word.union(ScalarSet("\u{B2}", "\u{B3}", "\u{B9}", "\u{BC}", "\u{BD}", "\u{BE}"))
    case .rust: UnicodeProperty.wordWithJoiners
    }
  }

  /// Parses the rest of an escape that stands for one of some characters, from the backslash on.
  mutating func parseSetEscape() throws(RegexError) -> ScalarSet {
    let scalar = try next()
    switch scalar {
    case "d": return UnicodeProperty.category("nd")
    case "D": return UnicodeProperty.category("nd").inverted
    case "s": return UnicodeProperty.whitespace
    case "S": return UnicodeProperty.whitespace.inverted
    case "w": return wordSet
    case "W": return wordSet.inverted
    case "h": return UnicodeProperty.hexadecimalDigits
    case "H": return UnicodeProperty.hexadecimalDigits.inverted
    case "p", "P": return try parseProperty(inverted: scalar == "P")
    case "n": return ScalarSet("\n")
    case "r": return ScalarSet("\r")
    case "t": return ScalarSet("\t")
    case "f": return ScalarSet("\u{C}")
    case "v": return ScalarSet("\u{B}")
    case "a": return ScalarSet("\u{7}")
    case "e" where dialect == .oniguruma: return ScalarSet("\u{1B}")
    case "b": return ScalarSet("\u{8}")
    case "0" where dialect == .oniguruma: return try scalarSet(digits(radix: 8, from: 0, to: 2))
    case "x":
      if take("{") {
        let value = try digits(radix: 16, from: 1, to: 8)
        guard take("}") else { throw fault("a '{' is not closed") }
        return try scalarSet(value)
      }
      return try scalarSet(digits(radix: 16, from: dialect == .rust ? 2 : 0, to: 2))
    case "u": return try scalarSet(digits(radix: 16, from: 4, to: 4))
    case "U" where dialect == .rust: return try scalarSet(digits(radix: 16, from: 8, to: 8))
    default:
      if dialect == .rust, ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) {
        throw fault("the escape \\\(scalar) is unknown")
      }
      return ScalarSet(scalar)
    }
  }

  private func scalarSet(_ value: UInt32) throws(RegexError) -> ScalarSet {
    guard value <= ScalarSet.largest else { throw fault("a character beyond U+10FFFF") }
    return ScalarSet([value...value])
  }

  private mutating func digits(radix: UInt32, from minimum: Int, to maximum: Int) throws(RegexError) -> UInt32 {
    var value: UInt32 = 0
    var count = 0
    while count < maximum, let scalar = peek(), let digit = Character(scalar).hexDigitValue, scalar.isASCII, digit < Int(widening: radix) {
      // In range: at most eight digits; wraps beyond, which is no character either.
      value = value &* radix &+ UInt32(clamping: digit)
      position += 1
      count += 1
    }
    guard count >= minimum else { throw fault("digits are missing") }
    return value
  }

  private mutating func parseProperty(inverted: Bool) throws(RegexError) -> ScalarSet {
    var isInverted = inverted
    var name = ""
    if take("{") {
      if take("^") { isInverted.toggle() }
      while let scalar = peek(), scalar != "}" {
        name.unicodeScalars.append(scalar)
        position += 1
        guard name.utf8.count <= 100 else { throw fault("the name of a property is too long") }
      }
      guard take("}") else { throw fault("a '{' is not closed") }
    } else {
      name = String(Character(try next()))
    }
    guard let set = UnicodeProperty.set(named: name) else { throw fault("the property '\(name)' is unknown") }
    return isInverted ? set.inverted : set
  }

  /// A class in square brackets.
  mutating func parseClass() throws(RegexError) -> ScalarSet {
    try nested { (parser) throws(RegexError) in try parser.parseClassContents() }
  }

  private mutating func parseClassContents() throws(RegexError) -> ScalarSet {
    position += 1
    let isInverted = take("^")
    var result: ScalarSet?
    var set = ScalarSet()
    var isFirst = true
    while true {
      guard let scalar = peek() else { throw fault("a '[' is not closed") }
      if scalar == "]", !isFirst {
        position += 1
        break
      }
      isFirst = false
      if scalar == "[" {
        if let posix = try parsePosixClass() { set = set.union(folded(posix)) } else { set = set.union(try parseClass()) }
      } else if take("&&") {
        result = result.map { $0.intersection(set) } ?? set
        set = ScalarSet()
      } else if dialect == .rust, take("--") || take("~~") {
        throw fault("differences of classes are not supported")
      } else {
        set = set.union(try parseClassItem())
      }
    }
    let whole = result.map { $0.intersection(set) } ?? set
    return isInverted ? whole.inverted : whole
  }

  private mutating func parsePosixClass() throws(RegexError) -> ScalarSet? {
    let start = position
    guard take("[:") else { return nil }
    let isInverted = take("^")
    var name = ""
    while let scalar = peek(), scalar.isASCII, scalar.properties.isAlphabetic {
      name.unicodeScalars.append(scalar)
      position += 1
    }
    guard take(":]") else {
      position = start
      return nil
    }
    guard let set = UnicodeProperty.posix(name) else { throw fault("the class '\(name)' is unknown") }
    return isInverted ? set.inverted : set
  }

  private mutating func parseClassItem() throws(RegexError) -> ScalarSet {
    let low = try parseClassCharacter()
    guard peek() == "-", peek(1) != nil, peek(1) != "]" else { return folded(low) }
    guard let first = low.onlyMember else { return folded(low) }
    let start = position
    position += 1
    if peek() == "[" || (peek() == "&" && peek(1) == "&") {
      position = start
      return folded(low)
    }
    guard let last = try parseClassCharacter().onlyMember else {
      // A hyphen before a set is itself.
      position = start
      return folded(low)
    }
    guard first <= last else { throw fault("a range of characters is empty") }
    return folded(ScalarSet([first...last]))
  }

  private mutating func parseClassCharacter() throws(RegexError) -> ScalarSet {
    let scalar = try next()
    return scalar == "\\" ? try parseSetEscape() : ScalarSet(scalar)
  }
}
