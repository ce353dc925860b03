import MartletTensor

/// Sets of viable states that texts have led to, and what follows from them. Not for several threads at a time.
final class RegexCache {
  let program: RegexProgram

  /// Words of 64 bits in a set of states.
  private let wordCount: Int
  /// Classes times contexts.
  let symbolCount: Int
  let contextCount: Int
  let entryCount: Int
  /// The sets, one after the other.
  private var sets: [UInt64] = []
  private(set) var setCount = 0
  /// Numbers of sets by their hashes; 0 for none, else one more.
  private var table: [UInt32] = []
  /// For each set and symbol the set before; `unknown` if it has not been computed.
  private(set) var transitions: [UInt32] = []
  /// For each set and entry the entry after the next character; `unknownStep`, `matchStep` or a number.
  private(set) var steps: [UInt16] = []
  /// For each set whether a match begins.
  private(set) var beginsMatch: [Bool] = []
  /// Sets from this number on have no row in `transitions` and `steps`.
  private(set) var rowCount = 0
  /// The sets at the end of a text by context.
  private var ends: [UInt32]
  /// The numbers of sets at the places of the text that is being matched.
  var places: [UInt32] = []

  static let unknown = UInt32.max
  static let unknownStep = UInt16.max
  static let matchStep = UInt16.max - 1

  /// Memory of rows and of sets between texts, in bytes.
  private static let rowByteLimit = 32 << 20

  init(_ program: RegexProgram) {
    self.program = program
    wordCount = program.states.count / 64 + 1
    contextCount = program.contexts.count
    // In range: at most 255 classes and contexts.
    symbolCount = program.classes.count * program.contexts.count
    entryCount = program.entries.count
    ends = Array(repeating: Self.unknown, count: program.contexts.count)
    table = Array(repeating: 0, count: 256)
  }

  /// Forgets all sets if they take much memory. Called between texts.
  func trim() {
    guard setCount * wordCount * 8 + rowCount * (symbolCount * 4 + entryCount * 2) > Self.rowByteLimit else { return }
    sets = []
    setCount = 0
    table = Array(repeating: 0, count: 256)
    transitions = []
    steps = []
    beginsMatch = []
    rowCount = 0
    ends = Array(repeating: Self.unknown, count: contextCount)
    places = []
  }

  // MARK: Sets

  /// The set at the end of a text.
  func end(context: Int) -> UInt32 {
    if ends[context] == Self.unknown { ends[context] = compute(after: nil, characterClass: nil, context: context) }
    return ends[context]
  }

  /// The set at a place: `set` is the one after the character there.
  func transition(_ set: UInt32, symbol: Int) -> UInt32 {
    let before = compute(after: set, characterClass: symbol / contextCount, context: symbol % contextCount)
    let row = Int(widening: set)
    if row < rowCount { transitions[row * symbolCount + symbol] = before }
    return before
  }

  private func compute(after: UInt32?, characterClass: Int?, context: Int) -> UInt32 {
    var viable = [UInt64](repeating: 0, count: wordCount)
    let base = after.map { Int(widening: $0) * wordCount }
    func isViableAfter(_ state: Int) -> Bool { base.map { sets[$0 + state / 64] >> UInt64(clamping: state % 64) & 1 == 1 } ?? false }
    func isViable(_ state: Int) -> Bool { viable[state / 64] >> UInt64(clamping: state % 64) & 1 == 1 }
    func isIn(_ set: Int, orEnd: Bool) -> Bool { characterClass.map { program.classes.members[set][$0] } ?? orEnd }
    var open: [Int] = []
    func add(_ state: Int) {
      guard !isViable(state) else { return }
      viable[state / 64] |= 1 << UInt64(clamping: state % 64)
      open.append(state)
    }
    for layer in program.layers {
      for state in layer {
        switch program.states[state] {
        case .set(let set, let next):
          if let characterClass, program.classes.members[set][characterClass], isViableAfter(next) { add(state) }
        case .match: add(state)
        default: break
        }
      }
      while let state = open.popLast() {
        for predecessor in program.predecessors[state] {
          let predecessor = Int(widening: predecessor)
          switch program.states[predecessor] {
          case .choice: add(predecessor)
          case .look(let start, let negative, _): if isViable(start) != negative { add(predecessor) }
          case .before(let condition, _): if program.contexts[context][condition] { add(predecessor) }
          case .after(let set, let orEnd, _): if isIn(set, orEnd: orEnd) { add(predecessor) }
          case .set, .never, .match: break
          }
        }
      }
    }
    return intern(viable)
  }

  private func intern(_ set: [UInt64]) -> UInt32 {
    var slot = Self.hash(set[...]) & (table.count - 1)
    while table[slot] != 0 {
      let known = Int(widening: table[slot] - 1)
      if sets[known * wordCount..<(known + 1) * wordCount].elementsEqual(set) { return UInt32(clamping: known) }
      slot = (slot + 1) & (table.count - 1)
    }
    let number = setCount
    sets.append(contentsOf: set)
    setCount += 1
    beginsMatch.append(set[program.start / 64] >> UInt64(clamping: program.start % 64) & 1 == 1)
    if rowCount == number, (number + 1) * (symbolCount * 4 + entryCount * 2 + wordCount * 8) <= Self.rowByteLimit {
      rowCount += 1
      transitions.append(contentsOf: repeatElement(Self.unknown, count: symbolCount))
      steps.append(contentsOf: repeatElement(Self.unknownStep, count: entryCount))
    }
    table[slot] = UInt32(clamping: number + 1)
    if setCount * 2 > table.count { growTable() }
    return UInt32(clamping: number)
  }

  private func growTable() {
    table = Array(repeating: 0, count: table.count * 2)
    for number in 0..<setCount {
      var slot = Self.hash(sets[number * wordCount..<(number + 1) * wordCount]) & (table.count - 1)
      while table[slot] != 0 { slot = (slot + 1) & (table.count - 1) }
      table[slot] = UInt32(clamping: number + 1)
    }
  }

  private static func hash(_ set: ArraySlice<UInt64>) -> Int {
    var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
    for word in set {
      hash = (hash ^ word) &* 0xD6E8_FEB8_6659_FD93
      hash ^= hash >> 32
    }
    return Int(truncatingIfNeeded: hash & 0x7FFF_FFFF)
  }

  // MARK: Steps

  /// The entry after the next character, or the end of the match, on the first viable way from an entry at a place with a set.
  func step(_ set: UInt32, entry: Int) -> UInt16 {
    let base = Int(widening: set) * wordCount
    func isViable(_ state: Int) -> Bool { sets[base + state / 64] >> UInt64(clamping: state % 64) & 1 == 1 }
    // Depth first; a state that has been visited leads nowhere new.
    var visited: Set<Int> = []
    var open = [program.entries[entry]]
    var result = Self.matchStep
    while let state = open.popLast() {
      guard isViable(state), visited.insert(state).inserted else { continue }
      switch program.states[state] {
      case .set(_, let next):
        result = UInt16(clamping: program.entryNumbers[next])
        open = []
      case .choice(let first, let second):
        open.append(second)
        open.append(first)
      case .look(_, _, let next), .before(_, let next), .after(_, _, let next): open.append(next)
      case .match: open = []
      case .never: break
      }
    }
    let row = Int(widening: set)
    if row < rowCount { steps[row * entryCount + entry] = result }
    return result
  }
}
