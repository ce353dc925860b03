import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct SimplifyViewsTests {
  @Test func reshapesAreJoined() throws {
    var graph = Graph(name: "g")
    let x = graph.input([2, 6])
    let y = graph.node(Reshape(shape: [.constant(12)]), [x], [12])
    graph.outputs = [graph.unary(.neg, graph.node(Reshape(shape: [.constant(3), .constant(4)]), [y], [3, 4]))]
    let joined = try rewritten(graph, by: SimplifyViews())
    let result = try #require(try RemoveDeadCode().rewrite(joined))
    #expect(result.operatorNames == ["reshape", "unary"])
  }

  @Test func viewsThatChangeNothingGo() throws {
    var graph = Graph(name: "g")
    let x = graph.input([2, 6])
    graph.outputs = [graph.unary(.neg, graph.node(Reshape(shape: [.constant(2), .constant(6)]), [x], [2, 6]))]
    #expect(try rewritten(graph, by: SimplifyViews()).operatorNames == ["unary"])
  }

  @Test func oneReshapeStays() throws {
    var graph = Graph(name: "g")
    graph.outputs = [graph.unary(.neg, graph.node(Reshape(shape: [.constant(12)]), [graph.input([2, 6])], [12]))]
    #expect(try isLeft(graph, by: SimplifyViews()))
  }
}
