package import MartletGraph
import MartletTensor

/// A rewrite of a graph that preserves its meaning.
package protocol GraphPass: Sendable {
  /// The name in dumps and messages, such as `fold-constants`.
  var name: String { get }
  /// Rewrites the graph in place and returns true if anything changed. If an error is thrown, the graph must not be used any more.
  func rewrite(_ graph: inout Graph) throws -> Bool
}

extension GraphPass {
  /// The rewritten graph; nil if nothing changed.
  package func rewrite(_ graph: Graph) throws -> Graph? {
    var graph = graph
    return try rewrite(&graph) ? graph : nil
  }
}

/// Passes in execution order.
package struct PassPipeline: Sendable {
  package var passes: [any GraphPass]

  package init(_ passes: [any GraphPass]) { self.passes = passes }

  /// The passes for every model.
  package static let standard = PassPipeline([
    // Before any pass reads a table.
    LookUpCompressedTables(),
    // Before any pattern that looks for fixed extents.
    FixExtents(),
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
    // Before pointwise fusion, which would merge its steps with their neighbours.
    RecognizeRMSNorm(),
    MovePermutes(),
    // Unused permutations would keep pointwise nodes from being fused.
    RemoveDeadCode(keepsValues: true),
    // Folds nodes on constants that the previous passes have inserted.
    FoldConstants(keepsQuantized: true),
    // Before pointwise fusion, which would hide an activation in front of the padding of a pooling.
    FoldPadding(),
    FusePointwise(),
    // After fusion, which merges scale and mask of attention scores and the steps of a safe softmax into few nodes.
    RecognizeAttention(),
    // After fusion, which makes one node of the products of a rotation and their sum.
    RecognizeRotary(),
    // After fusion, which makes one node of a function's steps.
    LookUpByteFunctions(),
    RemoveDeadCode(keepsValues: true),
    // Twice: removing a view can make two reshapes adjacent.
    SimplifyViews(),
    SimplifyViews(),
    // Before repeated heads become constants or copies.
    ShareKeyHeads(),
    // After repeated heads are gone, which hide the cache.
    ReadCachesInPlace(),
    // After the patterns, which expect every operand to have a producer of its own.
    ShareEqualNodes(),
    // First an added tensor with its activation, then an activation that follows.
    FuseEpilogue(),
    FuseEpilogue(),
    // After the epilogues, which complete the operands of a convolution.
    FuseChannelScale(),
    // Weights that no pattern has kept as integers.
    FoldConstants(),
    // Requires constant weights and complete convolutions.
    FuseExpandedDepthwise(),
    // Last: its checks stand in front of nodes that other passes would move.
    CheckPositionsFirst(),
    RemoveDeadCode(),
  ])

  /// Nodes that a pass visits per unit of work.
  private static let nodesPerUnit = 16

  /// Runs the passes within the allowance of the current operation. Debug builds verify the graph after each.
  /// - Parameter changed: called with the name of each pass that changes the graph or one of its regions.
  package func run(on graph: consuming Graph, changed: (_ pass: String) -> Void = { _ in }) throws -> Graph {
    for position in graph.nodes.indices where !graph.nodes[position].regions.isEmpty {
      graph.nodes[position].regions = try graph.nodes[position].regions.map { try run(on: $0, changed: changed) }
    }
    for pass in passes {
      try Allowance.current?.spend(graph.nodes.count / Self.nodesPerUnit + 1)
      let isChanged = try pass.rewrite(&graph)
      // A pass that was cancelled has visited only some of the nodes.
      try Allowance.current?.check()
      if isChanged {
        changed(pass.name)
        assert((try? graph.verifyRegion()) != nil, "pass \(pass.name) broke the graph:\n\(graph.dump())")
      }
    }
    return graph
  }
}
