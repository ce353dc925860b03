package import MartletGraph
import MartletOps
import MartletTensor

/// Checks the positions of cache updates before anything is written, so that a call at a position that does not exist leaves all states as
/// they were.
///
/// An update checks its own position, which is enough for the first one of a graph and for those of the same position in caches of the same
/// extent. Another, such as that of a layer that sees all positions behind one whose ring takes any, gets a check in front of all nodes, if
/// its position follows from the inputs alone.
package struct CheckPositionsFirst: GraphPass {
  package let name = "check-positions-first"
  package init() {}

  package func rewrite(_ graph: Graph) throws -> Graph? {
    guard !graph.states.isEmpty, graph.applies(SliceScatter.self) else { return nil }
    var editor = GraphEditor(graph)
    let shapes = SymbolicShapes(graph)
    var checked: Set<Check> = []
    var hasWritten = false
    for position in editor.positions {
      guard var node = editor.node(at: position) else { continue }
      let update = Update(node, editor)
      defer { hasWritten = hasWritten || node.applies(IndexPut.self) || node.applies(SliceScatter.self) || node.applies(WriteState.self) }
      guard let update, let chain = Chain(update.start, editor) else { continue }
      let check = Check(position: chain.description, extent: update.extent, count: update.count)
      guard checked.insert(check).inserted, hasWritten, !chain.isChecked else { continue }
      let count = Self.count(of: update, shapes, &editor)
      let first = chain.copied(into: &editor)
      node.inputs[update.operand] = editor.insert(
        CheckedPosition(extent: update.extent), [first, count], type: .scalar(.int), before: 0, source: node.source)
      editor.replace(position, with: node)
    }
    return editor.finish()
  }

  private struct Check: Hashable {
    var position: String
    var extent: Int
    var count: Dimension
  }

  /// The update of a cache at a position that is computed.
  private struct Update {
    var start: ValueID
    /// The node's operand that is the position.
    var operand: Int
    var extent: Int
    var count: Dimension
    var source: ValueID
    var axis: Int

    init?(_ node: Node, _ editor: GraphEditor) {
      guard let op = node.op(as: SliceScatter.self), !op.range.allowsNegative, op.range.step == 1, op.range.end == .source,
        case .operand(let operand) = op.range.start, node.inputs.indices.contains(operand), let start = node.inputs[operand],
        let cache = node.inputs[0], let source = node.inputs[1], let own = editor.signature(cache), let new = editor.signature(source),
        own.rank == new.rank, let axis = Shape.normalizedAxis(op.axis, rank: own.rank), axis < own.rank,
        case .fixed(let extent) = own.dimensions[axis]
      else { return nil }
      (self.start, self.operand, self.extent) = (editor.resolve(start), operand, extent)
      (self.source, self.axis) = (editor.resolve(source), axis)
      count = new.dimensions[axis]
    }
  }

  /// The number of positions of an update, as far as the inputs' shapes tell; otherwise one.
  private static func count(of update: Update, _ shapes: SymbolicShapes, _ editor: inout GraphEditor) -> ValueID {
    var known = 1
    if let shape = shapes[update.source], shape.indices.contains(update.axis) {
      switch shape[update.axis] {
      case .fixed(let extent): known = extent
      case .axis(let model, let axis) where editor.graph.inputs.contains(model):
        return editor.insert(TensorExtent(axis: axis), [model], type: .scalar(.int), before: 0, source: "check")
      case .axis, .number: break
      }
    }
    return editor.add(Value(type: .scalar(.int), origin: .scalar(.int(Int64(widening: known)))))
  }

  /// The few nodes that compute a number from the inputs.
  private struct Chain {
    private var nodes: [Node] = []
    private let result: ValueID
    /// A spelling of the computation without its check; equal for equal computations.
    let description: String
    let isChecked: Bool

    /// Nil if the number depends on a state or on more than a few nodes.
    init?(_ value: ValueID, _ editor: GraphEditor) {
      var nodes: [Node] = []
      func spelled(_ value: ValueID) -> String? {
        let value = editor.resolve(value)
        guard let node = editor.producer(of: value)?.node else { return "\(value)" }
        guard nodes.count < 12, node.regions.isEmpty, node.outputs.count == 1, node.op.isPure, !node.applies(ReadState.self),
          !node.op.traits.contains(.hasEffect)
        else { return nil }
        var parts: [String] = []
        for input in node.inputs {
          guard let part = input.map({ spelled($0) }) ?? "-" else { return nil }
          parts.append(part)
        }
        nodes.append(node)
        if node.applies(CheckedPosition.self) { return parts[0] }
        let attributes = node.op.attributes.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
        return "\(node.op.name) {\(attributes)} (\(parts.joined(separator: ", ")))"
      }
      guard let text = spelled(value) else { return nil }
      (self.nodes, result, description) = (nodes, editor.resolve(value), text)
      isChecked = nodes.last?.applies(CheckedPosition.self) == true
    }

    /// Inserts the nodes again, in front of all others, and returns the number.
    func copied(into editor: inout GraphEditor) -> ValueID {
      var copies: [ValueID: ValueID] = [:]
      for node in nodes where copies[node.outputs[0]] == nil {
        let inputs = node.inputs.map { input in input.map { copies[editor.resolve($0)] ?? $0 } }
        copies[node.outputs[0]] = editor.insert(
          node.op, inputs, type: editor.graph[node.outputs[0]].type, before: 0, source: node.source, origins: node.origins)
      }
      return copies[result] ?? result
    }
  }
}
