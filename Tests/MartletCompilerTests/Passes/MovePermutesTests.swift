import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct MovePermutesTests {
  /// Channels last, a function, channels first.
  private func graph(ofConvolution: Bool) -> Graph {
    var graph = Graph(name: "g")
    let x = graph.input([1, 2, 5, 4])
    let image = ofConvolution ? graph.convolution(x, channels: 2) : x
    let last = graph.node(Permute(axes: [0, 2, 3, 1]), [image], [1, 5, 4, 2])
    graph.outputs = [graph.node(Permute(axes: [0, 3, 1, 2]), [graph.unary(.relu, last)], [1, 2, 5, 4])]
    return graph
  }

  @Test func permutationsAroundAFunctionCancelOut() throws {
    let moved = try rewritten(graph(ofConvolution: true), by: MovePermutes(), isStable: false)
    let result = try #require(try RemoveDeadCode().rewrite(moved))
    #expect(!result.nodes.contains { $0.op is Permute })
    #expect(try isLeft(result, by: MovePermutes()))
  }

  @Test func onesOfOtherTensorsStay() throws {
    #expect(try isLeft(graph(ofConvolution: false), by: MovePermutes()))
  }
}
