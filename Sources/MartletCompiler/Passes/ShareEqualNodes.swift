package import MartletGraph
import MartletOps
import MartletTensor

/// Computes once what several nodes compute from the same operands: exporters repeat the arithmetic on positions, the rows of rotary tables
/// and masks in every layer of a language model, and the quantisation of rows for every product that reads them.
package struct ShareEqualNodes: GraphPass {
  package let name = "share-equal-nodes"
  package init() {}

  /// What two nodes have in common if they may be equal. Their properties are compared afterwards, because only few nodes get that far.
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

  package func rewrite(_ graph: Graph) throws -> Graph? {
    var editor = GraphEditor(graph)
    // By the keys' hashes: a dictionary with a key type of its own would search all protocol conformances of the process.
    var known: [Int: [Int]] = [:]
    for position in editor.positions {
      guard let node = editor.node(at: position), node.regions.isEmpty, !node.outputs.isEmpty, let op = node.op.planned, op.isPure,
        !op.traits.contains(.hasEffect), !node.applies(CustomNode.self)
      else { continue }
      let key = key(node, op, editor)
      let hash = key.hashValue
      let equal = known[hash]?.first { other in
        guard let other = editor.node(at: other), let otherOp = other.op.planned else { return false }
        return self.key(other, otherOp, editor) == key && otherOp.isEqual(to: op)
      }
      guard let equal, let other = editor.node(at: equal) else {
        known[hash, default: []].append(position)
        continue
      }
      editor.absorb(node.origins, at: equal)
      for (old, new) in zip(node.outputs, other.outputs) { editor.replaceUses(of: old, by: new) }
      editor.remove(position)
    }
    return editor.finish()
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
