import Foundation
import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletTesting
import MartletTestSampling
import MartletVocabulary
import Testing

/// Operators with float16 and bfloat16 in and out, whose kernels read and write them where they lie: against float64 on the same
/// rounded operands. Machines without matrix tiles compute in single precision and meet the same bounds.
@Suite struct HalfPrecisionTests {
  static let types: [DType] = [.float16, .bfloat16]
  static let policies: [ProductPrecision] = [
    .exact, ProductPrecision(.exact, kernels: .tiles), ProductPrecision(.exact, kernels: .portable),
    ProductPrecision(.fast, kernels: .tiles),
  ]

  /// A tensor of random numbers and what they are after rounding.
  private func random(_ dtype: DType, _ shape: [Int], _ random: inout SeededGenerator) -> (tensor: HostTensor, values: [Float]) {
    var bits: [UInt16] = []
    var values: [Float] = []
    for value in random.floats(shape.reduce(1, *)) {
      if dtype == .float16 {
        bits.append(Float16(value).bitPattern)
        values.append(Float(Float16(value)))
      } else {
        bits.append(UInt16(truncatingIfNeeded: value.bitPattern >> 16))
        values.append(Float(bitPattern: (value.bitPattern >> 16) << 16))
      }
    }
    return (HostTensor(dtype, shape, bits), values)
  }

  private func values(_ tensor: HostTensor) -> [Double] {
    switch tensor.dtype {
    case .float16: tensor.elements(as: UInt16.self).map { Double(Float16(bitPattern: $0)) }
    case .bfloat16: tensor.elements(as: UInt16.self).map { Double(Float(bitPattern: UInt32($0) << 16)) }
    default: tensor.elements(as: Float.self).map(Double.init)
    }
  }

  /// Half a unit in the last place for the result, and what the policy allows of the products' magnitudes.
  private func expectClose(
    _ actual: HostTensor, _ expected: [Double], magnitudes: [Double], _ dtype: DType, _ policy: ProductPrecision,
    isTransformed: Bool = false, _ comment: String
  ) {
    #expect(actual.dtype == dtype)
    let found = values(actual)
    #expect(found.count == expected.count)
    let rounding = dtype == .float16 ? 0x1.01p-11 : 0x1.01p-8
    let share = PrecisionTests.bound(policy, isTransformed: isTransformed)
    for (index, value) in found.enumerated() where index < expected.count {
      let error = abs(value - expected[index])
      if !(error <= rounding * abs(expected[index]) + share * magnitudes[index] + 0x1p-24) {
        Issue.record("element \(index): \(value), expected \(expected[index]); \(comment)")
        return
      }
    }
  }

  static let convolutions =
    ConvolutionTests.problems.filter { $0.kernel.count < 3 } + [
      ConvolutionProblem(input: [1, 3, 33, 47], kernel: [7, 7], channels: 33, stride: [2, 2], padding: [3, 3], dilation: [1, 1]),
      // Rows of inputs that are no whole steps, also in the last tile.
      ConvolutionProblem(input: [1, 72, 5, 13], kernel: [1, 1], channels: 24, stride: [1, 1], padding: [0, 0], dilation: [1, 1]),
      ConvolutionProblem(input: [1, 48, 8, 8], kernel: [1, 1], channels: 65, stride: [1, 1], padding: [0, 0], dilation: [1, 1]),
      ConvolutionProblem(input: [1, 17, 33, 16], kernel: [1, 1], channels: 16, stride: [1, 1], padding: [0, 0], dilation: [1, 1]),
      ConvolutionProblem(input: [2, 40, 1, 1], kernel: [1, 1], channels: 7, stride: [1, 1], padding: [0, 0], dilation: [1, 1]),
      ConvolutionProblem(input: [1, 16, 20, 21], kernel: [3, 3], channels: 16, stride: [1, 1], padding: [1, 1], dilation: [1, 1]),
      ConvolutionProblem(
        input: [1, 37, 11, 10], kernel: [3, 3], channels: 37, stride: [1, 1], padding: [2, 2], dilation: [2, 2], groups: 37),
    ]

  @Test(arguments: convolutions, types)
  func convolutionsRoundOnce(_ problem: ConvolutionProblem, _ dtype: DType) throws {
    var generator = SeededGenerator(seed: UInt64(problem.testDescription.utf8.reduce(29) { $0 &* 31 &+ Int($1) }.magnitude))
    let x = random(dtype, problem.input, &generator)
    let weight = random(dtype, problem.weightShape, &generator)
    let bias = random(dtype, [problem.channels], &generator)
    let (shape, plain, sizes) = ConvolutionTests.reference(problem, x.values, weight.values, bias.values)
    let residual = random(dtype, shape, &generator)
    var operation = problem.operation
    operation.dtype = dtype
    operation.activation = .clamp(-1, 2)
    let order = Shape.channelsLastOrder(rank: shape.count)
    let operands: [TestOperand] = [
      .laidOut(x.tensor, order), .constant(weight.tensor), .constant(bias.tensor), .laidOut(residual.tensor, order),
    ]
    let expected = zip(plain, residual.values).map { min(max($0 + Double($1), -1), 2) }
    let magnitudes = zip(sizes, residual.values).map { $0 + Double(abs($1)) }
    for policy in inDebug([Self.policies[0], Self.policies[3]], otherwise: Self.policies) {
      let result = try runTensorOperator(operation, operands, precision: policy)
      #expect(result.shape == shape)
      expectClose(
        result, expected, magnitudes: magnitudes, dtype, policy, isTransformed: problem.isTransformable,
        "\(problem.testDescription) \(policy)")
    }
  }

  /// An image times a factor for each channel, in a program of its own and as the convolution after it reads.
  @Test(arguments: types) func factorsOfChannelsMoveIntoProducts(_ dtype: DType) throws {
    for (channels, height, width, outputs) in [(1, 1, 1, 1), (16, 5, 7, 24), (37, 9, 6, 70), (96, 14, 14, 40)] {
      var generator = SeededGenerator(seed: UInt64(channels + outputs))
      let plane = height * width
      let image = random(dtype, [1, channels, height, width], &generator)
      let factors = random(dtype, [1, channels, 1, 1], &generator)
      let weight = random(dtype, [outputs, channels, 1, 1], &generator)
      func type(_ shape: [Int]) -> ValueType { .tensor(TensorSignature(TensorType(dtype, shape))) }
      var graph = Graph(name: "excite")
      let operands = [graph.addInput(type([1, channels, height, width])), graph.addInput(type([1, channels, 1, 1]))]
      var product = PointwiseProgram()
      let x = product.append(.load(operand: 0, as: .float32))
      product.append(.binary(.mul, x, product.append(.load(operand: 1, as: .float32))))
      let scaled = graph.addNode(
        Pointwise(product, dtype: dtype, label: "mul"), operands, type: type([1, channels, height, width]), source: "mul")
      let convolution = Convolution(
        stride: [1, 1], padding: [(0, 0), (0, 0)], dilation: [1, 1], outputPadding: [0, 0], groups: 1, dtype: dtype)
      graph.outputs = [
        graph.addNode(
          convolution, [scaled, graph.addConstant(Constant(weight.tensor))], type: type([1, outputs, height, width]), source: "project")
      ]
      try graph.verify()
      let fused = try PassPipeline.standard.run(on: graph)
      #expect(fused.nodes.map(\.op.name) == ["conv"])
      var (expected, magnitudes): ([Double], [Double]) = ([], [])
      for output in 0..<outputs {
        for pixel in 0..<plane {
          let terms = (0..<channels).map { channel in
            Double(image.values[channel * plane + pixel]) * Double(factors.values[channel])
              * Double(weight.values[output * channels + channel])
          }
          expected.append(terms.reduce(0, +))
          magnitudes.append(terms.reduce(0) { $0 + abs($1) })
        }
      }
      // A product that is stored first is rounded once more.
      let half = dtype == .float16 ? 0x1p-11 : 0x1p-8
      let results = [try runGraph(fused, [image.tensor, factors.tensor]), try runGraph(graph, [image.tensor, factors.tensor])]
      for (result, share) in zip(results, [dtype == .float16 ? 3e-5 : half, half]) {
        let worst = zip(values(result), expected).enumerated().map { index, pair in
          abs(pair.0 - pair.1) - 1.01 * half * abs(pair.1) - 1.01 * share * magnitudes[index]
        }.max()
        #expect(worst ?? 1 <= 0x1p-24, "\(channels) channels to \(outputs)")
      }
    }
  }

  @Test(arguments: PrecisionTests.extents, types)
  func productsRoundOnce(_ extent: (Int, Int, Int), _ dtype: DType) throws {
    let (m, k, n) = extent
    var generator = SeededGenerator(seed: UInt64(m * 1000 + k * 100 + n))
    let (a, b) = (random(dtype, [m, k], &generator), random(dtype, [k, n], &generator))
    let (bias, residual) = (random(dtype, [n], &generator), random(dtype, [m, n], &generator))
    var expected: [Double] = []
    var magnitudes: [Double] = []
    for i in 0..<m {
      for j in 0..<n {
        let products = (0..<k).map { Double(a.values[i * k + $0]) * Double(b.values[$0 * n + j]) }
        let addends = [Double(bias.values[j]), Double(residual.values[i * n + j])]
        expected.append(max((products + addends).reduce(0, +), 0))
        magnitudes.append((products + addends).reduce(0) { $0 + abs($1) })
      }
    }
    for policy in Self.policies {
      for right in [TestOperand.constant(b.tensor), .tensor(b.tensor)] {
        let result = try runTensorOperator(
          MatMul(dtype: dtype, activation: .relu), [.tensor(a.tensor), right, .constant(bias.tensor), .tensor(residual.tensor)],
          precision: policy)
        expectClose(result, expected, magnitudes: magnitudes, dtype, policy, "\(extent) \(policy)")
      }
    }
  }

  /// Threads share panels and rows, and convert what they need of A once or several times: the results are the same.
  @Test(arguments: types, [(64, 96, 512), (100, 1700, 64), (197, 40, 70), (5, 64, 300)])
  func productsDoNotDependOnThreads(_ dtype: DType, _ extent: (Int, Int, Int)) throws {
    let (m, k, n) = extent
    var generator = SeededGenerator(seed: UInt64(m + n))
    let (a, b) = (random(dtype, [m, k], &generator), random(dtype, [k, n], &generator))
    func product(threads: Int) throws -> [UInt16] {
      try runTensorOperator(MatMul(dtype: dtype), [.tensor(a.tensor), .constant(b.tensor)], threads: threads).elements(as: UInt16.self)
    }
    let expected = try product(threads: 1)
    for threads in inDebug([2, 5], otherwise: [2, 3, 5]) { #expect(try product(threads: threads) == expected) }
  }

  @Test(arguments: types) func attentionStaysNearSinglePrecision(_ dtype: DType) throws {
    for policy in Self.policies {
      for (queries, keys, depth) in [(2, 9, 8), (5, 1, 8), (37, 53, 33), (70, 300, 40), (64, 64, 64)] {
        for isCausal in [false, true] {
          var generator = SeededGenerator(seed: UInt64(queries * 100 + keys))
          let parts = [queries, keys, keys].map { random(dtype, [1, 2, $0, depth], &generator) }
          let attention = Attention(scale: 0.3, isCausal: isCausal)
          let single = parts.map { TestOperand.tensor(HostTensor(.float32, $0.tensor.shape, $0.values)) }
          let expected = try runTensorOperator(attention, single)
          let result = try runTensorOperator(attention, parts.map { .tensor($0.tensor) }, precision: policy)
          let numbers = values(expected)
          expectClose(
            result, numbers, magnitudes: numbers.map { _ in policy.level == .fast ? 4 : 3 }, dtype, policy,
            "\(queries) queries, \(keys) keys \(policy)")
        }
      }
    }
  }

  /// Scores far from 0, where a score that is rounded to half precision would spoil the weights: their error is that of a product of
  /// pairs, 2^-17 of what is summed, and not that of the type.
  @Test(arguments: types) func largeScoresAreAsExactAsTheirProducts(_ dtype: DType) throws {
    let scale = 50.0
    for (queries, keys, depth) in [(3, 17, 8), (33, 65, 24), (19, 150, 40)] {
      var generator = SeededGenerator(seed: UInt64(queries + keys))
      let parts = [queries, keys, keys].map { random(dtype, [1, 2, $0, depth], &generator) }
      let (q, k, v) = (parts[0].values, parts[1].values, parts[2].values)
      var (expected, allowed): ([Double], [Double]) = ([], [])
      for row in 0..<2 * queries {
        let head = row / queries
        var (scores, largest) = ([Double](), 0.0)
        for key in 0..<keys {
          let products = (0..<depth).map { Double(q[row * depth + $0]) * Double(k[(head * keys + key) * depth + $0]) * scale }
          scores.append(products.reduce(0, +))
          largest = max(largest, products.reduce(0) { $0 + abs($1) })
        }
        let highest = scores.max() ?? 0
        let weights = scores.map { exp($0 - highest) }
        let sum = weights.reduce(0, +)
        for column in 0..<depth {
          let terms = (0..<keys).map { weights[$0] / sum * Double(v[(head * keys + $0) * depth + column]) }
          expected.append(terms.reduce(0, +))
          allowed.append(terms.reduce(0) { $0 + abs($1) } * (2 * largest * 0x1p-17 + 0x1p-15))
        }
      }
      let attention = Attention(scale: scale)
      let rounding = dtype == .float16 ? 0x1.01p-11 : 0x1.01p-8
      for policy in Self.policies where policy.level == .exact {
        let result = values(try runTensorOperator(attention, parts.map { .tensor($0.tensor) }, precision: policy))
        #expect(result.count == expected.count)
        let first = zip(result, expected).enumerated().first { index, pair in
          !(abs(pair.0 - pair.1) <= rounding * abs(pair.1) + allowed[index] + 0x1p-24)
        }
        #expect(first == nil, "\(queries) queries, \(keys) keys \(policy)")
      }
    }
  }

  @Test(arguments: types) func poolingAndMeansRoundOnce(_ dtype: DType) throws {
    var generator = SeededGenerator(seed: 11)
    for (channels, height, width) in [(3, 7, 5), (37, 9, 8), (130, 6, 7)] {
      let x = random(dtype, [2, channels, height, width], &generator)
      let single = HostTensor(.float32, x.tensor.shape, x.values)
      let order = Shape.channelsLastOrder(rank: 4)
      for reduction in [PoolReduction.maximum, .average(countsPadding: true, divisor: nil)] {
        let pool = Pool(
          .sliding(kernel: [3, 2], stride: [2, 2], before: [1, 0], after: [1, 0], dilation: [1, 1], ceil: false), reduction: reduction)
        let expected = values(try runTensorOperator(pool, [.laidOut(single, order)]))
        let result = try runTensorOperator(pool, [.laidOut(x.tensor, order)])
        expectClose(result, expected, magnitudes: expected.map { _ in 0.01 }, dtype, .exact, "\(reduction) of \(channels) channels")
      }
      for keeps in [false, true] {
        let expected = values(
          try runTensorOperator(Reduce(.mean, axes: [2, 3], keepsAxes: keeps, dtype: .float32), [.laidOut(single, order)]))
        for stored in [dtype, .float32] {
          let mean = Reduce(.mean, axes: [-1, -2], keepsAxes: keeps, dtype: stored)
          let result = try runTensorOperator(mean, [.laidOut(x.tensor, order)])
          expectClose(result, expected, magnitudes: expected.map { _ in 0.01 }, stored, .exact, "mean of \(channels) channels")
        }
      }
    }
  }

  @Test(arguments: types) func layerNormRoundsOnce(_ dtype: DType) throws {
    var generator = SeededGenerator(seed: 12)
    for (rows, count) in [(1, 1), (5, 37), (33, 192), (3, 4099)] {
      let x = random(dtype, [rows, count], &generator)
      let (gamma, beta) = (random(dtype, [count], &generator), random(dtype, [count], &generator))
      let norm = LayerNorm(axisCount: 1, epsilon: 1e-5)
      let single = [x, gamma, beta].map { HostTensor(.float32, $0.tensor.shape, $0.values) }
      let expected = values(try runTensorOperator(norm, single.map { .tensor($0) }))
      let result = try runTensorOperator(norm, [.tensor(x.tensor), .constant(gamma.tensor), .constant(beta.tensor)])
      expectClose(result, expected, magnitudes: expected.map { _ in 1 }, dtype, .exact, "\(rows) rows of \(count)")
    }
  }
}
