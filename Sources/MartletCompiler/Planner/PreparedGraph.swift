package import MartletGraph
import MartletOps
import MartletTensor

/// A graph with what the planner needs to know of it, independent of shapes.
package final class PreparedGraph: Sendable {
  package let graph: Graph
  /// The nodes' operators; nil for the structural ones (control flow, states).
  let operators: [(any PlannedOperator)?]
  let regions: [[PreparedGraph]]
  /// How often each value is used by nodes and outputs.
  let useCounts: [Int]
  /// Position of each value among the graph's outputs if it is there exactly once.
  let outputPositions: [Int?]
  /// The state that each value is written to, if any.
  let writtenStates: [Int?]
  /// Where values lie in the concatenation that they are made for.
  let joinedParts: [JoinedPart?]
  /// Whether a node in this graph or its regions reads or writes a state.
  package let usesStates: Bool

  /// - Throws: `PlanError` if a node's operator has no kernels.
  package init(_ graph: Graph) throws(PlanError) {
    self.graph = graph
    var operators: [(any PlannedOperator)?] = []
    var regions: [[PreparedGraph]] = []
    var useCounts = [Int](repeating: 0, count: graph.values.count)
    var outputPositions = [Int?](repeating: nil, count: graph.values.count)
    var writtenStates = [Int?](repeating: nil, count: graph.values.count)
    var usesStates = false
    for node in graph.nodes {
      for case let input? in node.inputs { useCounts[input.index] += 1 }
      var prepared: [PreparedGraph] = []
      for region in node.regions {
        let body = try PreparedGraph(region)
        usesStates = usesStates || body.usesStates
        prepared.append(body)
      }
      regions.append(prepared)
      let op = node.op.planned
      operators.append(op)
      if op != nil { continue }
      switch node.op {
      case is Conditional, is Loop: break
      case is ReadState: usesStates = true
      case let write as WriteState:
        usesStates = true
        if let value = node.inputs[0] { writtenStates[value.index] = write.state }
      default: throw PlanError(node: node.place, "the operator has no kernels")
      }
    }
    for (position, output) in graph.outputs.enumerated() {
      useCounts[output.index] += 1
      outputPositions[output.index] = graph.outputs.count(where: { $0 == output }) == 1 ? position : nil
    }
    self.operators = operators
    self.regions = regions
    self.useCounts = useCounts
    self.outputPositions = outputPositions
    self.writtenStates = writtenStates
    self.usesStates = usesStates
    joinedParts = JoinedPart.parts(of: graph)
  }
}
