import MartletCompiler
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct RecognizeRMSNormTests {
  /// How the steps are written.
  enum Spelling: CaseIterable { case product, power, square, quotient, separateSum }

  private func graph(_ spelling: Spelling, weighted: Bool = true, axes: [Int] = [-1]) -> Graph {
    var graph = Graph(name: "g")
    let x = graph.input([3, 7])
    var squares = graph.binary(.mul, x, x)
    if spelling == .square { squares = graph.unary(.square, x) }
    if spelling == .power {
      var program = PointwiseProgram()
      let base = program.append(.load(operand: 0, as: .float32))
      program.append(.binary(.pow, base, program.append(.literal(.double(2), as: .float32))))
      squares = graph.node(Pointwise(program, dtype: .float32, label: "pow"), [x], [3, 7])
    }
    let mean = graph.node(Reduce(.mean, axes: axes, keepsAxes: true, dtype: .float32), [squares], axes == [0] ? [1, 7] : [3, 1])
    var program = PointwiseProgram()
    let term = program.append(.load(operand: 0, as: .float32))
    let sum = program.append(.binary(.add, term, program.append(.literal(.double(0.125), as: .float32))))
    let shape = axes == [0] ? [1, 7] : [3, 1]
    let root: ValueID
    if spelling == .separateSum {
      let shifted = graph.node(Pointwise(program, dtype: .float32, label: "add"), [mean], shape)
      root = graph.unary(.rsqrt, shifted)
    } else {
      program.append(.unary(spelling == .quotient ? .sqrt : .rsqrt, sum))
      root = graph.node(Pointwise(program, dtype: .float32, label: "root"), [mean], shape)
    }
    let scaled =
      spelling == .quotient
      ? graph.binary(.div, x, root)
      : spelling == .power
        ? graph.binary(.mul, x, root)
        : graph.node(
          Pointwise(.binary(.mul, as: .float32), dtype: .float32, label: "binary"), [root, x], [3, 7])
    graph.outputs = [weighted ? graph.binary(.mul, scaled, graph.weight([7])) : scaled]
    return graph
  }

  @Test(arguments: Spelling.allCases, [false, true]) func aNormIsOneNode(_ spelling: Spelling, weighted: Bool) throws {
    var result = try rewritten(graph(spelling, weighted: weighted), by: RecognizeRMSNorm(), tolerance: 2e-6)
    result = try #require(try RemoveDeadCode().rewrite(result))
    #expect(result.operatorNames == ["rms_norm"])
    #expect(result.nodes[0].op(as: RMSNorm.self)?.epsilon == 0.125)
  }

  @Test func anotherAxisIsLeft() throws {
    #expect(try isLeft(graph(.product, axes: [0]), by: RecognizeRMSNorm()))
  }

  @Test func theNormOfAnotherValueIsLeft() throws {
    var graph = graph(.product, weighted: false)
    let other = graph.input([3, 7])
    graph.nodes[graph.nodes.count - 1].inputs[1] = other
    #expect(try isLeft(graph, by: RecognizeRMSNorm()))
  }

  @Test func aWeightOfAnotherShapeStaysAProduct() throws {
    var graph = graph(.product, weighted: false)
    graph.outputs = [graph.binary(.mul, graph.outputs[0], graph.weight([3, 1]))]
    let result = try rewritten(graph, by: RecognizeRMSNorm(), tolerance: 2e-6)
    #expect(result.operatorNames.suffix(2) == ["rms_norm", "binary"])
  }
}
