import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import Testing

/// Graphs of real operators between quantisations, against the same operators on integers.
@Suite struct QuantizedArithmeticTests {
  private static let input = QuantizationParameters(scale: 0.05, zeroPoint: -4)
  private static let other = QuantizationParameters(scale: 0.03, zeroPoint: 9)
  private static let output = QuantizationParameters(scale: 0.11, zeroPoint: 2)
  private static let range: ClosedRange<Int64> = -128...127

  /// A graph of int8 inputs whose `body` makes a real value from real ones, which is quantised.
  private func graph(
    _ shapes: [[Int]], result: [Int], parameters: QuantizationParameters = output,
    _ body: (inout Graph, [ValueID]) -> ValueID
  ) -> Graph {
    var graph = Graph(name: "test")
    var reals: [ValueID] = []
    for (index, shape) in shapes.enumerated() {
      let stored = graph.addInput(.tensor(TensorSignature(TensorType(.int8, shape))))
      reals.append(
        graph.addNode(
          Pointwise.dequantize(index == 0 ? Self.input : Self.other, from: .int8, as: .float32), [stored],
          type: .tensor(TensorSignature(TensorType(.float32, shape))), source: "dequantize"))
    }
    let real = body(&graph, reals)
    graph.outputs = [
      graph.addNode(
        Pointwise.quantize(parameters, to: Self.range, from: .float32, as: .int8), [real],
        type: .tensor(TensorSignature(TensorType(.int8, result))), source: "quantize")
    ]
    return graph
  }

  /// Runs the graph as it is and rewritten; results differ by at most one step. Returns the names of the rewritten nodes.
  private func compare(_ graph: Graph, seed: UInt64 = 5, _ location: SourceLocation = #_sourceLocation) throws -> [String] {
    try graph.verify()
    let passes = PassPipeline([FoldConstants(keepsQuantized: true), QuantizedArithmetic(), RemoveDeadCode()])
    let rewritten = try passes.run(on: graph)
    var generator = SeededGenerator(seed: seed)
    var inputs: [HostTensor] = []
    for input in graph.inputs {
      let shape = try #require(graph.signature(input)?.fixedShape)
      let numbers = (0..<shape.reduce(1, *)).map { _ in Int8.random(in: -128...127, using: &generator) }
      inputs.append(HostTensor(.int8, shape, numbers))
    }
    let expected = try runGraph(graph, inputs).elements(as: Int8.self)
    let got = try runGraph(rewritten, inputs).elements(as: Int8.self)
    #expect(expected.count == got.count, sourceLocation: location)
    let largest = zip(expected, got).map { abs(Int($0) - Int($1)) }.max() ?? 0
    #expect(largest <= 1, sourceLocation: location)
    #expect(Set(got).count > 1, "results that are all alike show nothing", sourceLocation: location)
    return rewritten.nodes.map(\.op.name)
  }

  private func signature(_ shape: [Int]) -> ValueType { .tensor(TensorSignature(TensorType(.float32, shape))) }

  private func weight(_ graph: inout Graph, _ shape: [Int], byChannel: Bool) -> ValueID {
    var generator = SeededGenerator(seed: 77)
    let count = shape.reduce(1, *)
    let numbers = (0..<count).map { _ in Int8.random(in: -127...127, using: &generator) }
    let stored = graph.addConstant(Constant(HostTensor(.int8, shape, numbers)))
    let ones = [Int](repeating: 1, count: shape.count - 1)
    let channels = byChannel ? shape[0] : 1
    let scales = graph.addConstant(Constant(HostTensor(.float32, [channels] + ones, generator.floats(channels, in: 0.002...0.006))))
    return graph.addNode(Dequantize(), [stored, scales], type: signature(shape), source: "weight")
  }

  @Test(arguments: [false, true]) func convolutionsWithAnActivationAndViewsBecomeOneNode(byChannel: Bool) throws {
    let names = try compare(
      graph([[1, 9, 8, 6]], result: [1, 9, 8, 10]) { graph, x in
        let image = graph.addNode(Permute(axes: [0, 3, 1, 2]), [x[0]], type: signature([1, 6, 9, 8]), source: "permute")
        let filter = weight(&graph, [10, 6, 3, 3], byChannel: byChannel)
        let bias = graph.addConstant(Constant(HostTensor(.float32, [10], (0..<10).map { Float($0) * 0.1 })))
        let convolution = Convolution(
          stride: [1, 1], padding: [(1, 1), (1, 1)], dilation: [1, 1], outputPadding: [0, 0], groups: 1, dtype: .float32)
        let y = graph.addNode(convolution, [image, filter, bias], type: signature([1, 10, 9, 8]), source: "conv")
        let relu = graph.addNode(
          Pointwise(.unary(.relu, as: .float32), dtype: .float32, label: "relu"), [y], type: signature([1, 10, 9, 8]), source: "relu")
        return graph.addNode(Permute(axes: [0, 2, 3, 1]), [relu], type: signature([1, 9, 8, 10]), source: "permute")
      })
    #expect(names == ["permute", "quantized_conv", "permute"])
  }

  @Test func productsBecomeProductsOfIntegers() throws {
    let names = try compare(
      graph([[5, 40]], result: [5, 12]) { graph, x in
        let stored = weight(&graph, [12, 40], byChannel: true)
        let matrix = graph.addNode(Permute(axes: [1, 0]), [stored], type: signature([40, 12]), source: "permute")
        return graph.addNode(MatMul(dtype: .float32), [x[0], matrix], type: signature([5, 12]), source: "matmul")
      })
    #expect(names == ["quantized_linear"])
  }

  @Test(arguments: [BinaryFunction.add, .sub, .mul]) func sumsAndProductsOfTensors(_ function: BinaryFunction) throws {
    let names = try compare(
      graph([[3, 50], [3, 50]], result: [3, 50]) { graph, x in
        let y = graph.addNode(
          Pointwise(.binary(function, as: .float32), dtype: .float32, label: "binary"), [x[0], x[1]], type: signature([3, 50]),
          source: "binary")
        return graph.addNode(
          Pointwise(.unary(.relu, as: .float32), dtype: .float32, label: "relu"), [y], type: signature([3, 50]), source: "relu")
      })
    #expect(names.count == 1 && names[0].hasPrefix("quantized_"))
  }

  @Test func functionsOfOneTensorBecomeTables() throws {
    let names = try compare(
      graph([[7, 33]], result: [7, 33], parameters: QuantizationParameters(scale: 0.02, zeroPoint: -100)) { graph, x in
        graph.addNode(
          Pointwise(.unary(.sigmoid, as: .float32), dtype: .float32, label: "sigmoid"), [x[0]], type: signature([7, 33]), source: "sigmoid")
      })
    #expect(names == ["quantized_sigmoid"])
  }

  @Test func concatenationRescalesWhatIsOfAnotherScale() throws {
    let names = try compare(
      graph([[2, 3], [2, 5]], result: [2, 8], parameters: Self.input) { graph, x in
        graph.addNode(Concat(axis: 1, dtype: .float32), [x[0], x[1]], type: signature([2, 8]), source: "cat")
      })
    #expect(names == ["quantized_rescale", "concat"])
  }

  @Test func poolingWorksOnIntegers() throws {
    let window = Pool.Window.sliding(kernel: [3, 3], stride: [2, 2], before: [1, 1], after: [1, 1], dilation: [1, 1], ceil: false)
    let most = try compare(
      graph([[1, 35, 9, 7]], result: [1, 35, 5, 4], parameters: Self.input) { graph, x in
        graph.addNode(Pool(window, reduction: .maximum), [x[0]], type: signature([1, 35, 5, 4]), source: "pool")
      })
    #expect(most == ["quantized_max_pool"])
    let mean = try compare(
      graph([[1, 35, 9, 7]], result: [1, 35, 5, 4], parameters: QuantizationParameters(scale: 0.02, zeroPoint: 5)) { graph, x in
        graph.addNode(
          Pool(window, reduction: .average(countsPadding: false, divisor: nil)), [x[0]], type: signature([1, 35, 5, 4]), source: "pool")
      })
    #expect(mean == ["quantized_average_pool"])
    let all = try compare(
      graph([[2, 6, 5, 70]], result: [2, 70], parameters: QuantizationParameters(scale: 0.01, zeroPoint: 5)) { graph, x in
        graph.addNode(Reduce(.mean, axes: [1, 2], keepsAxes: false, dtype: .float32), [x[0]], type: signature([2, 70]), source: "mean")
      })
    #expect(all == ["permute", "quantized_average_pool", "reshape"])
  }

  @Test func softmaxOfIntegers() throws {
    let names = try compare(
      graph([[6, 20]], result: [6, 20], parameters: QuantizationParameters(scale: 1.0 / 256, zeroPoint: -128)) { graph, x in
        graph.addNode(Softmax(axis: -1, dtype: .float32), [x[0]], type: signature([6, 20]), source: "softmax")
      })
    #expect(names == ["quantized_softmax"])
  }

  @Test func whatHasOtherUsesStaysReal() throws {
    var graph = graph([[4, 8]], result: [4, 8]) { graph, x in
      graph.addNode(Softmax(axis: -1, dtype: .float32), [x[0]], type: signature([4, 8]), source: "softmax")
    }
    graph.outputs.append(graph.nodes[1].outputs[0])
    let rewritten = try PassPipeline([QuantizedArithmetic(), RemoveDeadCode()]).run(on: graph)
    #expect(rewritten.nodes.contains { $0.op is Softmax })
    #expect(!rewritten.nodes.contains { $0.op is QuantizedSoftmax })
  }
}
