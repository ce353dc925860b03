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
  package static let standard = PassPipeline([
    // Before anything reads a table.
    LookUpCompressedTables(),
    // Constants first: patterns below look for constant weights and parameters.
    FoldConstants(keepsQuantized: true),
    InlineScalarConstants(),
    DropUnusedResults(),
    // Before pointwise fusion, which would merge quantisations with their neighbours.
    SignedQuantization(),
    QuantizedArithmetic(),
    RemoveDeadCode(keepsValues: true),
    // Before pointwise fusion, which would hide the normalisation that follows a convolution.
    FoldBatchNorm(),
    MovePermutes(),
    // Permutations that nobody uses any more would keep pointwise nodes apart.
    RemoveDeadCode(keepsValues: true),
    // What the previous passes have written as nodes on constants.
    FoldConstants(keepsQuantized: true),
    // Before pointwise fusion, which would hide an activation in front of the padding of a pooling.
    FoldPadding(),
    FusePointwise(),
    // After fusion, which has brought scale and mask of attention scores, and the steps of a safe softmax, into few nodes.
    RecognizeAttention(),
    RemoveDeadCode(keepsValues: true),
    // Twice: a removed view can bring two reshapes together.
    SimplifyViews(),
    SimplifyViews(),
    // Once for an added tensor and its activation, once more for an activation after that.
    FuseEpilogue(),
    FuseEpilogue(),
    // After that: a convolution's operands are then complete.
    FuseChannelScale(),
    // Weights that no pattern has taken as integers.
    FoldConstants(),
    // Weights must be constants, and the convolutions complete.
    FuseExpandedDepthwise(),
    RemoveDeadCode(),
  ])

  /// Runs the passes. Debug builds verify the graph after each.
  package func run(on graph: Graph) throws -> Graph {
    var graph = graph
    for position in graph.nodes.indices where !graph.nodes[position].regions.isEmpty {
      graph.nodes[position].regions = try graph.nodes[position].regions.map { try run(on: $0) }
    }
    for pass in passes {
      if let rewritten = try pass.rewrite(graph) {
        graph = rewritten
        assert((try? graph.verifyRegion()) != nil, "pass \(pass.name) broke the graph:\n\(graph.dump())")
      }
    }
    return graph
  }
}
