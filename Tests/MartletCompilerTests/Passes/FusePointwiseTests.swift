import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct FusePointwiseTests {
  private func graph(sharesSum: Bool) -> Graph {
    var graph = Graph(name: "g")
    let (x, y) = (graph.input([2, 5]), graph.input([2, 5]))
    let sum = graph.binary(.add, x, y)
    let product = graph.binary(.mul, graph.unary(.relu, sum), x)
    graph.outputs = sharesSum ? [product, sum] : [product]
    return graph
  }

  @Test func functionsOfFunctionsAreOneNode() throws {
    #expect(try rewritten(graph(sharesSum: false), by: FusePointwise()).nodes.count == 1)
  }

  @Test func whatOthersReadIsComputedOnItsOwn() throws {
    #expect(try rewritten(graph(sharesSum: true), by: FusePointwise()).nodes.count == 2)
  }
}
