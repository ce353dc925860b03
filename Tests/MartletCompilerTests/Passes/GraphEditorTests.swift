import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct GraphEditorTests {
  private let type = ValueType.tensor(TensorSignature(TensorType(.float32, [4])))

  /// `y = exp(x)`, `z = relu(y)` and `y + z`; the graph gives the sum and `z`.
  private func example() -> (graph: Graph, x: ValueID, y: ValueID, z: ValueID) {
    var graph = Graph(name: "g")
    let x = graph.input([4])
    let y = graph.unary(.exp, x)
    let z = graph.unary(.relu, y)
    graph.outputs = [graph.binary(.add, y, z), z]
    return (graph, x, y, z)
  }

  @Test func usesOfAReplacedValueAreOfItsReplacement() throws {
    let (graph, x, y, z) = example()
    var editor = GraphEditor(graph)
    editor.replaceUses(of: y, by: x)
    #expect(editor.node(at: 1)?.inputs == [x] && editor.node(at: 2)?.inputs == [x, z])
    #expect(editor.useCount(y) == 3 && editor.useCount(x) == 3 && editor.resolve(y) == x)
    editor.replaceUses(of: z, by: y)
    #expect(editor.node(at: 2)?.inputs == [x, x])
    let result = try #require(editor.finish())
    #expect(result.nodes[2].inputs == [x, x] && result.outputs[1] == x)
    #expect(graph.nodes[2].inputs == [y, z] && graph.outputs[1] == z)
  }

  @Test func insertedAndReplacedNodesFollow() throws {
    let (graph, x, y, z) = example()
    var editor = GraphEditor(graph)
    let before = editor.insert(Identity(), [y], type: type, before: 2, source: "before")
    editor.replaceUses(of: y, by: x)
    let after = editor.insert(Identity(), [y], type: type, before: 2, source: "after")
    #expect(editor.useCount(x) == 5)
    // The replaced node has other operands at the same places.
    var sum = try #require(editor.node(at: 2))
    sum.inputs = [before, after]
    editor.replace(2, with: sum)
    #expect(editor.useCount(x) == 4 && editor.useCount(z) == 1)
    let added = editor.add(Value(type: type, origin: .input(1)))
    editor.replaceUses(of: x, by: added)
    editor.replaceUses(of: after, by: y)
    let result = try #require(editor.finish())
    #expect(result.nodes.map(\.source).suffix(3).dropLast() == ["before", "after"])
    #expect(result.nodes.map(\.inputs) == [[added], [added], [added], [added], [before, added]])
  }

  @Test func aMovedNodeIsInFrontAndKeepsItsUses() throws {
    let (graph, x, y, _) = example()
    var editor = GraphEditor(graph)
    editor.replaceUses(of: y, by: x)
    editor.moveToFront(1)
    #expect(editor.node(at: 1) == nil && editor.useCount(x) == 3)
    #expect(try #require(editor.finish()).nodes.map(\.inputs.count) == [1, 1, 2])
  }

  @Test func aRemovedNodeUsesNothing() throws {
    let (graph, _, y, z) = example()
    var editor = GraphEditor(graph)
    editor.remove(2)
    editor.remove(2)
    #expect(editor.useCount(y) == 1 && editor.useCount(z) == 1 && editor.node(at: 2) == nil)
    #expect(try #require(editor.finish()).nodes.count == 2)
  }

  @Test func nothingEditedIsUnchanged() {
    var graph = example().graph
    let (nodes, values) = (graph.nodes.count, graph.values.count)
    #expect(!GraphEditor(taking: &graph).finish(into: &graph))
    #expect(graph.nodes.count == nodes && graph.values.count == values)
  }
}
