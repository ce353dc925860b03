import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct QuantizedArithmeticPassTests {
  private func graph(quantizesResult: Bool) -> Graph {
    var graph = Graph(name: "g")
    let parameters = QuantizationParameters(scale: 0.25, zeroPoint: 3)
    let stored = graph.input([1, 2, 4, 4], .int8)
    let real = graph.node(Pointwise.dequantize(parameters, from: .int8, as: .float32), [stored], [1, 2, 4, 4])
    let window = Pool.Window.sliding(kernel: [2, 2], stride: [2, 2], before: [0, 0], after: [0, 0], dilation: [1, 1], ceil: false)
    let pooled = graph.node(Pool(window, reduction: .maximum), [real], [1, 2, 2, 2])
    graph.outputs = [
      quantizesResult
        ? graph.node(Pointwise.quantize(parameters, to: -128...127, from: .float32, as: .int8), [pooled], [1, 2, 2, 2], .int8)
        : graph.unary(.exp, pooled)
    ]
    return graph
  }

  @Test func aPoolingBetweenQuantisationsIsOneOfIntegers() throws {
    let result = try RemoveDeadCode().rewrite(rewritten(graph(quantizesResult: true), by: QuantizedArithmetic(), isStable: false))
    #expect(try #require(result).operatorNames.allSatisfy { $0.contains("pool") })
  }

  @Test func graphsWithoutIntegersStay() throws {
    var graph = Graph(name: "g")
    graph.outputs = [graph.unary(.exp, graph.input([3]))]
    #expect(try isLeft(graph, by: QuantizedArithmetic()))
  }
}
