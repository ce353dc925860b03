import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct InlineScalarConstantsTests {
  @Test func constantsOfRankZeroBecomeLiterals() throws {
    var graph = Graph(name: "g")
    let x = graph.input([2, 3])
    graph.outputs = [graph.binary(.mul, x, graph.weight([]) { _ in 2.5 })]
    let result = try rewritten(graph, by: InlineScalarConstants())
    #expect(result.nodes[0].inputs == [x])
  }

  @Test func constantsWithAxesStay() throws {
    var graph = Graph(name: "g")
    graph.outputs = [graph.binary(.mul, graph.input([2, 3]), graph.weight([1]))]
    #expect(try isLeft(graph, by: InlineScalarConstants()))
  }
}
