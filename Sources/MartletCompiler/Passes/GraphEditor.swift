package import MartletGraph
import MartletOps
package import MartletTensor

/// A graph under rewriting: producers and use counts of values, and edits that keep them up to date.
package struct GraphEditor {
  package private(set) var graph: Graph
  /// Nodes by position. Inserted nodes precede the node at their position.
  private var nodes: [Node]
  private var isRemoved: [Bool]
  private var inserted: [Int: [Node]] = [:]
  /// Position of each value's producer, or -1.
  private var producers: [Int]
  private var uses: [Int]
  /// Replacement of each value; empty until the first replacement.
  private var replacements: [ValueID?] = []
  private var hasReplacements = false
  private var isEdited = false

  package init(_ graph: Graph) {
    self.graph = graph
    nodes = graph.nodes
    isRemoved = [Bool](repeating: false, count: graph.nodes.count)
    uses = [Int](repeating: 0, count: graph.values.count)
    producers = [Int](repeating: -1, count: graph.values.count)
    for (position, node) in graph.nodes.enumerated() {
      for output in node.outputs { producers[output.index] = position }
      for case let input? in node.inputs { uses[input.index] += 1 }
    }
    for output in graph.outputs { uses[output.index] += 1 }
  }

  /// The positions of all nodes. Iteration ends early if the current operation is cancelled.
  package var positions: NodePositions { NodePositions(range: nodes.indices) }

  /// The node at `position` with its operands resolved; nil if it was removed.
  package func node(at position: Int) -> Node? { isRemoved[position] ? nil : resolved(nodes[position]) }

  /// The node at `position` and its operator, if that has the given type.
  func node<Op: Operator>(at position: Int, applying type: Op.Type) -> (node: Node, op: Op)? {
    guard !isRemoved[position], let op = nodes[position].op(as: type) else { return nil }
    return (resolved(nodes[position]), op)
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
    guard hasReplacements else { return value }
    var value = value
    while let next = replacements[value.index] { value = next }
    return value
  }

  package func dtype(_ value: ValueID) -> DType? { graph.dtype(resolve(value)) }
  package func signature(_ value: ValueID) -> TensorSignature? { graph.signature(resolve(value)) }
  package func constant(_ value: ValueID?) -> Constant? { graph.constant(value.map { resolve($0) }) }
  package func scalar(_ value: ValueID?) -> Scalar? { graph.scalar(value.map { resolve($0) }) }

  /// Whether the value will be a constant after all passes: it is a constant, or computed from constants by nodes that `FoldConstants`
  /// keeps.
  package func isWeight(_ value: ValueID?) -> Bool {
    guard let value else { return false }
    if constant(value) != nil { return true }
    guard let node = producer(of: value)?.node else { return false }
    let traits = node.op.traits
    if traits.contains(.decodesWeight) { return node.inputs.allSatisfy { $0 == nil || constant($0) != nil } }
    return traits.contains(.movesElements) && isWeight(node.inputs[0]) && node.inputs.dropFirst().allSatisfy { $0 == nil }
  }

  // MARK: Edits

  /// Replaces a node by another one with the same results.
  package mutating func replace(_ position: Int, with node: Node) {
    if let old = self.node(at: position) { for case let input? in old.inputs { uses[input.index] -= 1 } }
    let node = resolved(node)
    for case let input? in node.inputs { uses[input.index] += 1 }
    for output in node.outputs { producers[output.index] = position }
    nodes[position] = node
    isRemoved[position] = false
    isEdited = true
  }

  /// Records that the node at `position` also does the work of the given operations.
  package mutating func absorb(_ origins: [NodeOrigin], at position: Int) {
    if !isRemoved[position] { nodes[position].origins = nodes[position].origins.absorbing(origins) }
  }

  /// Removes a node whose results are no longer used.
  package mutating func remove(_ position: Int) {
    guard let old = node(at: position) else { return }
    for case let input? in old.inputs { uses[input.index] -= 1 }
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
    if !hasReplacements { replacements = [ValueID?](repeating: nil, count: graph.values.count) }
    hasReplacements = true
    replacements[from.index] = to
  }

  /// Adds a new value.
  package mutating func add(_ value: Value) -> ValueID {
    uses.append(0)
    producers.append(-1)
    if hasReplacements { replacements.append(nil) }
    return graph.add(value)
  }

  /// Inserts a node before the one at `position` and returns its only result.
  /// - Parameter origins: by default those of the node at `position`, for which the new node is inserted.
  package mutating func insert(
    _ op: any Operator, _ inputs: [ValueID?], type: ValueType, before position: Int, source: String, origins: [NodeOrigin]? = nil
  ) -> ValueID {
    let output = add(Value(type: type, origin: .node))
    for case let input? in inputs { uses[resolve(input).index] += 1 }
    inserted[position, default: []].append(
      Node(
        op: op, inputs: inputs, outputs: [output], source: source, origins: origins ?? (isRemoved[position] ? [] : nodes[position].origins))
    )
    return output
  }

  /// Moves a node in front of all others. What computes its operands must be there already.
  package mutating func moveToFront(_ position: Int) {
    guard let node = node(at: position) else { return }
    inserted[0, default: []].append(node)
    isRemoved[position] = true
    isEdited = true
  }

  /// The rewritten graph; nil if nothing was edited.
  package consuming func finish() -> Graph? {
    guard isEdited || hasReplacements || !inserted.isEmpty else { return nil }
    var result: [Node] = []
    result.reserveCapacity(nodes.count)
    for position in nodes.indices {
      if !inserted.isEmpty { for node in inserted[position] ?? [] { result.append(resolved(node)) } }
      if let node = node(at: position) { result.append(node) }
    }
    var graph = graph
    graph.nodes = result
    graph.outputs = graph.outputs.map { resolve($0) }
    return graph
  }

  /// The node with replaced operands resolved. Most nodes have none and are not copied.
  private func resolved(_ node: Node) -> Node {
    guard hasReplacements, node.inputs.contains(where: { $0.map { replacements[$0.index] != nil } ?? false }) else { return node }
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
