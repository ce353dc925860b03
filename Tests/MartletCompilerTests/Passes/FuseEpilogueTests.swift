import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct FuseEpilogueTests {
  private func graph(sharesImage: Bool) -> Graph {
    var graph = Graph(name: "g")
    let image = graph.convolution(graph.input([1, 2, 5, 4]), channels: 3)
    let activated = graph.unary(.relu, image)
    graph.outputs = sharesImage ? [activated, image] : [activated]
    return graph
  }

  @Test func theConvolutionTakesItsActivation() throws {
    let result = try rewritten(graph(sharesImage: false), by: FuseEpilogue())
    #expect(result.nodes.count == 1)
    #expect((result.nodes[0].op as? Convolution)?.activation != Activation.none)
  }

  @Test func aTensorOfTheSameShapeIsAdded() throws {
    var graph = Graph(name: "g")
    let x = graph.input([1, 3, 5, 4])
    graph.outputs = [graph.binary(.add, graph.convolution(x, channels: 3), x)]
    let result = try rewritten(graph, by: FuseEpilogue(), tolerance: 1e-6)
    #expect(result.nodes.count == 1 && result.nodes[0].inputs.count == 4)
  }

  @Test func aResultThatOthersReadStays() throws {
    #expect(try isLeft(graph(sharesImage: true), by: FuseEpilogue()))
  }
}
