package import MartletGraph
import MartletOps
import MartletTensor

/// Computes once what several nodes compute from the same operands: exporters repeat the arithmetic on positions, the rows of rotary tables
/// and masks in every layer of a language model, and the quantisation of rows for every product that reads them.
package struct ShareEqualNodes: GraphPass {
  package let name = "share-equal-nodes"
  package init() {}

  /// What nodes have in common if they may be equal. Their properties are compared afterwards, because only few nodes get that far.
  private struct Key: Hashable {
    let kind: ObjectIdentifier
    let inputs: [Operand]
    let outputs: [ValueType]
  }

  /// An operand; constants and literals are equal by content.
  private enum Operand: Hashable {
    case value(ValueID)
    case constant(Constant.Identity)
    case scalar(ScalarKind, UInt64)
    case absent
  }

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    // The last node with each hash, and for each node the one before it with the same hash, or -1. By the keys' hashes: a dictionary with a key
    // type of its own would search all protocol conformances of the process.
    var last: [Int: Int] = [:]
    var previous = [Int](repeating: -1, count: graph.nodes.count)
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      guard let node = editor.node(at: position), node.regions.isEmpty, !node.outputs.isEmpty, node.isPure,
        !node.traits.contains(.hasEffect), !node.applies(CustomNode.self), let op = node.op.planned
      else { continue }
      let key = key(node, op, editor)
      let hash = key.hashValue
      var candidate = last[hash] ?? -1
      while candidate >= 0, !isEqual(candidate, to: op, key, editor) { candidate = previous[candidate] }
      guard candidate >= 0, let other = editor.node(at: candidate) else {
        previous[position] = last.updateValue(position, forKey: hash) ?? -1
        continue
      }
      editor.absorb(node.origins, at: candidate)
      for (old, new) in zip(node.outputs, other.outputs) { editor.replaceUses(of: old, by: new) }
      editor.remove(position)
    }
    return editor.finish(into: &graph)
  }

  private func isEqual(_ position: Int, to op: any PlannedOperator, _ key: Key, _ editor: GraphEditor) -> Bool {
    guard let other = editor.node(at: position), let otherOp = other.op.planned else { return false }
    return self.key(other, otherOp, editor) == key && otherOp.isEqual(to: op)
  }

  private func key(_ node: Node, _ op: any PlannedOperator, _ editor: GraphEditor) -> Key {
    Key(
      kind: ObjectIdentifier(type(of: op)), inputs: node.inputs.map { operand($0, editor) },
      outputs: node.outputs.map { editor.graph[$0].type })
  }

  private func operand(_ value: ValueID?, _ editor: GraphEditor) -> Operand {
    guard let value = value.map({ editor.resolve($0) }) else { return .absent }
    switch editor.graph[value].origin {
    // The identity of a computed constant is as long as its computation.
    case .constant(let constant) where constant.isStored: return .constant(constant.identity)
    case .scalar(let scalar): return .scalar(scalar.kind, scalar.bits)
    case .none: return .absent
    default: return .value(value)
    }
  }
}
