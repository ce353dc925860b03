import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct RemoveDeadCodeTests {
  private static func type(_ dtype: DType, _ shape: [Int]) -> ValueType { .tensor(TensorSignature(TensorType(dtype, shape))) }

  private static let relu = Pointwise(.unary(.relu, as: .float32), dtype: .float32, label: "relu")

  @Test func deadNodesGoAndValuesStayIfTheyAreKept() throws {
    var graph = Graph(name: "g")
    let x = graph.addInput(Self.type(.float32, [2]))
    let dead = graph.addNode(Self.relu, [x], type: Self.type(.float32, [2]), source: "dead")
    _ = graph.addNode(Self.relu, [dead], type: Self.type(.float32, [2]), source: "dead too")
    graph.outputs = [graph.addNode(Self.relu, [x], type: Self.type(.float32, [2]), source: "live")]
    let kept = try #require(try RemoveDeadCode(keepsValues: true).rewrite(graph))
    #expect(kept.nodes.map(\.source) == ["live"] && kept.values.count == 4 && kept.outputs == graph.outputs)
    #expect(try RemoveDeadCode(keepsValues: true).rewrite(kept) == nil)
    let renumbered = try #require(try RemoveDeadCode().rewrite(kept))
    #expect(renumbered.nodes.map(\.source) == ["live"] && renumbered.values.count == 2 && renumbered.outputs == [ValueID(1)])
    #expect(try RemoveDeadCode().rewrite(renumbered) == nil)
  }

  @Test func writesOfStatesStay() throws {
    var graph = Graph(name: "g")
    graph.states = [StateDeclaration(name: "s", type: TensorType(.float32, [2]), initial: nil)]
    let x = graph.addInput(Self.type(.float32, [2]))
    graph.addNode(WriteState(state: 0), [graph.unary(.neg, x)], types: [], source: "write")
    #expect(try isLeft(graph, by: RemoveDeadCode(keepsValues: true)))
  }
}
