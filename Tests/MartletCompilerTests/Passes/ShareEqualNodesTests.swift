import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct ShareEqualNodesTests {
  @Test func equalNodesAndThoseBehindThemAreOne() throws {
    var graph = Graph(name: "g")
    let x = graph.input([3, 4])
    let sums = (0..<3).map { _ in
      let half = graph.addScalar(.double(0.5))
      var program = PointwiseProgram()
      program.append(.binary(.mul, program.append(.load(operand: 0, as: .float32)), program.append(.scalar(operand: 1, as: .float32))))
      let scaled = graph.node(Pointwise(program, dtype: .float32, label: "scale"), [x, half], [3, 4])
      return graph.unary(.exp, scaled)
    }
    graph.outputs = [graph.binary(.add, graph.binary(.add, sums[0], sums[1]), sums[2])]
    let result = try rewritten(graph, by: ShareEqualNodes())
    #expect(result.operatorNames == ["scale", "unary", "binary", "binary"])
  }

  @Test func oneConstantUnderTwoNamesIsTheSame() throws {
    var graph = Graph(name: "g")
    let x = graph.input([3, 4])
    let weight = graph.weight([4])
    let again = graph.addConstant(try #require(graph.constant(weight)))
    graph.outputs = [graph.binary(.mul, graph.binary(.mul, x, weight), graph.binary(.mul, x, again))]
    #expect(try rewritten(graph, by: ShareEqualNodes()).nodes.count == 2)
  }

  @Test func resultsOfSeveralOutputsAreShared() throws {
    var graph = Graph(name: "g")
    let x = graph.input([3, 4])
    let choices = (0..<2).map { _ in
      graph.addNode(
        ChooseQuantization(.rows, range: -128...127), [x],
        types: [DType.float64, .int64].map { .tensor(TensorSignature(TensorType($0, [3, 1]))) }, source: "choose")
    }
    graph.outputs = choices.map { choice in
      graph.node(
        Pointwise(.binary(.mul, as: .float32), dtype: .float32, label: "binary"), [choice[0], choice[1]], [3, 1])
    }
    #expect(try rewritten(graph, by: ShareEqualNodes()).nodes.count == 2)
  }

  @Test func nodesThatDifferStay() throws {
    var graph = Graph(name: "g")
    let (x, y) = (graph.input([3, 4]), graph.input([3, 4]))
    graph.outputs = [
      graph.binary(.sub, x, y), graph.binary(.sub, y, x), graph.binary(.add, x, y), graph.unary(.exp, x), graph.unary(.exp, y),
      graph.node(Softmax(axis: 0, dtype: .float32), [x], [3, 4]), graph.node(Softmax(axis: 1, dtype: .float32), [x], [3, 4]),
    ]
    #expect(try isLeft(graph, by: ShareEqualNodes()))
  }

  /// Forests of one size have the same attributes in dumps.
  @Test func forestsOfOneSizeStay() throws {
    var graph = Graph(name: "g")
    let x = graph.input([3, 1])
    graph.outputs = try [1.0, 2.0].map { value in
      let tree = DecisionTrees.Tree(nodes: [DecisionTrees.Node(.leaf, values: 0..<1)], dimensions: [0], values: [value])
      let trees = try #require(DecisionTrees([tree], dimensionCount: 1, base: [0]))
      return graph.addNode(
        try TreeEnsemble(trees), [x], types: [.tensor(TensorSignature(TensorType(.float64, [3, 1])))], source: "forest")[0]
    }
    #expect(try isLeft(graph, by: ShareEqualNodes()))
  }

  @Test func randomNumbersAreNotShared() throws {
    var graph = Graph(name: "g")
    let x = graph.input([3, 4])
    graph.outputs = (0..<2).map { _ in graph.node(RandomTensor(.uniform(low: 0, high: 1), shape: nil, dtype: .float32), [x], [3, 4]) }
    #expect(try isLeft(graph, by: ShareEqualNodes()))
  }
}
