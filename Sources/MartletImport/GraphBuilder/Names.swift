package import MartletGraph
import MartletTensor

/// The meaning of a name: one or more values of the graph.
package protocol Capturable {
  /// A copy with each graph value replaced.
  func mapped(_ replacement: (ValueID) -> ValueID) -> Self
}

extension ValueID: Capturable {
  package func mapped(_ replacement: (ValueID) -> ValueID) -> ValueID { replacement(self) }
}

/// The meanings of a source format's names at this point of the program, in one table per open scope.
///
/// Looking up a name of an enclosing scope captures it. `Key` identifies values of the format: a string or an index. If a builder has
/// names, all regions must be opened through them, because each region needs a table.
package final class Names<Key: Hashable, Meaning> {
  /// Meanings by name.
  struct Meanings {
    /// Those of integer names below the reserved count.
    private var numbered: [Meaning?] = []
    private var others: [Key: Meaning] = [:]

    mutating func reserveCapacity(_ count: Int) {
      if Key.self == Int.self {
        numbered = [Meaning?](repeating: nil, count: count)
      } else {
        others.reserveCapacity(count)
      }
    }

    subscript(key: Key) -> Meaning? {
      get {
        if let number = key as? Int, numbered.indices.contains(number) { return numbered[number] }
        return others[key]
      }
      set {
        if let number = key as? Int, numbered.indices.contains(number) {
          numbered[number] = newValue
        } else {
          others[key] = newValue
        }
      }
    }
  }

  /// The names of one scope.
  struct Table {
    var meanings = Meanings()
    /// Names of enclosing scopes that this region has assigned, in order.
    var assigned: [Key] = []
  }

  private let builder: GraphBuilder
  /// True if names can be assigned again, so that loops must carry those that they read.
  private let areVariables: Bool
  /// A copy of a meaning with each graph value replaced. With a requirement on `Meaning` instead, the Swift runtime would search all protocol
  /// conformances of the process when it first makes the class.
  private let mapped: (_ meaning: Meaning, _ replacement: (ValueID) -> ValueID) -> Meaning
  private var tables: [Table] = [Table()]

  package init(_ builder: GraphBuilder, areVariables: Bool) where Meaning: Capturable {
    self.builder = builder
    self.areVariables = areVariables
    mapped = { meaning, replacement in meaning.mapped(replacement) }
  }

  /// Reserves room for names of the outermost scope, before any is defined; if they are integers, for those below `count`.
  package func reserveCapacity(_ count: Int) { tables[0].meanings.reserveCapacity(count) }

  /// The meaning of the name in the open scope; nil if it is undefined.
  package subscript(key: Key) -> Meaning? {
    let level = builder.level
    if let known = tables[level].meanings[key] { return known }
    guard let definition = (0..<level).last(where: { tables[$0].meanings[key] != nil }) else { return nil }
    var meaning = tables[definition].meanings[key]!
    for inner in definition + 1...level {
      meaning = mapped(meaning) { builder.capture($0, into: inner, as: areVariables ? AnyHashable(key) : nil) }
      tables[inner].meanings[key] = meaning
    }
    return meaning
  }

  /// Defines the name in the open scope. Enclosing scopes do not see it.
  package func define(_ key: Key, _ meaning: Meaning) { tables[builder.level].meanings[key] = meaning }

  /// Builds a region with a table of its own.
  package func region(_ name: String, _ body: () throws -> [ValueID]) throws -> Region { try named(name, body).region }

  /// Runs `body` and removes the names that it defines.
  package func temporarily<Result>(_ body: () throws -> Result) rethrows -> Result {
    let meanings = tables[builder.level].meanings
    defer { tables[builder.level].meanings = meanings }
    return try body()
  }

  /// A region together with the names that it assigns.
  package struct Branch {
    var region: Region
    var table: Table
  }

  private func named(_ name: String, _ body: () throws -> [ValueID]) throws -> Branch {
    var table = Table()
    let region = try builder.region(name) {
      tables.append(Table())
      defer { table = tables.removeLast() }
      return try body()
    }
    return Branch(region: region, table: table)
  }
}

// MARK: Assignment

extension Names where Meaning == ValueID {
  /// Assigns a new value to the name. A name assigned in a region becomes a result of it and of all enclosing regions.
  package func assign(_ key: Key, _ value: ValueID) {
    let level = builder.level
    define(key, value)
    if level > 0, !tables[level].assigned.contains(key) { tables[level].assigned.append(key) }
  }

  /// Builds a branch or the body of a loop, for `addConditional` and `addLoop`.
  package func branch(_ name: String, _ body: () throws -> Void) throws -> Branch {
    try named(name) {
      try body()
      return []
    }
  }

  /// Appends a conditional. Names that either branch assigns are bound to its results afterwards.
  package func addConditional(_ condition: ValueID, _ branches: [Branch], source: String? = nil) throws {
    var branches = branches
    var assigned: [Key] = []
    for branch in branches { for key in branch.table.assigned where !assigned.contains(key) { assigned.append(key) } }
    for position in branches.indices {
      branches[position].region.graph.outputs = assigned.map { value(of: $0, in: &branches[position]) }
    }
    let results = try builder.addConditional(condition, branches.map(\.region), source: source)
    for (key, result) in zip(assigned, results) { assign(key, result) }
  }

  /// Appends a loop. Names that its body reads or assigns are carried from iteration to iteration.
  /// - Parameter flag: the body's value that requests another iteration.
  package func addLoop(_ body: Branch, while flag: ValueID, source: String? = nil) throws {
    var body = body
    let read = Set(body.region.captured.compactMap(\.variable))
    for key in body.table.assigned where !read.contains(key) {
      _ = builder.capture(self[key] ?? builder.addNone(), into: &body.region, as: key)
    }
    let carried = body.region.captured.map { $0.variable?.base as? Key }
    let next = zip(body.region.captured, carried).map { capture, key in key.flatMap { body.table.meanings[$0] } ?? capture.inner }
    body.region.graph.outputs = [flag]
    let results = try builder.addLoop(body.region, variables: [], captures: next, source: source)
    let assigned = Set(body.table.assigned)
    for case (let key?, let result) in zip(carried, results) where assigned.contains(key) { assign(key, result) }
  }

  /// The types that variables of a loop's body need so that each iteration can start with the values of the one before: those that the
  /// body has now, with the extents open that it changes. Empty if they are the types that the variables have.
  package func changes(in body: Branch) -> [(Key, ValueType)] {
    body.region.captured.compactMap { capture in
      guard let key = capture.variable?.base as? Key, let next = body.table.meanings[key] else { return nil }
      let (before, after) = (body.region.graph.values[capture.inner.index].type, body.region.graph.values[next.index].type)
      guard case .tensor(let old) = before, case .tensor(let new) = after, old.rank == new.rank else { return nil }
      let joined = before.joined(with: after)
      return joined == before ? nil : (key, joined)
    }
  }

  /// A branch's value for a name that some branch assigns.
  private func value(of key: Key, in branch: inout Branch) -> ValueID {
    if let known = branch.table.meanings[key] { return known }
    guard let outer = self[key] else { return branch.region.graph.add(Value(type: .none, origin: .none)) }
    let inner = builder.capture(outer, into: &branch.region, as: key)
    branch.table.meanings[key] = inner
    return inner
  }
}
