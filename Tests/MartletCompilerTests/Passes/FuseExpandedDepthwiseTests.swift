import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct FuseExpandedDepthwiseTests {
  private func graph(extent: Int, _ dtype: DType = .float32) -> Graph {
    var graph = Graph(name: "g")
    let expanded = graph.convolution(graph.input([1, 2, extent, extent], dtype), channels: 16, window: 1)
    graph.outputs = [graph.convolution(expanded, channels: 16, groups: 16)]
    return graph
  }

  @Test(arguments: [DType.float32, .float16]) func aLargeImageInBetweenIsMadeInStrips(_ dtype: DType) throws {
    let result = try rewritten(graph(extent: 224, dtype), by: FuseExpandedDepthwise(), tolerance: 1e-5)
    #expect(result.nodes.count == 1 && result.nodes[0].op is ExpandedDepthwise)
  }

  @Test func aSmallImageIsNot() throws {
    #expect(try isLeft(graph(extent: 32), by: FuseExpandedDepthwise()))
  }
}
