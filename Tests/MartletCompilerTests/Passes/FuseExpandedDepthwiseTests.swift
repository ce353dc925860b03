import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct FuseExpandedDepthwiseTests {
  private func graph(extent: Int) -> Graph {
    var graph = Graph(name: "g")
    let expanded = graph.convolution(graph.input([1, 2, extent, extent]), channels: 16, window: 1)
    graph.outputs = [graph.convolution(expanded, channels: 16, groups: 16)]
    return graph
  }

  @Test func aLargeImageInBetweenIsMadeInStrips() throws {
    let result = try rewritten(graph(extent: 224), by: FuseExpandedDepthwise(), tolerance: 1e-5)
    #expect(result.nodes.count == 1 && result.nodes[0].op is ExpandedDepthwise)
  }

  @Test func aSmallImageIsNot() throws {
    #expect(try isLeft(graph(extent: 32), by: FuseExpandedDepthwise()))
  }
}
