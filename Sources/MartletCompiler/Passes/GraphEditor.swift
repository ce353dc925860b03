package import MartletGraph
import MartletOps
package import MartletTensor

/// A graph under rewriting: producers and use counts of values, and edits that keep them up to date.
package struct GraphEditor {
  /// The graph without its nodes.
  package private(set) var graph: Graph
  /// Nodes by position. Their operands are resolved.
  private var nodes: [Node]
  private var isRemoved: [Bool]
  private var insertions: [Insertion] = []
  /// Position of each value's producer, or -1.
  private var producers: [Int]
  private var uses: [Int]
  /// By value; empty until the first replacement.
  private var replacements: [Replacement] = []
  /// The operands that are or were each value, as linked lists; empty until the first replacement.
  private var users: [User] = []
  private var isEdited = false

  /// A new node in front of the one at a position.
  private struct Insertion {
    let position: Int
    var node: Node
  }

  /// What is known of a value since the first replacement.
  private struct Replacement {
    /// The value that replaces it, if any.
    var value: ValueID?
    /// Index of the first of the value's users, or -1.
    var firstUser = -1
  }

  /// An operand that is or was a certain value.
  private struct User {
    /// Position of the node; those of insertions follow the last node's.
    let position: Int
    /// Index of the operand.
    let operand: Int
    /// Index of the value's next user, or -1.
    var next: Int
  }

  /// Takes the graph, so that edits copy nothing if there is no other copy of it. `finish` returns it.
  package init(taking graph: inout Graph) {
    (producers, uses) = graph.producersAndUses()
    isRemoved = [Bool](repeating: false, count: graph.nodes.count)
    nodes = graph.nodes
    graph.nodes = []
    self.graph = graph
    graph = Graph(name: graph.name)
  }

  /// The positions of all nodes. Iteration ends early if the current operation is cancelled.
  package var positions: NodePositions { NodePositions(range: nodes.indices) }

  /// The node at `position` with its operands resolved; nil if it was removed.
  package func node(at position: Int) -> Node? { isRemoved[position] ? nil : nodes[position] }

  /// The node at `position` and its operator, if that has the given type.
  func node<Op: Operator>(at position: Int, applying type: Op.Type) -> (node: Node, op: Op)? {
    guard !isRemoved[position], let op = nodes[position].op(as: type) else { return nil }
    return (nodes[position], op)
  }

  /// The node that produces a value, and its position.
  package func producer(of value: ValueID?) -> (position: Int, node: Node)? {
    guard let value else { return nil }
    let position = producers[resolve(value).index]
    guard position >= 0, let node = node(at: position) else { return nil }
    return (position, node)
  }

  /// Number of operands and outputs that refer to the value.
  package func useCount(_ value: ValueID) -> Int { uses[resolve(value).index] }

  package func resolve(_ value: ValueID) -> ValueID {
    guard !replacements.isEmpty else { return value }
    var value = value
    while let next = replacements[value.index].value { value = next }
    return value
  }

  package func dtype(_ value: ValueID) -> DType? { graph.dtype(resolve(value)) }
  package func signature(_ value: ValueID) -> TensorSignature? { graph.signature(resolve(value)) }
  package func constant(_ value: ValueID?) -> Constant? { graph.constant(value.map { resolve($0) }) }
  package func scalar(_ value: ValueID?) -> Scalar? { graph.scalar(value.map { resolve($0) }) }

  package func isConstant(_ value: ValueID) -> Bool { graph.isConstant(resolve(value)) }

  /// True if the node at `position` has operands that are present, and all of them are constants.
  package func hasConstantOperands(_ position: Int) -> Bool {
    !isRemoved[position] && nodes[position].hasInputs(allSatisfying: isConstant)
  }

  /// Whether the value will be a constant after all passes: it is a constant, or computed from constants by nodes that `FoldConstants`
  /// keeps.
  package func isWeight(_ value: ValueID?) -> Bool {
    guard let value else { return false }
    if isConstant(value) { return true }
    guard let node = producer(of: value)?.node else { return false }
    let traits = node.traits
    if traits.contains(.decodesWeight) { return node.inputs.allSatisfy { $0.map(isConstant) ?? true } }
    return traits.contains(.movesElements) && isWeight(node.inputs[0]) && node.inputs.dropFirst().allSatisfy { $0 == nil }
  }

  // MARK: Edits

  /// Replaces a node by another one with the same results.
  package mutating func replace(_ position: Int, with node: Node) {
    countUses(ofOperandsAt: position, -1)
    nodes[position] = resolved(node)
    isRemoved[position] = false
    countUses(ofOperandsAt: position, 1)
    listOperands(of: position)
    for output in node.outputs { producers[output.index] = position }
    isEdited = true
  }

  /// Records that the node at `position` also does the work of the given operations.
  package mutating func absorb(_ origins: [NodeOrigin], at position: Int) {
    if !isRemoved[position] { nodes[position].origins = nodes[position].origins.absorbing(origins) }
  }

  /// Removes a node whose results are no longer used.
  package mutating func remove(_ position: Int) {
    guard !isRemoved[position] else { return }
    countUses(ofOperandsAt: position, -1)
    isRemoved[position] = true
    isEdited = true
  }

  /// Replaces every use of `old` by `new`.
  package mutating func replaceUses(of old: ValueID, by new: ValueID) {
    let from = resolve(old)
    let to = resolve(new)
    guard from != to else { return }
    uses[to.index] += uses[from.index]
    uses[from.index] = 0
    if replacements.isEmpty {
      replacements = [Replacement](repeating: Replacement(), count: graph.values.count)
      // In range: there is memory for all nodes.
      for position in 0..<(nodes.count + insertions.count) { listOperands(of: position) }
    }
    replacements[from.index].value = to
    // The users of `from` now use `to`.
    var user = replacements[from.index].firstUser
    while user >= 0 {
      let next = users[user].next
      replace(from, by: to, in: users[user])
      users[user].next = replacements[to.index].firstUser
      replacements[to.index].firstUser = user
      user = next
    }
    replacements[from.index].firstUser = -1
  }

  /// Adds a new value.
  package mutating func add(_ value: consuming Value) -> ValueID {
    uses.append(0)
    producers.append(-1)
    if !replacements.isEmpty { replacements.append(Replacement()) }
    return graph.add(value)
  }

  /// Inserts a node before the one at `position` and returns its only result.
  /// - Parameter origins: by default those of the node at `position`, for which the new node is inserted.
  package mutating func insert(
    _ op: any Operator, _ inputs: [ValueID?], type: ValueType, before position: Int, source: String, origins: [NodeOrigin]? = nil
  ) -> ValueID {
    let output = add(Value(type: type, origin: .node))
    for case let input? in inputs { uses[resolve(input).index] += 1 }
    insert(
      Node(
        op: op, inputs: inputs, outputs: [output], source: source, origins: origins ?? (isRemoved[position] ? [] : nodes[position].origins)),
      before: position)
    return output
  }

  /// Moves a node in front of all others. What computes its operands must be there already.
  package mutating func moveToFront(_ position: Int) {
    guard !isRemoved[position] else { return }
    insert(nodes[position], before: 0)
    isRemoved[position] = true
    isEdited = true
  }

  private mutating func insert(_ node: Node, before position: Int) {
    insertions.append(Insertion(position: position, node: resolved(node)))
    // In range: there is memory for all nodes.
    listOperands(of: nodes.count + insertions.count - 1)
  }

  /// Stores the graph, with all edits, in `target`, from which it was taken.
  /// - Returns: true if the graph was edited.
  package consuming func finish(into target: inout Graph) -> Bool {
    target = graph
    guard isEdited || !replacements.isEmpty || !insertions.isEmpty else {
      target.nodes = nodes
      return false
    }
    var result: [Node] = []
    // In range: there is memory for all nodes.
    result.reserveCapacity(nodes.count + insertions.count)
    // Nodes in front of the same position stay in the order in which they were inserted.
    insertions.sort { $0.position < $1.position }
    var inserted = insertions[...]
    for position in nodes.indices {
      while let next = inserted.first, next.position == position {
        result.append(next.node)
        inserted.removeFirst()
      }
      if !isRemoved[position] { result.append(nodes[position]) }
    }
    target.nodes = result
    target.outputs = target.outputs.map { resolve($0) }
    return true
  }

  // MARK: Operands

  private mutating func countUses(ofOperandsAt position: Int, _ change: Int) {
    guard !isRemoved[position] else { return }
    for case let input? in nodes[position].inputs { uses[input.index] += change }
  }

  /// Enters a node as a user of its operands if there are lists of users.
  private mutating func listOperands(of position: Int) {
    guard !replacements.isEmpty else { return }
    let inputs = position < nodes.count ? nodes[position].inputs : insertions[position - nodes.count].node.inputs
    for (operand, input) in inputs.enumerated() {
      guard let input else { continue }
      users.append(User(position: position, operand: operand, next: replacements[input.index].firstUser))
      replacements[input.index].firstUser = users.count - 1
    }
  }

  /// Replaces an operand, unless its node has another one there by now.
  private mutating func replace(_ from: ValueID, by to: ValueID, in user: User) {
    if user.position < nodes.count {
      nodes[user.position].replaceInput(user.operand, from, by: to)
    } else {
      insertions[user.position - nodes.count].node.replaceInput(user.operand, from, by: to)
    }
  }

  /// A node from a caller, whose operands may have been replaced.
  private func resolved(_ node: Node) -> Node {
    guard !replacements.isEmpty else { return node }
    guard node.inputs.contains(where: { input in input.map { replacements[$0.index].value != nil } ?? false }) else { return node }
    var node = node
    node.inputs = node.inputs.map { $0.map { resolve($0) } }
    return node
  }
}

/// The positions of a graph's nodes in order. Iteration ends early if the current operation is cancelled; `PassPipeline` then discards what
/// the pass has done.
package struct NodePositions: Sequence, IteratorProtocol {
  private var position: Int
  private let end: Int
  private var untilCheck = 0

  /// Nodes that a pass visits in well under a millisecond.
  private static let checkInterval = 64

  package init(range: Range<Int>) {
    position = range.lowerBound
    end = range.upperBound
  }

  package mutating func next() -> Int? {
    guard position < end else { return nil }
    if untilCheck == 0 {
      if let cancellation = Allowance.current?.cancellation, cancellation.isCancelled { return nil }
      untilCheck = Self.checkInterval
    }
    untilCheck -= 1
    defer { position += 1 }
    return position
  }
}
