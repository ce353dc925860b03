import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

@Suite struct LookUpByteFunctionsTests {
  /// Quantise(x · clamp(x + 3, 0, 6)) of a dequantised int8 tensor, each step a node of its own.
  private func hardswish(_ shape: [Int]) -> Graph {
    var graph = Graph(name: "hardswish")
    let real = ValueType.tensor(TensorSignature(TensorType(.float32, shape)))
    let stored = graph.addInput(.tensor(TensorSignature(TensorType(.int8, shape))))
    let x = graph.addNode(
      Pointwise.dequantize(QuantizationParameters(scale: 0.05, zeroPoint: -4), from: .int8, as: .float32), [stored], type: real,
      source: "dequantize")
    var program = PointwiseProgram()
    let load = program.append(.load(operand: 0, as: .float32))
    let sum = program.append(.binary(.add, load, program.append(.literal(.double(3), as: .float32))))
    let least = program.append(.binary(.fmax, sum, program.append(.literal(.double(0), as: .float32))))
    program.append(.binary(.fmin, least, program.append(.literal(.double(6), as: .float32))))
    let gate = graph.addNode(Pointwise(program, dtype: .float32, label: "clamp"), [x], type: real, source: "clamp")
    let product = graph.binary(.mul, x, gate)
    graph.outputs = [
      graph.addNode(
        Pointwise.quantize(QuantizationParameters(scale: 0.2, zeroPoint: -20), to: -128...127, from: .float32, as: .int8), [product],
        type: .tensor(TensorSignature(TensorType(.int8, shape))), source: "quantize")
    ]
    return graph
  }

  private let passes = PassPipeline([FusePointwise(), LookUpByteFunctions(), RemoveDeadCode()])

  @Test func aFunctionOfBytesBecomesATable() throws {
    let graph = hardswish([5, 256])
    let rewritten = try passes.run(on: graph)
    #expect(rewritten.operatorNames == ["quantized_clamp+binary"])
    let x = HostTensor(.int8, [5, 256], (0..<1280).map { Int8(truncatingIfNeeded: $0) })
    let (expected, got) = try (runGraph(graph, [x]), runGraph(rewritten, [x]))
    #expect(got.elements(as: Int8.self) == expected.elements(as: Int8.self))
    #expect(Set(got.elements(as: Int8.self)).count > 20)
  }

  @Test func aFewBytesDoNot() throws {
    #expect(try passes.run(on: hardswish([3, 5])).operatorNames == ["dequantize+clamp+binary+quantize"])
  }

  @Test func functionsOfTwoTensorsAndOfRealsDoNot() throws {
    var graph = Graph(name: "sum")
    let bytes = ValueType.tensor(TensorSignature(TensorType(.int8, [2048])))
    let (a, b) = (graph.addInput(bytes), graph.addInput(bytes))
    graph.outputs = [graph.addNode(Pointwise(.binary(.add, as: .int64), dtype: .int8, label: "add"), [a, b], type: bytes, source: "add")]
    #expect(try isLeft(graph, by: LookUpByteFunctions()))
    var real = Graph(name: "quantize")
    let x = real.input([2048])
    real.outputs = [
      real.addNode(
        Pointwise.quantize(QuantizationParameters(scale: 0.2, zeroPoint: 0), to: -128...127, from: .float32, as: .int8), [x], type: bytes,
        source: "quantize")
    ]
    #expect(try isLeft(real, by: LookUpByteFunctions()))
  }

  /// A division by zero fails for one value of 256 only, which an input may not have.
  @Test func aFunctionThatFailsDoesNot() throws {
    var graph = Graph(name: "quotient")
    let bytes = ValueType.tensor(TensorSignature(TensorType(.int8, [2048])))
    var program = PointwiseProgram()
    let x = program.append(.load(operand: 0, as: .int64))
    program.append(.binary(.divTrunc, program.append(.literal(.int(100), as: .int64)), x))
    let quotient = Pointwise(program, dtype: .int8, label: "divide")
    graph.outputs = [graph.addNode(quotient, [graph.addInput(bytes)], type: bytes, source: "divide")]
    #expect(try isLeft(graph, by: LookUpByteFunctions()))
  }
}
