import MartletCompiler
import MartletGraph
import MartletOps
import MartletTensor
import Testing

@Suite struct FixExtentsTests {
  private func open(_ bounds: [Int]) -> ValueType {
    .tensor(TensorSignature(dtype: .float32, dimensions: bounds.map { .symbolic(bound: $0) }))
  }

  @Test func whatWeightsDetermineIsFixed() throws {
    var graph = Graph(name: "g")
    let x = graph.input([2, 6])
    let weight = graph.addNode(Permute(axes: [1, 0]), [graph.weight([12, 6])], type: open([6, 12]), source: "permute")
    let product = graph.addNode(MatMul(dtype: .float32), [x, weight], type: open([8, 12]), source: "matmul")
    // Of twelve columns, a head has what three heads leave.
    let heads = graph.addNode(
      Reshape(shape: [.constant(2), .constant(3), .constant(-1)]), [product], type: open([8, 3, 9]), source: "reshape")
    let first = graph.addNode(
      Slice(axis: 2, range: SliceRange(start: .constant(0), end: .position(.constant(1)), step: 1)), [heads], type: open([8, 3, 4]),
      source: "slice")
    graph.outputs = [first]
    let result = try rewritten(graph, by: FixExtents())
    let shapes = [weight, product, heads, first].map { result.signature($0)?.fixedShape }
    #expect(shapes == [[6, 12], [2, 12], [2, 3, 4], [2, 3, 1]])
  }

  @Test func whatACallDeterminesStaysOpen() throws {
    var graph = Graph(name: "g")
    let x = graph.addInput(open([8, 6]))
    let product = graph.addNode(MatMul(dtype: .float32), [x, graph.weight([6, 3])], type: open([8, 3]), source: "matmul")
    // Two extents are open, so that the third one is not known.
    graph.outputs = [
      graph.addNode(Reshape(shape: [.constant(-1), .constant(2)]), [product], type: open([12, 2]), source: "reshape")
    ]
    let result = try #require(try FixExtents().rewrite(graph))
    #expect(result.signature(product)?.dimensions == [.symbolic(bound: 8), .fixed(3)])
    #expect(result.signature(graph.outputs[0])?.dimensions == [.symbolic(bound: 12), .fixed(2)])
    #expect(try FixExtents().rewrite(result) == nil)
  }

  @Test func anExtentBeyondItsBoundIsLeftToPlanning() throws {
    var graph = Graph(name: "g")
    let product = graph.addNode(
      MatMul(dtype: .float32), [graph.input([2, 6]), graph.weight([6, 3])], type: open([2, 2]), source: "matmul")
    graph.outputs = [product]
    let result = try #require(try FixExtents().rewrite(graph))
    #expect(result.signature(product)?.dimensions == [.fixed(2), .symbolic(bound: 2)])
  }
}
