package import MartletGraph
import MartletOps

/// Drops optional results that are not used, such as the positions of a maximum pooling.
package struct DropUnusedResults: GraphPass {
  package let name = "drop-unused-results"
  package init() {}

  package func rewrite(_ graph: Graph) throws -> Graph? {
    guard graph.applies(Pool.self) else { return nil }
    var editor = GraphEditor(graph)
    for position in editor.positions {
      guard case (let node, var pool)? = editor.node(at: position, applying: Pool.self), pool.givesIndices,
        editor.useCount(node.outputs[1]) == 0
      else { continue }
      pool.givesIndices = false
      var reduced = node
      reduced.op = pool
      reduced.outputs = [node.outputs[0]]
      editor.replace(position, with: reduced)
    }
    return editor.finish()
  }
}
