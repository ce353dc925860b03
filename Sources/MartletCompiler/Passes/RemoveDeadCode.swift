package import MartletGraph

/// Removes unused nodes and, unless `keepsValues`, unused values. Renumbering the remaining values is left to the end of the pipeline.
package struct RemoveDeadCode: GraphPass {
  package let name = "remove-dead-code"
  private let keepsValues: Bool

  package init(keepsValues: Bool = false) { self.keepsValues = keepsValues }

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    var live = [Bool](repeating: false, count: graph.values.count)
    for output in graph.outputs { live[output.index] = true }
    var isUsed = [Bool](repeating: false, count: graph.nodes.count)
    for position in graph.nodes.indices.reversed() {
      guard graph.nodes[position].hasOutput(in: live) || graph.nodes[position].traits.contains(.hasEffect) else { continue }
      graph.nodes[position].markInputs(in: &live)
      isUsed[position] = true
    }
    let hasUnusedNodes = isUsed.contains(false)
    if hasUnusedNodes { graph.nodes = graph.nodes.indices.filter { isUsed[$0] }.map { graph.nodes[$0] } }
    if keepsValues { return hasUnusedNodes }
    for input in graph.inputs { live[input.index] = true }
    guard hasUnusedNodes || live.contains(false) else { return false }
    // Renumber the values, so that unused constants are released.
    for node in graph.nodes { for output in node.outputs { live[output.index] = true } }
    var numbers = [ValueID](repeating: ValueID(-1), count: graph.values.count)
    var result = Graph(name: graph.name)
    result.states = graph.states
    result.values.reserveCapacity(live.count { $0 })
    for index in graph.values.indices where live[index] { numbers[index] = result.add(graph.values[index]) }
    result.inputs = graph.inputs.map { numbers[$0.index] }
    result.outputs = graph.outputs.map { numbers[$0.index] }
    result.nodes = graph.nodes.map { node in
      Node(
        op: node.op, inputs: node.inputs.map { $0.map { numbers[$0.index] } }, outputs: node.outputs.map { numbers[$0.index] },
        regions: node.regions, source: node.source, origins: node.origins)
    }
    graph = result
    return true
  }
}
