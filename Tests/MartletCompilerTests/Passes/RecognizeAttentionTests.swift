import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

/// Exported programs are in `AttentionRecognitionTests`.
@Suite struct RecognizeAttentionTests {
  private func graph(masked: Bool, sharesWeights: Bool = false) -> Graph {
    var graph = Graph(name: "g")
    let (q, k, v) = (graph.input([1, 2, 3, 4]), graph.input([1, 2, 4, 5]), graph.input([1, 2, 5, 4]))
    var scores = graph.node(MatMul(dtype: .float32), [q, k], [1, 2, 3, 5])
    if masked { scores = graph.binary(.add, scores, graph.input([3, 5])) }
    let weights = graph.node(Softmax(axis: -1, dtype: .float32), [scores], [1, 2, 3, 5])
    graph.outputs = [graph.node(MatMul(dtype: .float32), [weights, v], [1, 2, 3, 4])] + (sharesWeights ? [weights] : [])
    return graph
  }

  @Test(arguments: [false, true]) func twoProductsAndASoftmaxAreOneNode(masked: Bool) throws {
    let result = try rewritten(graph(masked: masked), by: RecognizeAttention(), tolerance: 1e-5, isStable: false)
    #expect(result.nodes.contains { $0.op is Attention })
  }

  @Test func weightsThatOthersReadStay() throws {
    #expect(try isLeft(graph(masked: false, sharesWeights: true), by: RecognizeAttention()))
  }
}
