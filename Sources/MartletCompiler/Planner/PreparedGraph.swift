package import MartletGraph
import MartletOps
import MartletTensor

/// A graph with derived data for the planner, independent of shapes.
package final class PreparedGraph: Sendable {
  package let graph: Graph
  /// Operators of the nodes; nil for structural ones (control flow, states).
  let operators: [(any PlannedOperator)?]
  let regions: [[PreparedGraph]]
  /// Number of uses of each value by nodes and outputs.
  let useCounts: [Int]
  /// Position of each value among the graph's outputs if it occurs there exactly once.
  let outputPositions: [Int?]
  /// The state that each value becomes, if any and if nothing reads or writes that state between the value's node and the write: the
  /// value may then be computed in the state's memory.
  let writtenStates: [Int?]
  /// Parts of concatenations that values are computed into.
  let joinedParts: [JoinedPart?]
  /// The states that a node in this graph or its regions reads or writes.
  let usedStates: Set<Int>
  /// Those that one writes.
  let changedStates: Set<Int>
  /// True for the body of a loop whose condition no iteration changes.
  let hasInvariantCondition: Bool
  /// True if the program keeps states and takes inputs of open extents.
  let isStreamed: Bool
  /// Whether a node in this graph or its regions reads or writes a state.
  package var usesStates: Bool { !usedStates.isEmpty }

  /// - Throws: `PlanError` if a node's operator has no kernels.
  package convenience init(_ graph: Graph) throws(PlanError) { try self.init(graph, isLoopBody: false) }

  private init(_ graph: Graph, isLoopBody: Bool) throws(PlanError) {
    self.graph = graph
    hasInvariantCondition = isLoopBody && graph.outputs.first.map(graph.isLoopInvariant) ?? false
    var operators: [(any PlannedOperator)?] = []
    var regions: [[PreparedGraph]] = []
    var useCounts = [Int](repeating: 0, count: graph.values.count)
    var outputPositions = [Int?](repeating: nil, count: graph.values.count)
    var writtenStates = [Int?](repeating: nil, count: graph.values.count)
    var changedStates: Set<Int> = []
    /// The last node so far that reads or writes each state.
    var lastUses: [Int: Int] = [:]
    var makers = [Int](repeating: -1, count: graph.values.count)
    for (position, node) in graph.nodes.enumerated() {
      for output in node.outputs { makers[output.index] = position }
      for case let input? in node.inputs { useCounts[input.index] += 1 }
      var prepared: [PreparedGraph] = []
      for region in node.regions {
        let body = try PreparedGraph(region, isLoopBody: node.applies(Loop.self))
        for state in body.usedStates { lastUses[state] = position }
        changedStates.formUnion(body.changedStates)
        prepared.append(body)
      }
      regions.append(prepared)
      let op = node.op.planned
      operators.append(op)
      if op != nil { continue }
      switch node.op {
      case is Conditional, is Loop: break
      case let read as ReadState: lastUses[read.state] = position
      case let write as WriteState:
        if let value = node.inputs[0], lastUses[write.state, default: -1] < makers[value.index] {
          writtenStates[value.index] = write.state
        }
        changedStates.insert(write.state)
        lastUses[write.state] = position
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
    usedStates = Set(lastUses.keys)
    self.changedStates = changedStates
    joinedParts = JoinedPart.parts(of: graph)
    isStreamed =
      !graph.states.isEmpty
      && graph.inputs.contains {
        if case .tensor(let signature) = graph[$0].type { signature.fixedShape == nil } else { false }
      }
  }
}
