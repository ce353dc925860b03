import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct FuseChannelScaleTests {
  private func graph(window: Int) -> Graph {
    var graph = Graph(name: "g")
    let (image, factors) = (graph.input([1, 4, 5, 3]), graph.input([1, 4, 1, 1]))
    graph.outputs = [graph.convolution(graph.binary(.mul, image, factors), channels: 6, window: window)]
    return graph
  }

  @Test func aConvolutionByOnePixelTakesTheFactors() throws {
    let result = try rewritten(graph(window: 1), by: FuseChannelScale(), tolerance: 1e-5)
    #expect(result.operatorNames == ["conv"] && result.nodes[0].inputs.count == 5)
  }

  @Test func oneWithALargerWindowDoesNot() throws {
    #expect(try isLeft(graph(window: 3), by: FuseChannelScale()))
  }
}
