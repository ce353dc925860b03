package import MartletGraph

/// A rewrite of a graph that keeps its meaning.
package protocol GraphPass: Sendable {
  /// For dumps and messages, e.g. `fold-constants`.
  var name: String { get }
  /// The rewritten graph, or nil if there was nothing to do.
  func rewrite(_ graph: Graph) throws -> Graph?
}

/// Passes in the order in which they run.
package struct PassPipeline: Sendable {
  package var passes: [any GraphPass]

  package init(_ passes: [any GraphPass]) { self.passes = passes }

  /// What every model goes through.
  package static let standard = PassPipeline([])

  /// Runs the passes. Debug builds verify the graph after each.
  package func run(on graph: Graph) throws -> Graph {
    var graph = graph
    for pass in passes {
      if let rewritten = try pass.rewrite(graph) {
        graph = rewritten
        assert((try? graph.verify()) != nil, "pass \(pass.name) broke the graph:\n\(graph.dump())")
      }
    }
    return graph
  }
}
