import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct SignedQuantizationTests {
  private func graph(_ dtype: DType, _ range: ClosedRange<Int64>) -> Graph {
    var graph = Graph(name: "g")
    let parameters = QuantizationParameters(scale: 0.125, zeroPoint: range.lowerBound + 120)
    let stored = graph.node(Pointwise.quantize(parameters, to: range, from: .float32, as: dtype), [graph.input([12])], [12], dtype)
    graph.outputs = [graph.node(Pointwise.dequantize(parameters, from: dtype, as: .float32), [stored], [12])]
    return graph
  }

  @Test func unsignedNumbersBecomeSigned() throws {
    let result = try rewritten(graph(.uint8, 0...255), by: SignedQuantization())
    #expect(result.nodes.contains { $0.outputs.contains { result.dtype($0) == .int8 } })
    let last = try #require(result.nodes.last?.inputs[0])
    #expect(result.dtype(last) == .int8)
  }

  @Test func signedNumbersStay() throws {
    #expect(try isLeft(graph(.int8, -128...127), by: SignedQuantization()))
  }
}
