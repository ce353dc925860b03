package import MartletGraph
import MartletOps

/// Drops optional results that are not used, such as the positions of a maximum pooling.
package struct DropUnusedResults: GraphPass {
  package let name = "drop-unused-results"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.nodes.contains(where: { $0.outputs.count > 1 }) else { return false }
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      guard let node = editor.node(at: position), node.outputs.count > 1,
        node.outputs.dropFirst().allSatisfy({ editor.useCount($0) == 0 }), let op = node.op.planned?.givingFirstResult
      else { continue }
      var reduced = node
      reduced.op = op
      reduced.outputs = [node.outputs[0]]
      editor.replace(position, with: reduced)
    }
    return editor.finish(into: &graph)
  }
}
