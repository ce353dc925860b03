import MartletTensor

/// A compiled pattern: states of an automaton, each with an ordered choice of states that follow.
///
/// A state is *viable* at a place of a text if the text from there on leads from it to a match. What is viable at a place follows from
/// what is viable at the next one. `RegexCache` finds this from the end of the text to its start; the match at a place is then read
/// forwards, always by the first viable choice. So time is linear in the text, whatever the pattern.
final class RegexProgram: Sendable {
  enum State: Sendable {
    /// One character of a set, by its number.
    case set(Int, next: Int)
    case choice(Int, Int)
    /// Another automaton matches from here, or does not.
    case look(Int, negative: Bool, next: Int)
    /// A condition on the character before, by its number.
    case before(Int, next: Int)
    /// The character after is of a set, by its number; `orEnd` at the end of the text.
    case after(Int, orEnd: Bool, next: Int)
    case never
    case match
  }

  /// Patterns of more states are refused.
  static let maximumStateCount = 2048

  let states: [State]
  let start: Int
  let classes: ScalarClasses
  /// Where the automatons of look-ahead and the pattern itself begin in `states`, innermost first, and where they end.
  let layers: [Range<Int>]
  /// States that can come before each one without a character in between.
  let predecessors: [[Int32]]
  /// States that begin a match or follow a character, and the number of each among them; -1 for others.
  let entries: [Int]
  let entryNumbers: [Int]

  /// For each class, which conditions on the character before hold after a character of it: numbers of contexts, which are equal if all
  /// conditions are. One more at the start of the text.
  let contextOfClass: [UInt8]
  let contextAtStart: UInt8
  /// For each context whether the conditions hold.
  let contexts: [[Bool]]

  convenience init(_ pattern: String, dialect: RegexDialect) throws(RegexError) {
    try self.init(try RegexParser.parse(pattern, dialect: dialect))
  }

  init(_ node: RegexNode) throws(RegexError) {
    var compiler = RegexCompiler()
    let start = try compiler.compileAutomaton(node)
    states = compiler.states
    self.start = start
    layers = compiler.layers
    classes = try ScalarClasses(compiler.sets)

    var predecessors = [[Int32]](repeating: [], count: states.count)
    var entries = [start]
    var entryNumbers = [Int](repeating: -1, count: states.count)
    entryNumbers[start] = 0
    for (index, state) in states.enumerated() {
      let number = Int32(clamping: index)
      switch state {
      case .set(_, let next):
        if entryNumbers[next] < 0 {
          entryNumbers[next] = entries.count
          entries.append(next)
        }
      case .choice(let first, let second):
        predecessors[first].append(number)
        predecessors[second].append(number)
      case .look(_, _, let next), .before(_, let next), .after(_, _, let next): predecessors[next].append(number)
      case .never, .match: break
      }
    }
    self.predecessors = predecessors
    self.entries = entries
    self.entryNumbers = entryNumbers

    var contexts: [[Bool]] = []
    func number(_ context: [Bool]) throws(RegexError) -> UInt8 {
      if let known = contexts.firstIndex(of: context) { return UInt8(clamping: known) }
      contexts.append(context)
      guard contexts.count < 256 else { throw RegexError(position: 0, reason: "the pattern has too many conditions") }
      return UInt8(clamping: contexts.count - 1)
    }
    var contextOfClass: [UInt8] = []
    for index in 0..<classes.count {
      var context: [Bool] = []
      for condition in compiler.conditions { context.append(classes.members[condition.set][index]) }
      contextOfClass.append(try number(context))
    }
    contextAtStart = try number(compiler.conditions.map(\.orStart))
    self.contextOfClass = contextOfClass
    self.contexts = contexts
  }
}

/// Makes states of a parsed pattern, from its end to its start.
private struct RegexCompiler {
  struct Condition: Hashable {
    var set: Int
    var orStart: Bool
  }

  private(set) var states: [RegexProgram.State] = []
  private(set) var layers: [Range<Int>] = []
  private(set) var sets: [ScalarSet] = []
  private(set) var conditions: [Condition] = []
  private var setNumbers: [ScalarSet: Int] = [:]

  /// The first state of a pattern, or of a look-ahead's own. Those inside of it come before it.
  mutating func compileAutomaton(_ node: RegexNode) throws(RegexError) -> Int {
    let inner = try Self.looks(in: node)
    var starts: [Int] = []
    for look in inner { starts.append(try compileAutomaton(look)) }
    let first = states.count
    let match = try add(.match)
    var rest = starts[...]
    let start = try compile(node, next: match, &rest)
    layers.append(first..<states.count)
    return start
  }

  /// The patterns inside the look-aheads of a pattern, in the order in which `compile` meets them.
  private static func looks(in node: RegexNode) throws(RegexError) -> [RegexNode] {
    switch node {
    case .lookAhead(let inner, _): return [inner]
    case .sequence(let items):
      var looks: [RegexNode] = []
      for item in items.reversed() { looks += try self.looks(in: item) }
      return looks
    case .choice(let items):
      var looks: [RegexNode] = []
      for item in items { looks += try self.looks(in: item) }
      return looks
    case .repetition(let inner, let minimum, let maximum, _):
      let looks = try looks(in: inner)
      let count = maximum ?? minimum + 1
      // In range: bounds of repetitions are.
      guard looks.count * count <= RegexProgram.maximumStateCount else { throw tooLarge }
      return (0..<count).flatMap { _ in looks }
    default: return []
    }
  }

  private static var tooLarge: RegexError {
    RegexError(position: 0, reason: "the pattern needs more than \(RegexProgram.maximumStateCount) states")
  }

  private mutating func add(_ state: RegexProgram.State) throws(RegexError) -> Int {
    guard states.count < RegexProgram.maximumStateCount else { throw Self.tooLarge }
    states.append(state)
    return states.count - 1
  }

  private mutating func number(of set: ScalarSet) -> Int {
    if let known = setNumbers[set] { return known }
    setNumbers[set] = sets.count
    sets.append(set)
    return sets.count - 1
  }

  private mutating func compile(_ node: RegexNode, next: Int, _ looks: inout ArraySlice<Int>) throws(RegexError) -> Int {
    switch node {
    case .empty: return next
    case .never: return try add(.never)
    case .set(let set): return try add(set.isEmpty ? .never : .set(number(of: set), next: next))
    case .sequence(let items):
      var next = next
      for item in items.reversed() { next = try compile(item, next: next, &looks) }
      return next
    case .choice(let items):
      var starts: [Int] = []
      for item in items { starts.append(try compile(item, next: next, &looks)) }
      var start = starts.removeLast()
      for other in starts.reversed() { start = try add(.choice(other, start)) }
      return start
    case .lookAhead(_, let negative):
      guard let start = looks.popFirst() else { return try add(.never) }
      return try add(.look(start, negative: negative, next: next))
    case .before(let set, let orStart):
      let condition = Condition(set: number(of: set), orStart: orStart)
      if !conditions.contains(condition) { conditions.append(condition) }
      return try add(.before(conditions.firstIndex(of: condition) ?? 0, next: next))
    case .after(let set, let orEnd): return try add(.after(number(of: set), orEnd: orEnd, next: next))
    case .repetition(let inner, let minimum, let maximum, let greed):
      return try compileRepetition(inner, minimum, maximum, greed, next: next, &looks)
    }
  }

  private mutating func compileRepetition(
    _ inner: RegexNode, _ minimum: Int, _ maximum: Int?, _ greed: RegexGreed, next: Int, _ looks: inout ArraySlice<Int>
  ) throws(RegexError) -> Int {
    // A possessive repetition of one character ends where no such character follows.
    var exit = next
    if greed == .possessive {
      guard let set = RegexParser.onlySet(inner) else {
        throw RegexError(position: 0, reason: "possessive repetitions of more than characters are not supported")
      }
      exit = try add(.after(number(of: set.inverted), orEnd: true, next: next))
    }
    func choice(_ again: Int, _ leave: Int) -> RegexProgram.State {
      greed == .lazy ? .choice(leave, again) : .choice(again, leave)
    }
    var start: Int
    if let maximum {
      start = next
      for _ in minimum..<maximum {
        let body = try compile(inner, next: start, &looks)
        start = try add(choice(body, exit))
      }
    } else {
      // The loop's state is made before its body, which leads back to it.
      start = try add(.never)
      let body = try compile(inner, next: start, &looks)
      states[start] = choice(body, exit)
    }
    for _ in 0..<minimum { start = try compile(inner, next: start, &looks) }
    return start
  }
}
