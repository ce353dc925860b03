/// A graph that violates a rule of the representation. The cause is always a fault of an importer or a pass, never of a file.
package struct GraphError: Error, CustomStringConvertible {
  package let graph: String
  package let reason: String
  package var description: String { "graph \(graph): \(reason)" }
}

extension Graph {
  /// Checks that every value is assigned exactly once and before its uses, that inputs and regions match their declarations, and that
  /// states exist.
  package func verify() throws(GraphError) { try verify(stateCount: states.count) }

  /// `verify` for a region, whose states are those of the outermost graph.
  package func verifyRegion() throws(GraphError) { try verify(stateCount: Int.max) }

  private func verify(stateCount: Int) throws(GraphError) {
    func fail(_ reason: String) -> GraphError { GraphError(graph: name, reason: reason) }
    var assigned = [Bool](repeating: false, count: values.count)
    for (index, value) in values.enumerated() {
      switch value.origin {
      case .input(let position):
        guard inputs.indices.contains(position), inputs[position].index == index else {
          throw fail("%\(index) says it is input \(position), which is another value")
        }
        assigned[index] = true
      case .constant, .scalar, .string, .none: assigned[index] = true
      case .node: break
      }
    }
    for (position, node) in nodes.enumerated() {
      for case let input? in node.inputs {
        guard values.indices.contains(input.index), assigned[input.index] else {
          throw fail("node \(position) (\(node.op.name)) uses \(label(input)) before it is assigned")
        }
      }
      for output in node.outputs {
        guard values.indices.contains(output.index), case .node = self[output].origin, !assigned[output.index] else {
          throw fail("node \(position) (\(node.op.name)) assigns \(label(output)) again")
        }
        assigned[output.index] = true
      }
      if let read = node.op(as: ReadState.self), read.state < 0 || read.state >= stateCount {
        throw fail("node \(position) reads state \(read.state) of \(stateCount)")
      }
      if let write = node.op(as: WriteState.self), write.state < 0 || write.state >= stateCount {
        throw fail("node \(position) writes state \(write.state) of \(stateCount)")
      }
      if node.applies(Conditional.self) {
        guard node.regions.count == 2, node.regions.allSatisfy({ $0.outputs.count == node.outputs.count }),
          node.regions.allSatisfy({ $0.inputs.count == node.inputs.count - 1 })
        else { throw fail("node \(position): the regions of a conditional do not match it") }
      } else if node.applies(Loop.self) {
        guard node.regions.count == 1, node.regions[0].inputs.count == node.inputs.count,
          node.regions[0].outputs.count == node.inputs.count + 1, node.outputs.count == node.inputs.count
        else { throw fail("node \(position): the region of a loop does not match it") }
      } else {
        guard node.regions.isEmpty else { throw fail("node \(position) (\(node.op.name)) has regions") }
      }
      for region in node.regions { try region.verify(stateCount: stateCount) }
    }
    for output in outputs where !values.indices.contains(output.index) || !assigned[output.index] {
      throw fail("output \(label(output)) is never assigned")
    }
  }
}
