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

  /// Converters to Core ML wrote ReLU6 as -max(-relu(x), -6), with lines -1 x + 0 for the negations.
  @Test func negationsAroundABoundVanish() throws {
    var graph = Graph(name: "g")
    let x = graph.input([2, 5])
    func line(_ x: ValueID) -> ValueID {
      var program = PointwiseProgram()
      let factor = (program.append(.load(operand: 0, as: .float32)), program.append(.literal(.double(-1), as: .float32)))
      let product = program.append(.binary(.mul, factor.0, factor.1))
      program.append(.binary(.add, product, program.append(.literal(.double(0), as: .float32))))
      return graph.node(Pointwise(program, dtype: .float32, label: "linear"), [x], [2, 5])
    }
    var bound = PointwiseProgram()
    let operand = (bound.append(.load(operand: 0, as: .float32)), bound.append(.literal(.double(-6), as: .float32)))
    bound.append(.binary(.maximum, operand.0, operand.1))
    let low = graph.node(Pointwise(bound, dtype: .float32, label: "threshold"), [line(graph.unary(.relu, x))], [2, 5])
    graph.outputs = [line(low)]
    let node = try #require(try rewritten(graph, by: FusePointwise()).nodes.first)
    let program = try #require(node.op(as: Pointwise.self)).program
    #expect(program.description == "r0 = load 0 as float32; r1 = relu r0; r2 = 6.0; r3 = minimum r1 r2")
  }

  @Test func aNegationThatOthersReadStays() {
    var program = PointwiseProgram()
    let x = program.append(.load(operand: 0, as: .float32))
    let negative = program.append(.unary(.neg, x))
    let high = program.append(.binary(.minimum, negative, program.append(.literal(.double(2), as: .float32))))
    program.append(.binary(.mul, program.append(.unary(.neg, high)), negative))
    #expect(
      program.withoutPairedNegations.description
        == "r0 = load 0 as float32; r1 = neg r0; r2 = -2.0; r3 = maximum r0 r2; r4 = mul r3 r1")
    var other = PointwiseProgram()
    let y = other.append(.load(operand: 0, as: .int64))
    other.append(.unary(.neg, other.append(.binary(.maximum, other.append(.unary(.neg, y)), other.append(.literal(.int(1), as: .int64))))))
    #expect(other.withoutPairedNegations == other)
  }
}
