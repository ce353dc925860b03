import MartletCompiler
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct KeepRealRowsTests {
  private func product(_ quantization: RowQuantization, withBias: Bool = true) -> Graph {
    var graph = Graph(name: "test")
    let x = graph.input([3, 8])
    let numbers: [Scalar] = (0..<40).map { index in .int(Int64(index * 29 % 255 - 127)) }
    let weight = graph.addConstant(Constant(HostTensor(numbers, dtype: .int8, shape: [5, 8])!))
    let bias = withBias ? graph.weight([5]) : nil
    let scale = graph.addConstant(Constant(HostTensor([Scalar.double(0.03)], dtype: .float32, shape: [1, 1])!))
    let op = DynamicLinear(depth: 8, isNibbles: false, quantization: quantization, activation: .relu)
    graph.outputs = [graph.node(op, [x, weight, bias, scale], [3, 5])]
    return graph
  }

  @Test(arguments: [true, false]) func `Rows that the runtime may quantise are multiplied as they are`(_ withBias: Bool) throws {
    // Results differ by the error of quantised rows: half a step of the largest of 8 numbers, times the weights.
    let result = try rewritten(product(.symmetricTensor, withBias: withBias), by: KeepRealRows(), tolerance: 0.2)
    #expect(result.operatorNames == ["dequantize", "permute", "matmul"])
    #expect((result.nodes.last?.op as? MatMul)?.activation == .relu)
  }

  @Test(arguments: [RowQuantization.rows, .tensor]) func `Rows whose quantisation the program states stay`(_ form: RowQuantization) throws {
    #expect(try isLeft(product(form), by: KeepRealRows()))
  }
}
