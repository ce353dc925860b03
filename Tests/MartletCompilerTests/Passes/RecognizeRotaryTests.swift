import MartletCompiler
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct RecognizeRotaryTests {
  /// `a * b ± c * d` in one node, as pointwise fusion leaves it.
  private func products(
    _ graph: inout Graph, _ function: BinaryFunction, _ operands: [ValueID], _ shape: [Int]
  ) -> ValueID {
    var inputs: [ValueID] = []
    var program = PointwiseProgram()
    var registers: [ValueID: Int] = [:]
    func load(_ value: ValueID) -> Int {
      if let known = registers[value] { return known }
      inputs.append(value)
      let register = program.append(.load(operand: inputs.count - 1, as: .float32))
      registers[value] = register
      return register
    }
    let first = program.append(.binary(.mul, load(operands[0]), load(operands[1])))
    let second = program.append(.binary(.mul, load(operands[2]), load(operands[3])))
    program.append(.binary(function, first, second))
    return graph.node(Pointwise(program, dtype: .float32, label: "products"), inputs, shape)
  }

  private func slice(_ graph: inout Graph, _ x: ValueID, axis: Int, _ range: Range<Int>, _ shape: [Int]) -> ValueID {
    graph.node(
      Slice(axis: axis, range: SliceRange(start: .constant(range.lowerBound), end: .position(.constant(range.upperBound)), step: 1)), [x],
      shape)
  }

  /// Pairs of neighbours: slices or selections, rotated and interleaved again.
  private func neighbours(selects: Bool, exchanged: Bool = false) -> Graph {
    var graph = Graph(name: "g")
    let x = graph.input([1, 3, 2, 4, 2])
    let (cosines, sines) = (graph.input([1, 3, 1, 4]), graph.input([1, 3, 1, 4]))
    let parts = (0..<2).map { index -> ValueID in
      if selects { return graph.node(Select(axis: -1, index: .constant(index)), [x], [1, 3, 2, 4]) }
      let part = slice(&graph, x, axis: 4, index..<index + 1, [1, 3, 2, 4, 1])
      return graph.node(Squeeze(axes: [4]), [part], [1, 3, 2, 4])
    }
    let first = products(&graph, .sub, [parts[0], cosines, parts[1], sines], [1, 3, 2, 4])
    let second =
      exchanged
      ? products(&graph, .add, [parts[0], cosines, parts[1], sines], [1, 3, 2, 4])
      : products(&graph, .add, [parts[0], sines, parts[1], cosines], [1, 3, 2, 4])
    let apart = [first, second].map { graph.node(Unsqueeze(axes: [4]), [$0], [1, 3, 2, 4, 1]) }
    graph.outputs = [graph.node(Concat(axis: 4, dtype: .float32), apart, [1, 3, 2, 4, 2])]
    return graph
  }

  /// Halves: `x * cos + concat(-b, a) * sin`.
  private func halves(width: Int = 6, split: Int = 3) -> Graph {
    var graph = Graph(name: "g")
    let x = graph.input([1, 2, 3, width])
    let (cosines, sines) = (graph.input([3, width]), graph.input([3, width]))
    let low = slice(&graph, x, axis: 3, 0..<split, [1, 2, 3, split])
    let high = slice(&graph, x, axis: 3, split..<width, [1, 2, 3, width - split])
    let turned = graph.node(Concat(axis: 3, dtype: .float32), [graph.unary(.neg, high), low], [1, 2, 3, width])
    graph.outputs = [products(&graph, .add, [x, cosines, turned, sines], [1, 2, 3, width])]
    return graph
  }

  @Test(arguments: [false, true]) func neighboursAreRotatedByOneNode(selects: Bool) throws {
    let result = try rewritten(neighbours(selects: selects), by: RecognizeRotary(), tolerance: 1e-6)
    #expect(try #require(try RemoveDeadCode().rewrite(result)).operatorNames == ["rotary_embedding"])
  }

  @Test func halvesAreRotatedByOneNode() throws {
    let result = try rewritten(halves(), by: RecognizeRotary(), tolerance: 1e-6)
    #expect(try #require(try RemoveDeadCode().rewrite(result)).operatorNames == ["rotary_embedding"])
  }

  @Test func otherSumsAreLeft() throws {
    #expect(try isLeft(neighbours(selects: true, exchanged: true), by: RecognizeRotary()))
    #expect(try isLeft(halves(width: 6, split: 2), by: RecognizeRotary()))
  }
}
