import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

/// Graphs of real operators between quantisations, against the same operators on integers.
@Suite struct QuantizedArithmeticResultsTests {
  private static let input = QuantizationParameters(scale: 0.05, zeroPoint: -4)
  private static let other = QuantizationParameters(scale: 0.03, zeroPoint: 9)
  private static let output = QuantizationParameters(scale: 0.11, zeroPoint: 2)
  private static let range: ClosedRange<Int64> = -128...127

  /// A graph of int8 or uint8 inputs whose `body` makes a real value from real ones, which is quantised.
  private func graph(
    _ shapes: [[Int]], result: [Int], parameters: QuantizationParameters = output, dtype: DType = .int8,
    _ body: (inout Graph, [ValueID]) -> ValueID
  ) -> Graph {
    var graph = Graph(name: "test")
    let shift: Int64 = dtype == .uint8 ? 128 : 0
    func shifted(_ parameters: QuantizationParameters) -> QuantizationParameters {
      QuantizationParameters(scale: parameters.scale, zeroPoint: parameters.zeroPoint + shift)
    }
    var reals: [ValueID] = []
    for (index, shape) in shapes.enumerated() {
      let stored = graph.addInput(.tensor(TensorSignature(TensorType(dtype, shape))))
      reals.append(
        graph.addNode(
          Pointwise.dequantize(shifted(index == 0 ? Self.input : Self.other), from: dtype, as: .float32), [stored],
          type: .tensor(TensorSignature(TensorType(.float32, shape))), source: "dequantize"))
    }
    let real = body(&graph, reals)
    graph.outputs = [
      graph.addNode(
        Pointwise.quantize(
          shifted(parameters), to: Self.range.lowerBound + shift...Self.range.upperBound + shift, from: .float32, as: dtype), [real],
        type: .tensor(TensorSignature(TensorType(dtype, result))), source: "quantize")
    ]
    return graph
  }

  /// Runs the graph as it is and rewritten; results differ by at most `steps`. Returns the names of the rewritten nodes.
  private func compare(
    _ graph: Graph, seed: UInt64 = 5, steps: Int = 1, _ location: SourceLocation = #_sourceLocation
  ) throws -> [String] {
    try graph.verify()
    let passes = PassPipeline([FoldConstants(keepsQuantized: true), SignedQuantization(), QuantizedArithmetic(), RemoveDeadCode()])
    let rewritten = try passes.run(on: graph)
    var generator = SeededGenerator(seed: seed)
    var inputs: [HostTensor] = []
    for input in graph.inputs {
      let shape = try #require(graph.signature(input)?.fixedShape)
      let isUnsigned = graph.signature(input)?.dtype == .uint8
      let numbers = (0..<shape.reduce(1, *)).map { _ in Int8.random(in: -128...127, using: &generator) }
      inputs.append(isUnsigned ? HostTensor(.uint8, shape, numbers.map { UInt8(bitPattern: $0) }) : HostTensor(.int8, shape, numbers))
    }
    let expected = try integers(runGraph(graph, inputs))
    let got = try integers(runGraph(rewritten, inputs))
    #expect(expected.count == got.count, sourceLocation: location)
    let largest = zip(expected, got).map { abs($0 - $1) }.max() ?? 0
    #expect(largest <= steps, sourceLocation: location)
    #expect(Set(got).count > 1, "results that are all alike show nothing", sourceLocation: location)
    return rewritten.nodes.map(\.op.name)
  }

  private func integers(_ tensor: HostTensor) -> [Int] {
    tensor.dtype == .uint8 ? tensor.elements(as: UInt8.self).map { Int($0) } : tensor.elements(as: Int8.self).map { Int($0) }
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

  /// Convolutions over one to three axes and transposed ones.
  struct ConvolutionCase: CustomTestStringConvertible {
    var name: String
    var x: [Int]
    var weight: [Int]
    var stride: [Int]
    var padding: [Int]
    var dilation: [Int]
    var groups = 1
    var isTransposed = false
    var outputPadding: [Int] = []
    var result: [Int]
    var testDescription: String { name }
  }

  static let convolutionCases = [
    ConvolutionCase(
      name: "line", x: [2, 6, 21], weight: [9, 6, 4], stride: [2], padding: [2], dilation: [1], result: [2, 9, 11]),
    ConvolutionCase(
      name: "depthwise line", x: [1, 40, 17], weight: [40, 1, 3], stride: [1], padding: [2], dilation: [2], groups: 40,
      result: [1, 40, 17]),
    ConvolutionCase(
      name: "volume", x: [2, 5, 6, 7, 5], weight: [4, 5, 3, 3, 2], stride: [2, 1, 1], padding: [1, 1, 0], dilation: [1, 2, 1],
      result: [2, 4, 3, 5, 4]),
    ConvolutionCase(
      name: "volume in groups", x: [1, 6, 4, 5, 5], weight: [4, 3, 2, 3, 3], stride: [1, 1, 2], padding: [1, 1, 1],
      dilation: [2, 1, 1], groups: 2, result: [1, 4, 4, 5, 3]),
    ConvolutionCase(
      name: "depthwise volume", x: [1, 7, 4, 5, 5], weight: [7, 1, 3, 3, 3], stride: [1, 1, 1], padding: [1, 1, 1],
      dilation: [1, 1, 1], groups: 7, result: [1, 7, 4, 5, 5]),
    ConvolutionCase(
      name: "transposed", x: [2, 5, 6, 7], weight: [5, 9, 3, 4], stride: [2, 3], padding: [1, 0], dilation: [1, 1],
      isTransposed: true, outputPadding: [1, 2], result: [2, 9, 12, 24]),
    ConvolutionCase(
      name: "transposed with gaps", x: [1, 4, 5, 4], weight: [4, 34, 1, 2], stride: [3, 2], padding: [0, 1], dilation: [1, 3],
      isTransposed: true, outputPadding: [0, 0], result: [1, 34, 13, 8]),
    ConvolutionCase(
      name: "transposed line", x: [1, 8, 9], weight: [8, 3, 5], stride: [2], padding: [3], dilation: [2], isTransposed: true,
      outputPadding: [1], result: [1, 3, 20]),
  ]

  @Test(arguments: convolutionCases, [DType.int8, .uint8])
  func convolutionsOfAllKindsWorkOnIntegers(_ test: ConvolutionCase, dtype: DType) throws {
    let channels = test.result[1]
    let names = try compare(
      graph([test.x], result: test.result, parameters: QuantizationParameters(scale: 0.3, zeroPoint: 2), dtype: dtype) { graph, x in
        // Scales by output channel, which are the second axis of a transposed convolution's weight.
        let shape = test.isTransposed ? [channels, test.weight[0]] + test.weight.dropFirst(2) : test.weight
        var filter = weight(&graph, shape, byChannel: true)
        if test.isTransposed {
          let axes = [1, 0] + Array(2..<test.weight.count)
          filter = graph.addNode(Permute(axes: axes), [filter], type: signature(test.weight), source: "permute")
        }
        let bias = graph.addConstant(Constant(HostTensor(.float32, [channels], (0..<channels).map { Float($0) * 0.37 - 1 })))
        let convolution = Convolution(
          stride: test.stride, padding: test.padding.map { ($0, $0) }, dilation: test.dilation, isTransposed: test.isTransposed,
          outputPadding: test.isTransposed ? test.outputPadding : test.stride.map { _ in 0 }, groups: test.groups, dtype: .float32)
        return graph.addNode(convolution, [x[0], filter, bias], type: signature(test.result), source: "conv")
      })
    #expect(names == (dtype == .int8 ? ["quantized_conv"] : ["to_int8", "quantized_conv", "to_uint8"]))
  }

  @Test func uint8WeightsAround128AreInt8Ones() throws {
    let names = try compare(
      graph([[5, 40]], result: [5, 12]) { graph, x in
        var generator = SeededGenerator(seed: 78)
        let numbers = (0..<480).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let stored = graph.addConstant(Constant(HostTensor(.uint8, [12, 40], numbers)))
        let scales = graph.addConstant(Constant(HostTensor(.float32, [1, 1], [Float(0.004)])))
        let real = graph.addNode(Dequantize(zeroPoint: 128), [stored, scales], type: signature([12, 40]), source: "weight")
        let matrix = graph.addNode(Permute(axes: [1, 0]), [real], type: signature([40, 12]), source: "permute")
        return graph.addNode(MatMul(dtype: .float32), [x[0], matrix], type: signature([5, 12]), source: "matmul")
      })
    #expect(names == ["quantized_linear"])
  }

  @Test func chainsOfUint8NumbersBecomeInt8Ones() throws {
    let middle = QuantizationParameters(scale: 0.2, zeroPoint: 100)
    let names = try compare(
      graph([[5, 40]], result: [5, 6], dtype: .uint8) { graph, x in
        var x = x[0]
        for (rows, columns) in [(12, 40), (6, 12)] {
          let stored = weight(&graph, [rows, columns], byChannel: true)
          let matrix = graph.addNode(Permute(axes: [1, 0]), [stored], type: signature([columns, rows]), source: "permute")
          x = graph.addNode(MatMul(dtype: .float32), [x, matrix], type: signature([5, rows]), source: "matmul")
          if rows == 6 { break }
          let integers = graph.addNode(
            Pointwise.quantize(middle, to: 0...255, from: .float32, as: .uint8), [x],
            type: .tensor(TensorSignature(TensorType(.uint8, [5, rows]))), source: "quantize")
          x = graph.addNode(
            Pointwise.dequantize(middle, from: .uint8, as: .float32), [integers], type: signature([5, rows]), source: "dequantize")
        }
        return x
      })
    #expect(names == ["to_int8", "quantized_linear", "quantized_linear", "to_uint8"])
  }

  @Test func quantisationOfTheMethodsInputHasItsOwnKernel() throws {
    var graph = Graph(name: "test")
    let shape = [3, 5, 67]
    let x = graph.addInput(.tensor(TensorSignature(TensorType(.float32, shape))))
    graph.outputs = [
      graph.addNode(
        Pointwise.quantize(QuantizationParameters(scale: 0.1, zeroPoint: 3), to: -128...127, from: .float32, as: .int8), [x],
        type: .tensor(TensorSignature(TensorType(.int8, shape))), source: "quantize")
    ]
    let rewritten = try PassPipeline([QuantizedArithmetic()]).run(on: graph)
    #expect(rewritten.nodes.map { "\(type(of: $0.op))" } == ["QuantizeToInt8"])
    var generator = SeededGenerator(seed: 3)
    var numbers = generator.floats(shape.reduce(1, *), in: -20...20)
    // Halves, bounds, and what is no number.
    numbers.replaceSubrange(0..<8, with: [0.05, 0.15, -0.25, .infinity, -.infinity, .nan, 1e30, -12.85])
    let inputs = [HostTensor(.float32, shape, numbers)]
    #expect(try runGraph(graph, inputs).elements(as: Int8.self) == runGraph(rewritten, inputs).elements(as: Int8.self))
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
      }, steps: 0)
    #expect(names.count == 1 && names[0].hasPrefix("quantized_"))
  }

  /// Channels on axis 1 and 3, and the factors as either operand.
  @Test(arguments: [([2, 20, 3, 4], [2, 20, 1, 1]), ([2, 3, 4, 20], [1, 1, 1, 20])], [false, true])
  func productsWithAFactorForEachChannel(_ shapes: (image: [Int], factors: [Int]), isFirst: Bool) throws {
    let names = try compare(
      graph([shapes.image, shapes.factors], result: shapes.image) { graph, x in
        graph.addNode(
          Pointwise(.binary(.mul, as: .float32), dtype: .float32, label: "mul"), isFirst ? [x[1], x[0]] : [x[0], x[1]],
          type: signature(shapes.image), source: "mul")
      })
    #expect(names == ["dequantize", "quantized_scale"])
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

  @Test func numbersThatAreOnlyMovedStayIntegers() throws {
    let target = ResizeTarget(size: [.constant(6), .constant(8)], factors: nil)
    func padded(with value: Double, _ graph: inout Graph, _ x: ValueID) -> ValueID {
      let flipped = graph.addNode(Flip(axes: [3]), [x], type: signature([1, 5, 3, 4]), source: "flip")
      let large = graph.addNode(ResizeNearest(target: target), [flipped], type: signature([1, 5, 6, 8]), source: "resize")
      let number = graph.addScalar(.double(value))
      let pad = Pad(.constant, before: [.constant(1), .constant(2)], after: [.constant(0), .constant(1)])
      return graph.addNode(pad, [large, number], type: signature([1, 5, 7, 11]), source: "pad")
    }
    let zero = try compare(
      graph([[1, 5, 3, 4]], result: [1, 5, 7, 11], parameters: Self.input) { graph, x in padded(with: 0, &graph, x[0]) }, steps: 0)
    #expect(zero == ["flip", "resize_nearest", "pad"])
    // No integer stands for this number.
    let other = try compare(
      graph([[1, 5, 3, 4]], result: [1, 5, 7, 11], parameters: Self.input) { graph, x in padded(with: 0.02, &graph, x[0]) }, steps: 0)
    #expect(other == ["dequantize", "flip", "resize_nearest", "pad", "quantize"])
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
