import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct FoldBatchNormTests {
  private func graph(sharesImage: Bool) -> Graph {
    var graph = Graph(name: "g")
    let image = graph.convolution(graph.input([1, 2, 5, 4]), channels: 3)
    let statistics = (0..<3).map { _ in graph.weight([3]) }
    let variance = graph.weight([3]) { Double($0) + 0.5 }
    let norm = graph.node(BatchNorm(epsilon: 1e-3), [image] + statistics + [variance], [1, 3, 5, 4])
    graph.outputs = sharesImage ? [norm, image] : [norm]
    return graph
  }

  @Test func theConvolutionTakesTheNormalisation() throws {
    let result = try rewritten(graph(sharesImage: false), by: FoldBatchNorm(), tolerance: 1e-5)
    #expect(result.operatorNames == ["conv"])
  }

  @Test func aConvolutionThatOthersReadStays() throws {
    let result = try rewritten(graph(sharesImage: true), by: FoldBatchNorm(), tolerance: 1e-5)
    #expect(result.nodes.map { $0.op is Convolution } == [true, false])
    #expect(result.nodes[1].op is Pointwise)
  }
}
