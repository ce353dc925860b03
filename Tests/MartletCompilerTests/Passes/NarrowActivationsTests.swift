import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

/// Which values `fast` keeps in bfloat16.
@Suite struct NarrowActivationsTests {
  private func convolution(_ graph: inout Graph, _ x: ValueID, channels: Int, groups: Int = 1, residual: ValueID? = nil) -> ValueID {
    let shape = graph.signature(x)!.fixedShape!
    let weight = graph.addConstant(
      Constant(HostTensor(zeros: .float32, shape: [channels, shape[1] / groups, 3, 3])))
    let op = Convolution(
      stride: [1, 1], padding: [(1, 1), (1, 1)], dilation: [1, 1], outputPadding: [0, 0], groups: groups, dtype: .float32)
    let type = TensorType(.float32, [shape[0], channels, shape[2], shape[3]])
    return graph.addNode(op, [x, weight, nil, residual], types: [.tensor(TensorSignature(type))], source: "test")[0]
  }

  @Test func valuesBetweenConvolutionsAreNarrowedAndResultsAreNot() throws {
    var graph = Graph(name: "test")
    let x = graph.addInput(.tensor(TensorSignature(TensorType(.float32, [1, 3, 32, 32]))))
    let first = convolution(&graph, x, channels: 16)
    let second = convolution(&graph, first, channels: 16, groups: 16)
    let third = convolution(&graph, second, channels: 16, residual: first)
    let last = convolution(&graph, third, channels: 16)
    graph.outputs = [last]
    let rewritten = try #require(try NarrowActivations().rewrite(graph))
    try rewritten.verify()
    #expect(
      [x, first, second, third, last].map { rewritten.signature($0)?.dtype } == [.float32, .bfloat16, .bfloat16, .bfloat16, .float32])
    #expect(rewritten.nodes.map { ($0.op as? Convolution)?.dtype } == [.bfloat16, .bfloat16, .bfloat16, .float32])
  }

  @Test func whatOtherOperatorsReadStays() throws {
    var graph = Graph(name: "test")
    let x = graph.addInput(.tensor(TensorSignature(TensorType(.float32, [1, 16, 32, 32]))))
    let first = convolution(&graph, x, channels: 16)
    let type = ValueType.tensor(graph.signature(first)!)
    let norm = graph.addNode(LayerNorm(axisCount: 1, epsilon: 1e-5), [first, nil, nil], types: [type], source: "test")[0]
    // The residual keeps the result in float32, too.
    let second = convolution(&graph, x, channels: 16, residual: norm)
    let third = convolution(&graph, second, channels: 16)
    graph.outputs = [third]
    #expect(try NarrowActivations().rewrite(graph) == nil)
  }
}
