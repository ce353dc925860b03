/// Parses patterns by recursive descent.
struct RegexParser {
  /// How deep groups and classes may be nested.
  static let maximumDepth = 200
  /// Longest pattern, in characters.
  static let maximumLength = 100_000
  /// Largest bound of a repetition.
  static let maximumCount = 1000

  struct Flags {
    var ignoresCase = false
    var dotMatchesNewline = false
    var isMultiline = false
    var isExtended = false
  }

  let scalars: [Unicode.Scalar]
  let dialect: RegexDialect
  var position = 0
  var flags = Flags()
  private var depth = 0

  static func parse(_ pattern: String, dialect: RegexDialect) throws(RegexError) -> RegexNode {
    var parser = RegexParser(scalars: Array(pattern.unicodeScalars), dialect: dialect)
    guard parser.scalars.count <= maximumLength else {
      throw RegexError(position: maximumLength, reason: "the pattern has more than \(maximumLength) characters")
    }
    let node = try parser.parseChoice()
    guard parser.position == parser.scalars.count else { throw parser.fault("a ')' without '('") }
    return node
  }

  private init(scalars: [Unicode.Scalar], dialect: RegexDialect) {
    self.scalars = scalars
    self.dialect = dialect
  }

  // MARK: Characters of the pattern

  func fault(_ reason: String) -> RegexError { RegexError(position: position, reason: reason) }

  func peek(_ distance: Int = 0) -> Unicode.Scalar? {
    // In range: positions in a pattern of bounded length.
    position + distance < scalars.count ? scalars[position + distance] : nil
  }

  mutating func take(_ text: String) -> Bool {
    let wanted = Array(text.unicodeScalars)
    guard scalars[position...].starts(with: wanted) else { return false }
    position += wanted.count
    return true
  }

  mutating func next() throws(RegexError) -> Unicode.Scalar {
    guard let scalar = peek() else { throw fault("the pattern ends early") }
    position += 1
    return scalar
  }

  mutating func nested<Result>(_ body: (inout RegexParser) throws(RegexError) -> Result) throws(RegexError) -> Result {
    guard depth < Self.maximumDepth else { throw fault("is nested more than \(Self.maximumDepth) deep") }
    depth += 1
    let result = try body(&self)
    depth -= 1
    return result
  }

  // MARK: Structure

  /// Alternatives up to a closing bracket or the end. Flags that are set inside end there.
  private mutating func parseChoice() throws(RegexError) -> RegexNode {
    let outer = flags
    var choices = [try parseSequence()]
    while take("|") { choices.append(try parseSequence()) }
    flags = outer
    return choices.count == 1 ? choices[0] : .choice(choices)
  }

  private mutating func parseSequence() throws(RegexError) -> RegexNode {
    var items: [RegexNode] = []
    while let scalar = peek(), scalar != "|", scalar != ")" {
      if flags.isExtended, skipComment() { continue }
      guard let atom = try parseAtom() else { continue }
      items.append(try parseRepetitions(of: atom))
    }
    return items.count == 1 ? items[0] : items.isEmpty ? .empty : .sequence(items)
  }

  private mutating func skipComment() -> Bool {
    guard let scalar = peek() else { return false }
    if UnicodeProperty.whitespace.contains(scalar.value) {
      position += 1
      return true
    }
    guard scalar == "#" else { return false }
    while let scalar = peek(), scalar != "\n" { position += 1 }
    return true
  }

  private mutating func parseRepetitions(of atom: RegexNode) throws(RegexError) -> RegexNode {
    var node = atom
    var count = 0
    while true {
      if flags.isExtended { while skipComment() {} }
      var (minimum, maximum): (Int, Int?)
      var isInterval = false
      switch peek() {
      case "?": (minimum, maximum) = (0, 1)
      case "*": (minimum, maximum) = (0, nil)
      case "+": (minimum, maximum) = (1, nil)
      case "{":
        guard let interval = try parseInterval() else { return node }
        (minimum, maximum) = interval
        isInterval = true
      default: return node
      }
      if !isInterval { position += 1 }
      count += 1
      guard count <= 8 else { throw fault("too many repetitions of repetitions") }
      if case .empty = node { throw fault("nothing to repeat") }
      var greed = RegexGreed.greedy
      if take("?") {
        if dialect == .oniguruma, isInterval, minimum == maximum {
          // `{n}?` is an optional repetition.
          node = .repetition(.repetition(node, minimum: minimum, maximum: maximum, .greedy), minimum: 0, maximum: 1, .greedy)
          continue
        }
        greed = .lazy
      } else if peek() == "+", dialect == .rust || !isInterval {
        position += 1
        greed = .possessive
      }
      node = .repetition(node, minimum: minimum, maximum: maximum, greed)
    }
  }

  /// The bounds between braces; nil, without a step, if they are no bounds but characters.
  private mutating func parseInterval() throws(RegexError) -> (Int, Int?)? {
    let start = position
    position += 1
    let minimum = try parseNumber()
    var maximum = minimum
    let hasComma = take(",")
    if hasComma { maximum = try parseNumber() }
    guard take("}"), minimum != nil || (hasComma && maximum != nil && dialect == .oniguruma) else {
      guard dialect == .oniguruma else { throw fault("the bounds of a repetition are wrong") }
      position = start
      return nil
    }
    let low = minimum ?? 0
    if let maximum, maximum < low { throw fault("a repetition's upper bound is below its lower one") }
    return (low, maximum)
  }

  private mutating func parseNumber() throws(RegexError) -> Int? {
    var value: Int?
    while let scalar = peek(), ("0"..."9").contains(scalar) {
      // In range: checked after each digit.
      value = (value ?? 0) * 10 + Int(truncatingIfNeeded: scalar.value - 48)
      guard value ?? 0 <= Self.maximumCount else { throw fault("a bound exceeds \(Self.maximumCount)") }
      position += 1
    }
    return value
  }

  /// An item; nil for one that stands for nothing, such as flags.
  private mutating func parseAtom() throws(RegexError) -> RegexNode? {
    let scalar = try next()
    switch scalar {
    case "(":
      return try nested { (parser) throws(RegexError) in try parser.parseGroup() }
    case "[":
      position -= 1
      return .set(try parseClass())
    case ".":
      return .set(flags.dotMatchesNewline ? .all : ScalarSet("\n").inverted)
    case "^":
      return .before(dialect == .oniguruma || flags.isMultiline ? ScalarSet("\n") : ScalarSet(), orStart: true)
    case "$":
      return .after(dialect == .oniguruma || flags.isMultiline ? ScalarSet("\n") : ScalarSet(), orEnd: true)
    case "\\":
      return try parseEscape()
    case "*", "+", "?":
      position -= 1
      throw fault("nothing to repeat")
    case "{":
      position -= 1
      if dialect == .rust { throw fault("nothing to repeat") }
      if try parseInterval() != nil { throw fault("nothing to repeat") }
      position += 1
      return literal(scalar)
    default:
      return literal(scalar)
    }
  }

  private func literal(_ scalar: Unicode.Scalar) -> RegexNode { .set(folded(ScalarSet(scalar))) }

  /// The set, with the other case of its characters if case is ignored.
  func folded(_ set: ScalarSet) -> ScalarSet { flags.ignoresCase ? UnicodeProperty.foldingCase(set) : set }

  private mutating func parseGroup() throws(RegexError) -> RegexNode? {
    let outer = flags
    var negative: Bool?
    var isBehind = false
    if take("?") {
      if take("#") {
        while try next() != ")" {}
        return nil
      }
      if take(":") {
      } else if take("=") {
        negative = false
      } else if take("!") {
        negative = true
      } else if take("<=") {
        (negative, isBehind) = (false, true)
      } else if take("<!") {
        (negative, isBehind) = (true, true)
      } else if take("P<") || take("<") || take("'") {
        while let scalar = peek(), scalar != ">", scalar != "'" {
          guard scalar.properties.isAlphabetic || scalar == "_" || ("0"..."9").contains(scalar) else { break }
          position += 1
        }
        guard take(">") || take("'") else { throw fault("the name of a group is wrong") }
      } else if take(">") {
        let node = try parseChoice()
        guard take(")") else { throw fault("a '(' is not closed") }
        return try atomic(node)
      } else {
        try parseFlags()
        if take(")") {
          // The flags hold up to the end of the group around.
          return nil
        }
        guard take(":") else { throw fault("a group of an unknown kind") }
      }
    }
    let node = try parseChoice()
    guard take(")") else { throw fault("a '(' is not closed") }
    flags = outer
    guard let negative else { return node }
    if !isBehind { return .lookAhead(node, negative: negative) }
    guard let set = Self.onlySet(node) else { throw fault("look-behind of other than one character is not supported") }
    return .before(negative ? set.inverted : set, orStart: negative)
  }

  private mutating func parseFlags() throws(RegexError) {
    var value = true
    while let scalar = peek(), scalar != ")", scalar != ":" {
      position += 1
      switch scalar {
      case "-": value = false
      case "i": flags.ignoresCase = value
      case "x": flags.isExtended = value
      case "s" where dialect == .rust: flags.dotMatchesNewline = value
      case "m":
        if dialect == .rust { flags.isMultiline = value } else { flags.dotMatchesNewline = value }
      case "u" where dialect == .rust && value: break
      default: throw fault("the flag '\(scalar)' is unknown")
      }
    }
  }

  /// The set of a node that matches one character.
  static func onlySet(_ node: RegexNode) -> ScalarSet? {
    switch node {
    case .set(let set): return set
    case .choice(let choices):
      let sets = choices.map(onlySet)
      guard sets.allSatisfy({ $0 != nil }) else { return nil }
      return sets.compactMap { $0 }.reduce(ScalarSet()) { $0.union($1) }
    default: return nil
    }
  }

  /// A group that is never matched in another way than its first one.
  private func atomic(_ node: RegexNode) throws(RegexError) -> RegexNode {
    switch node {
    case .set, .empty, .never, .before, .after, .lookAhead: return node
    case .choice where Self.onlySet(node) != nil: return node
    case .repetition(let inner, let minimum, let maximum, .greedy) where Self.onlySet(inner) != nil:
      return .repetition(inner, minimum: minimum, maximum: maximum, .possessive)
    case .sequence(let items):
      // Each but the last must be atomic by itself and unable to match less; then the sequence has one way only.
      guard items.dropLast().allSatisfy({ Self.onlySet($0) != nil }), let last = items.last else { break }
      return .sequence(items.dropLast() + [try atomic(last)])
    default: break
    }
    throw fault("atomic groups of more than repeated characters are not supported")
  }
}
