import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

/// An expansion by one pixel and the depthwise convolution after it.
struct ExpandedDepthwiseProblem: CustomTestStringConvertible, Sendable {
  var channels: Int
  var height: Int
  var width: Int
  var middle: Int
  var kernel: [Int] = [3, 3]
  var stride: [Int] = [1, 1]
  var padding: [Int] = [1, 1]
  var hasBias = true
  var dtype = DType.float32

  var testDescription: String {
    "\(channels)x\(height)x\(width) to \(middle) depthwise \(kernel) s\(stride) p\(padding)\(hasBias ? "" : " without bias"), \(dtype)"
  }

  func with(_ dtype: DType) -> Self {
    var problem = self
    problem.dtype = dtype
    return problem
  }

  var expansion: Convolution {
    var op = Convolution(
      stride: [1, 1], padding: [(0, 0), (0, 0)], dilation: [1, 1], outputPadding: [0, 0], groups: 1, dtype: dtype)
    op.activation = Activation(.silu)
    return op
  }

  var depthwise: Convolution {
    var op = Convolution(
      stride: stride, padding: padding.map { ($0, $0) }, dilation: [1, 1], outputPadding: [0, 0], groups: middle, dtype: dtype)
    op.activation = .clamp(0, 6)
    return op
  }
}

@Suite struct FusedConvolutionTests {
  private static let pixel = Convolution(
    stride: [1, 1], padding: [(0, 0), (0, 0)], dilation: [1, 1], outputPadding: [0, 0], groups: 1, dtype: .float32)

  static let expansions = [
    ExpandedDepthwiseProblem(channels: 3, height: 13, width: 11, middle: 35),
    ExpandedDepthwiseProblem(channels: 16, height: 24, width: 7, middle: 32, stride: [2, 2]),
    ExpandedDepthwiseProblem(channels: 5, height: 9, width: 30, middle: 17, kernel: [5, 5], padding: [2, 2], hasBias: false),
    ExpandedDepthwiseProblem(channels: 8, height: 17, width: 9, middle: 20, kernel: [5, 3], stride: [2, 1], padding: [0, 1]),
    // Some output rows read no input row. In the second problem, none does.
    ExpandedDepthwiseProblem(channels: 2, height: 1, width: 1, middle: 3, padding: [4, 4]),
    ExpandedDepthwiseProblem(channels: 2, height: 1, width: 1, middle: 3, kernel: [1, 1], stride: [5, 5], padding: [3, 3]),
    ExpandedDepthwiseProblem(channels: 24, height: 57, width: 56, middle: 144),
  ]

  @Test(arguments: expansions.flatMap { problem in [DType.float32, .float16, .bfloat16].map { problem.with($0) } })
  func stripsGiveTheTwoConvolutionsResult(_ problem: ExpandedDepthwiseProblem) throws {
    var random = SeededGenerator(seed: 5)
    func tensor(_ shape: [Int]) -> HostTensor {
      HostTensor(.float32, shape, random.floats(shape.reduce(1, *))).rounded(to: problem.dtype)
    }
    let x = tensor([1, problem.channels, problem.height, problem.width])
    let first = tensor([problem.middle, problem.channels, 1, 1])
    let second = tensor([problem.middle, 1] + problem.kernel)
    let biases = (0..<2).map { _ in problem.hasBias ? TestOperand.constant(tensor([problem.middle])) : .absent }
    let middle = try runTensorOperator(problem.expansion, [.tensor(x), .constant(first), biases[0]])
    let expected = try runTensorOperator(problem.depthwise, [.tensor(middle), .constant(second), biases[1]])
    let op = ExpandedDepthwise(expansion: problem.expansion, depthwise: problem.depthwise)
    for threads in 1...3 {
      let result = try runTensorOperator(
        op, [.tensor(x), .constant(first), biases[0], .constant(second), biases[1]], threads: threads)
      #expect(result.shape == expected.shape)
      expectEqual(result, expected)
    }
    // Weights that are not known when planning take the two convolutions themselves.
    let plain = try runTensorOperator(op, [.tensor(x), .tensor(first), biases[0], .tensor(second), biases[1]])
    expectEqual(plain, expected)
    // Another precision may choose either.
    let near = try runTensorOperator(op, [.tensor(x), .constant(first), biases[0], .constant(second), biases[1]], precision: .near)
    #expect(near.shape == expected.shape)
    let worst = zip(near.numbers, expected.numbers).map { abs($0 - $1) }.max() ?? 0
    // Results are at most 6.
    #expect(worst <= (problem.dtype == .float32 ? 1e-3 : problem.dtype == .float16 ? 0x1p-7 : 0x1p-4))
  }

  /// The same in 8 bits, with results of 8 bits and real ones, whose graph the passes join where the image in between is large.
  @Test(
    arguments: expansions.dropLast() + [ExpandedDepthwiseProblem(channels: 2, height: 90, width: 120, middle: 98, stride: [2, 2])],
    [true, false])
  func stripsGiveTheTwoQuantizedConvolutionsResult(_ problem: ExpandedDepthwiseProblem, isQuantized: Bool) throws {
    var random = SeededGenerator(seed: 7)
    func bytes(_ shape: [Int]) -> HostTensor {
      HostTensor(.int8, shape, (0..<shape.reduce(1, *)).map { _ in Int8(truncatingIfNeeded: random.next()) })
    }
    func floats(_ count: Int, _ range: ClosedRange<Float>) -> TestOperand {
      .constant(HostTensor(.float32, [count], random.floats(count, in: range)))
    }
    let x = bytes([1, problem.channels, problem.height, problem.width])
    let first: [TestOperand] = [
      .constant(bytes([problem.middle, problem.channels, 1, 1])), problem.hasBias ? floats(problem.middle, -3...3) : .absent,
      floats(problem.middle, 0.001...0.01),
    ]
    let second: [TestOperand] = [
      .constant(bytes([problem.middle, 1] + problem.kernel)), problem.hasBias ? floats(problem.middle, -3...3) : .absent,
      floats(problem.middle, 0.001...0.01),
    ]
    let middleRange = IntegerRange(scale: 0.3, zeroPoint: -11, lowest: -11)
    let expansion = QuantizedConvolution(
      problem.expansion, input: IntegerRange(scale: 0.05, zeroPoint: -7), output: .quantized(middleRange))
    let depthwise = QuantizedConvolution(
      problem.depthwise, input: middleRange, output: isQuantized ? .quantized(IntegerRange(scale: 0.7, zeroPoint: 5)) : .real(.relu))
    let middle = try runTensorOperator(expansion, [.tensor(x)] + first)
    let expected = try runTensorOperator(depthwise, [.tensor(middle)] + second)
    #expect(Set(middle.elements(as: Int8.self)).count >= 3)
    let op = QuantizedExpandedDepthwise(expansion: expansion, depthwise: depthwise)
    for threads in 1...3 {
      expectEqual(try runTensorOperator(op, [.tensor(x)] + first + second, threads: threads), expected)
    }

    var graph = Graph(name: "block")
    func value(_ operand: TestOperand) -> ValueID? {
      if case .constant(let tensor) = operand { graph.addConstant(Constant(tensor)) } else { nil }
    }
    func add(_ op: QuantizedConvolution, _ x: ValueID, _ operands: [TestOperand], _ shape: [Int]) -> ValueID {
      graph.addNode(
        op, [x] + operands.map(value), type: .tensor(TensorSignature(TensorType(op.output.dtype, shape))), source: "test")
    }
    let wide = add(expansion, graph.addInput(.tensor(TensorSignature(TensorType(.int8, x.shape)))), first, middle.shape)
    graph.outputs = [add(depthwise, wide, second, expected.shape)]
    try graph.verify()
    let passed = try PassPipeline.standard.run(on: graph)
    let isLarge = middle.shape.reduce(1, *) >= 1 << 20
    #expect(passed.nodes.count == (isLarge ? 1 : 2))
    expectEqual(try runGraph(passed, [x], threads: 2), expected)
  }

  @Test(
    arguments: [(1, 1, 1, 1), (35, 5, 7, 33), (70, 1, 1, 40), (19, 1, 3, 70), (700, 7, 7, 24), (1300, 5, 6, 5), (24, 40, 40, 70)],
    [ProductPrecision.exact, .near, .fast, ProductPrecision(.near, kernels: .tiles), ProductPrecision(.fast, kernels: .portable)])
  func factorsMultiplyTheImage(_ extents: (channels: Int, height: Int, width: Int, outputs: Int), _ precision: ProductPrecision) throws {
    var random = SeededGenerator(seed: 9)
    let plane = extents.height * extents.width
    let shape = [1, extents.channels, extents.height, extents.width]
    let x = random.floats(extents.channels * plane)
    let factors = random.floats(extents.channels)
    let weight = HostTensor(.float32, [extents.outputs, extents.channels, 1, 1], random.floats(extents.outputs * extents.channels))
    let residual = HostTensor(.float32, [1, extents.outputs, extents.height, extents.width], random.floats(extents.outputs * plane))
    let product = HostTensor(.float32, shape, x.indices.map { x[$0] * factors[$0 / plane] })
    let expected = try runTensorOperator(
      Self.pixel, [.tensor(product), .constant(weight), .absent, .tensor(residual)], precision: precision)
    for threads in 1...3 {
      let result = try runTensorOperator(
        Self.pixel,
        [
          .tensor(HostTensor(.float32, shape, x)), .constant(weight), .absent, .tensor(residual),
          .tensor(HostTensor(.float32, [1, extents.channels, 1, 1], factors)),
        ], threads: threads, precision: precision)
      expectEqual(result, expected)
    }
  }

  @Test func factorsOfAnotherShapeAreRefused() throws {
    let x = HostTensor(.float32, [1, 2, 3, 3], [Float](repeating: 1, count: 18))
    let weight = HostTensor(.float32, [2, 2, 1, 1], [Float(1), 1, -1, -1])
    let factors = HostTensor(.float32, [1, 3, 1, 1], [Float(1), 2, 3])
    #expect(throws: (any Error).self) {
      try runTensorOperator(Self.pixel, [.tensor(x), .constant(weight), .absent, .absent, .tensor(factors)])
    }
  }

  @Test(arguments: [(1, [1, 1]), (1, [3, 3]), (4, [3, 2]), (12, [5, 5])])
  func weightsScaledAsTheyArePackedAreTheScaledOnes(_ groups: Int, _ kernel: [Int]) throws {
    var random = SeededGenerator(seed: 13)
    let shape = [groups == 1 ? 37 : 12, 12 / groups] + kernel
    let stored = random.floats(shape.reduce(1, *))
    let factors = random.floats(shape[0])
    let weight = Constant(HostTensor(.float32, shape, stored))
    let each = stored.count / shape[0]
    let products = Constant(HostTensor(.float32, shape, stored.indices.map { stored[$0] * factors[$0 / each] }))
    let constant = Constant(HostTensor(.float32, [factors.count], factors))
    let scaled = Constant(scaling: weight, by: factors, constant: constant, description: "test") { try products.bytes() }
    #expect(scaled.scaling != nil)
    let x = HostTensor(.float32, [1, 12, 9, 10], random.floats(12 * 90))
    let results = try [scaled, products].map { weight in
      var graph = Graph(name: "scaled")
      let type = ValueType.tensor(TensorSignature(TensorType(.float32, x.shape)))
      let op = Convolution(
        stride: [2, 1], padding: [(1, 0), (1, 1)], dilation: [1, 1], outputPadding: [0, 0], groups: groups, dtype: .float32)
      graph.outputs = [
        graph.addNode(
          op, [graph.addInput(type), graph.addConstant(weight)], type: .tensor(TensorSignature(dtype: .float32, dimensions: [])),
          source: "test")
      ]
      return try runGraph(graph, [x]).elements(as: Float.self)
    }
    #expect(results[0] == results[1])
  }

  /// An inverted residual with squeeze and excitation, large enough for both fusions.
  @Test func passesFindExpansionsAndChannelFactors() throws {
    var random = SeededGenerator(seed: 21)
    let (inner, middle, side) = (8, 72, 112)
    var graph = Graph(name: "block")
    func tensor(_ shape: [Int]) -> ValueType { .tensor(TensorSignature(TensorType(.float32, shape))) }
    func weight(_ shape: [Int]) -> ValueID { graph.addConstant(Constant(HostTensor(.float32, shape, random.floats(shape.reduce(1, *))))) }
    let depthwise = Convolution(
      stride: [1, 1], padding: [(1, 1), (1, 1)], dilation: [1, 1], outputPadding: [0, 0], groups: middle, dtype: .float32)
    let x = graph.addInput(tensor([1, inner, side, side]))
    let wide = graph.addNode(Self.pixel, [x, weight([middle, inner, 1, 1])], type: tensor([1, middle, side, side]), source: "expand")
    let image = graph.addNode(depthwise, [wide, weight([middle, 1, 3, 3])], type: tensor([1, middle, side, side]), source: "depthwise")
    let mean = graph.addNode(
      Reduce(.mean, axes: [2, 3], keepsAxes: true, dtype: .float32), [image], type: tensor([1, middle, 1, 1]), source: "squeeze")
    var product = PointwiseProgram()
    let value = product.append(.load(operand: 0, as: .float32))
    product.append(.binary(.mul, value, product.append(.load(operand: 1, as: .float32))))
    let scaled = graph.addNode(
      Pointwise(product, dtype: .float32, label: "mul"), [mean, image], type: tensor([1, middle, side, side]), source: "excite")
    graph.outputs = [
      graph.addNode(Self.pixel, [scaled, weight([inner, middle, 1, 1])], type: tensor([1, inner, side, side]), source: "project")
    ]
    try graph.verify()
    let fused = try PassPipeline.standard.run(on: graph)
    #expect(fused.nodes.map(\.op.name) == ["conv_depthwise", "reduce_mean", "conv"])
    let input = HostTensor(.float32, [1, inner, side, side], random.floats(inner * side * side))
    let expected = try runGraph(graph, [input]).elements(as: Float.self)
    #expect(try runGraph(fused, [input], threads: 1).elements(as: Float.self) == expected)
    #expect(try runGraph(fused, [input], threads: 3).elements(as: Float.self) == expected)
  }

  @Test(arguments: [(5, 9, 10), (33, 30, 31), (70, 56, 56)])
  func meansOfPixelsDoNotDependOnThreads(_ extents: (channels: Int, height: Int, width: Int)) throws {
    var random = SeededGenerator(seed: 3)
    let plane = extents.height * extents.width
    let numbers = random.floats(extents.channels * plane)
    let x = HostTensor(.float32, [1, extents.channels, extents.height, extents.width], numbers)
    let op = Reduce(.mean, axes: [2, 3], keepsAxes: true, dtype: .float32)
    let results = try (1...4).map {
      try runTensorOperator(op, [.laidOut(x, [0, 2, 3, 1])], threads: $0).elements(as: Float.self)
    }
    for other in results { #expect(other == results[0]) }
    for channel in 0..<extents.channels {
      let exact = numbers[channel * plane..<(channel + 1) * plane].reduce(0.0) { $0 + Double($1) } / Double(plane)
      #expect(abs(Double(results[0][channel]) - exact) < 1e-6)
    }
  }
}

/// Equal numbers; the first difference is told rather than all of them.
private func expectEqual(_ result: HostTensor, _ expected: HostTensor, _ location: SourceLocation = #_sourceLocation) {
  #expect(result.shape == expected.shape && result.dtype == expected.dtype, sourceLocation: location)
  let (a, b) = (result.numbers, expected.numbers)
  guard let index = zip(a, b).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset else { return }
  Issue.record("element \(index): \(a[index]), expected \(b[index])", sourceLocation: location)
}
