import Foundation
import MartletKernels
import MartletOps
import MartletTensor
import MartletTesting
import MartletTestSampling
import MartletVocabulary
import Testing

/// Products under the policies `near` and `fast`, whose kernels are forced here so that small problems use them too; machines
/// without units for bfloat16 run them in single precision, which meets every bound.
@Suite struct PrecisionTests {
  static let policies: [ProductPrecision] = [
    ProductPrecision(.near, kernels: .tiles), ProductPrecision(.near, kernels: .portable),
    ProductPrecision(.fast, kernels: .tiles), ProductPrecision(.fast, kernels: .portable),
  ]

  /// Largest error, relative to the sum of the products' magnitudes.
  static func bound(_ policy: ProductPrecision, isTransformed: Bool = false) -> Double {
    policy.level == .fast ? (isTransformed ? 16e-3 : 8e-3) : 3e-5
  }

  private func expectClose(
    _ actual: [Float], _ expected: [Double], magnitudes: [Double], _ policy: ProductPrecision, isTransformed: Bool = false,
    _ comment: Comment
  ) {
    #expect(actual.count == expected.count)
    for (index, value) in actual.enumerated() {
      let error = abs(Double(value) - expected[index])
      if !(error <= Self.bound(policy, isTransformed: isTransformed) * magnitudes[index] + 1e-30) {
        Issue.record("element \(index): \(value), expected \(expected[index]); \(comment)")
        return
      }
    }
  }

  static let extents = [
    (1, 1, 1), (3, 0, 2), (5, 7, 9), (14, 32, 32), (33, 33, 65), (29, 17, 31), (49, 130, 40), (70, 64, 100), (600, 31, 3),
  ]

  @Test(arguments: extents, policies)
  func productsStayWithinTheirBound(_ extent: (Int, Int, Int), _ policy: ProductPrecision) throws {
    let (m, k, n) = extent
    var random = SeededGenerator(seed: UInt64(m * 1000 + k * 100 + n))
    let (a, b, bias) = (random.floats(m * k), random.floats(k * n), random.floats(n))
    var expected: [Double] = []
    var magnitudes: [Double] = []
    for i in 0..<m {
      for j in 0..<n {
        let products = (0..<k).map { Double(a[i * k + $0]) * Double(b[$0 * n + j]) }
        expected.append(products.reduce(Double(bias[j]), +))
        magnitudes.append(products.reduce(abs(Double(bias[j]))) { $0 + abs($1) })
      }
    }
    let left = HostTensor(.float32, [m, k], a)
    let right = HostTensor(.float32, [k, n], b)
    let biases = TestOperand.constant(HostTensor(.float32, [n], bias))
    for side in [TestOperand.constant(right), .laidOutConstant(right, [1, 0]), .tensor(right), .laidOut(right, [1, 0])] {
      for leftSide in [TestOperand.tensor(left), .laidOut(left, [1, 0])] {
        let result = try runTensorOperator(MatMul(dtype: .float32), [leftSide, side, biases], precision: policy)
        expectClose(result.elements(), expected, magnitudes: magnitudes, policy, "\(extent)")
      }
    }
  }

  static let convolutions =
    ConvolutionTests.problems + [
      ConvolutionProblem(input: [1, 3, 33, 47], kernel: [7, 7], channels: 33, stride: [2, 2], padding: [3, 3], dilation: [1, 1]),
      ConvolutionProblem(input: [2, 33, 14, 14], kernel: [3, 3], channels: 40, stride: [2, 2], padding: [1, 1], dilation: [1, 1]),
      ConvolutionProblem(input: [1, 40, 15, 13], kernel: [3, 5], channels: 20, stride: [3, 2], padding: [2, 1], dilation: [1, 2]),
      ConvolutionProblem(
        input: [1, 64, 7, 7], kernel: [3, 3], channels: 32, stride: [1, 1], padding: [1, 1], dilation: [1, 1], groups: 2),
      ConvolutionProblem(input: [1, 8, 70, 71], kernel: [3, 3], channels: 4, stride: [1, 1], padding: [30, 30], dilation: [30, 30]),
      // Winograd's, with vectors.
      ConvolutionProblem(input: [1, 32, 28, 27], kernel: [3, 3], channels: 40, stride: [1, 1], padding: [1, 1], dilation: [1, 1]),
      ConvolutionProblem(input: [2, 66, 9, 30], kernel: [3, 3], channels: 64, stride: [1, 1], padding: [0, 2], dilation: [1, 1]),
    ]

  @Test(arguments: convolutions, [true, false])
  func convolutionsStayWithinTheirBound(_ problem: ConvolutionProblem, _ isChannelsLast: Bool) throws {
    var random = SeededGenerator(seed: UInt64(problem.testDescription.utf8.reduce(17) { $0 &* 31 &+ Int($1) }.magnitude))
    let (x, weight) = (random.floats(problem.input.reduce(1, *)), random.floats(problem.weightShape.reduce(1, *)))
    let bias = random.floats(problem.channels)
    let (shape, expected, magnitudes) = ConvolutionTests.reference(problem, x, weight, bias)
    let input = HostTensor(.float32, problem.input, x)
    let image = isChannelsLast ? TestOperand.laidOut(input, Shape.channelsLastOrder(rank: input.shape.count)) : .tensor(input)
    let operands = [
      image, .constant(HostTensor(.float32, problem.weightShape, weight)), .constant(HostTensor(.float32, [problem.channels], bias)),
    ]
    for policy in inDebug([Self.policies[0], Self.policies[3]], otherwise: Self.policies) {
      let result = try runTensorOperator(problem.operation, operands, precision: policy)
      #expect(result.shape == shape)
      expectClose(
        result.elements(), expected, magnitudes: magnitudes, policy, isTransformed: problem.isTransformable,
        "\(problem.testDescription) \(policy)")
    }
  }

  /// The errors of a network's convolutions add up as those of independent values do.
  @Test(arguments: [14, 30]) func networksOfTransformedConvolutionsStayNearSinglePrecision(side: Int) throws {
    let (channels, depth) = (64, 8)
    var random = SeededGenerator(seed: UInt64(side))
    let image = HostTensor(.float32, [1, channels, side, side], random.floats(channels * side * side))
    var convolution = Convolution(
      stride: [1, 1], padding: [(1, 1), (1, 1)], dilation: [1, 1], isTransposed: false, outputPadding: [0, 0], groups: 1, dtype: .float32)
    convolution.activation = .relu
    // Rectified results keep their size: the variance of a weight is 2 / (9 * channels), that of a uniform number 1 / 3.
    let size = (6 / Float(9 * channels)).squareRoot()
    let weights = (0..<depth).map { _ in
      HostTensor(.float32, [channels, channels, 3, 3], random.floats(9 * channels * channels).map { $0 * size })
    }
    func run(_ policy: ProductPrecision) throws -> [Float] {
      try weights.reduce(image) { x, weight in
        try runTensorOperator(convolution, [.tensor(x), .constant(weight), .absent], precision: policy)
      }.elements()
    }
    let (exact, fast) = (try run(.exact), try run(ProductPrecision(.fast, kernels: .tiles)))
    let error = zip(exact, fast).reduce(0.0) { $0 + pow(Double($1.0 - $1.1), 2) }
    let magnitude = exact.reduce(0.0) { $0 + pow(Double($1), 2) }
    #expect((error / magnitude).squareRoot() <= 0.015 * Double(depth).squareRoot())
  }

  @Test(arguments: policies) func attentionStaysNearSinglePrecision(_ policy: ProductPrecision) throws {
    for (queries, keys, depth) in [(5, 1, 8), (37, 53, 33), (70, 300, 40), (64, 64, 64)] {
      for isCausal in [false, true] {
        var random = SeededGenerator(seed: UInt64(queries * 100 + keys))
        func operand(_ rows: Int) -> TestOperand { .tensor(HostTensor(.float32, [1, 2, rows, depth], random.floats(2 * rows * depth))) }
        let operands = [operand(queries), operand(keys), operand(keys)]
        let attention = Attention(scale: 0.3, isCausal: isCausal)
        let expected = try runTensorOperator(attention, operands).elements(as: Float.self)
        let result = try runTensorOperator(attention, operands, precision: policy).elements(as: Float.self)
        let worst = zip(result, expected).map { abs($0 - $1) }.max() ?? 0
        #expect(worst <= (policy.level == .fast ? 3e-2 : 1e-4), "\(queries) queries, \(keys) keys")
      }
    }
  }

  @Test(arguments: policies) func bitsDoNotDependOnTheNumberOfThreads(_ policy: ProductPrecision) throws {
    var random = SeededGenerator(seed: 3)
    let images = inDebug(1, otherwise: 2)
    let image = HostTensor(.float32, [images, 40, 29, 31], random.floats(images * 40 * 29 * 31))
    let weight = HostTensor(.float32, [70, 40, 3, 3], random.floats(70 * 360))
    let convolution = Convolution(
      stride: [1, 1], padding: [(1, 1), (1, 1)], dilation: [1, 1], isTransposed: false, outputPadding: [0, 0], groups: 1, dtype: .float32)
    let matrix = HostTensor(.float32, [150, 200], random.floats(30_000))
    let right = HostTensor(.float32, [200, 170], random.floats(34_000))
    var previous: [[Float]]?
    for threads in inDebug([1, 3], otherwise: [1, 2, 3]) {
      let results = [
        try runTensorOperator(convolution, [.tensor(image), .constant(weight), .absent], threads: threads, precision: policy),
        try runTensorOperator(MatMul(dtype: .float32), [.tensor(matrix), .constant(right)], threads: threads, precision: policy),
        try runTensorOperator(MatMul(dtype: .float32), [.tensor(matrix), .tensor(right)], threads: threads, precision: policy),
      ].map { $0.elements(as: Float.self) }
      if let previous { #expect(previous == results) }
      previous = results
    }
  }

  /// Every float16 number is the sum of two bfloat16 numbers, so a product with the unit matrix gives it back.
  @Test(arguments: [ProductPrecision.Kernels.tiles, .portable])
  func pairsHoldEveryBitOfFloat16(_ kernels: ProductPrecision.Kernels) throws {
    // Finite ones, subnormals included.
    let bits = (UInt16(0)..<0x7c00).flatMap { [$0, $0 | 0x8000] }
    let n = 32
    let left = HostTensor(.float16, [bits.count / n, n], bits)
    let unit = HostTensor(.float16, [n, n], (0..<n * n).map { $0 / n == $0 % n ? UInt16(0x3c00) : 0 })
    let result = try runTensorOperator(
      MatMul(dtype: .float32), [.tensor(left), .constant(unit)], precision: ProductPrecision(.exact, kernels: kernels))
    #expect(result.elements(as: Float.self) == bits.map { Float(Float16(bitPattern: $0)) })
  }

  /// The same for constant right sides, which are packed as float16 numbers. Of one row, tiles have little to do.
  @Test(arguments: [ProductPrecision.Kernels.tiles, .portable, .tilesThatGain], [1, 2, 31, 32])
  func productsHoldEveryBitOfFloat16Weights(_ kernels: ProductPrecision.Kernels, _ rows: Int) throws {
    let bits = (UInt16(0)..<0x7c00).flatMap { [$0, $0 | 0x8000] }
    let right = HostTensor(.float16, [rows, bits.count / rows], Array(bits[..<(bits.count / rows * rows)]))
    let unit = HostTensor(.float16, [rows, rows], (0..<rows * rows).map { $0 / rows == $0 % rows ? UInt16(0x3c00) : 0 })
    for side in [TestOperand.constant(right), .laidOutConstant(right, [1, 0])] {
      let result = try runTensorOperator(
        MatMul(dtype: .float32), [.tensor(unit), side], precision: ProductPrecision(.exact, kernels: kernels))
      #expect(result.elements(as: Float.self) == right.elements(as: UInt16.self).map { Float(Float16(bitPattern: $0)) })
    }
  }

  /// Rows and steps for which split weights are kept for a panel, for a step, and not made at all.
  static let halfProducts = [
    (1, 40, 33), (2, 700, 70), (3, 288, 65), (16, 257, 40), (33, 320, 64), (49, 600, 129), (65, 300, 47), (130, 1000, 32), (600, 90, 31),
  ]

  @Test(arguments: halfProducts) func constantFloat16WeightsLoseNoBits(_ extent: (Int, Int, Int)) throws {
    let (m, k, n) = extent
    var random = SeededGenerator(seed: UInt64(m * 1000 + k * 100 + n))
    let (a, b) = (random.floats(m * k).map { Float16($0) }, random.floats(k * n).map { Float16($0) })
    let left = HostTensor(.float16, [m, k], a.map(\.bitPattern))
    let right = HostTensor(.float16, [k, n], b.map(\.bitPattern))
    let (rows, columns) = (a.map(Double.init), b.map(Double.init))
    var (expected, magnitudes) = ([Double](repeating: 0, count: m * n), [Double](repeating: 0, count: m * n))
    for i in 0..<m {
      for step in 0..<k {
        for j in 0..<n {
          let product = rows[i * k + step] * columns[step * n + j]
          expected[i * n + j] += product
          magnitudes[i * n + j] += abs(product)
        }
      }
    }
    for kernels in [ProductPrecision.Kernels.tiles, .portable, .tilesThatGain] {
      var previous: [Float]?
      for threads in [1, 2, 3] {
        let result = try runTensorOperator(
          MatMul(dtype: .float32), [.tensor(left), .constant(right)], threads: threads,
          precision: ProductPrecision(.exact, kernels: kernels)
        ).elements(as: Float.self)
        if let previous { #expect(previous == result, "\(threads) threads") }
        previous = result
      }
      for (index, value) in (previous ?? []).enumerated() {
        let error = abs(Double(value) - expected[index])
        if !(error <= 8e-6 * magnitudes[index]) {
          Issue.record("element \(index): off by \(error) of \(magnitudes[index]); \(extent) \(kernels)")
          break
        }
      }
      #expect(previous?.count == m * n)
    }
  }

  @Test func vectorsTakeSingleNumbersOfBFloat16Alone() {
    guard BFloat16Unit.current == .vectors else { return }
    #expect(ProductArithmetic(.fast, .float32, .float32) == .bfloat16)
    #expect(ProductArithmetic(.exact, .bfloat16, .bfloat16) == .bfloat16)
    #expect(ProductArithmetic(.near, .float32, .float32) == .single)
    #expect(ProductArithmetic(.exact, .float16, .float16) == .single)
  }

  /// Images for which fewer products do not pay stay direct, and the number of channels is even.
  @Test func winogradOfVectorsIsChosenWhereItIsFaster() {
    guard BFloat16Unit.current == .vectors else { return }
    func method(_ size: Int, _ inputs: Int, _ outputs: Int) -> ConvolutionMethod {
      ConvolutionMethod.fastestOfVectors(images: 1, height: size, width: size, inputChannels: inputs, outputChannels: outputs).method
    }
    #expect(method(56, 64, 64) == .winograd(side: 4))
    // By costs that were measured on x86-64 alone.
    #if arch(x86_64)
      #expect(method(14, 256, 256) == .winograd(side: 4))
      // Reading the weights takes longer than the products.
      #expect(method(7, 512, 512) == .winograd(side: 2))
    #endif
    #expect(method(28, 129, 128) == .direct)
    #expect(method(224, 8, 16) == .direct)
  }

  @Test func exactProductsOfFloat32StayInSinglePrecision() {
    #expect(ProductArithmetic(.exact, .float32, .float32) == .single)
    #expect(ProductArithmetic(.exact, .float16, .float32) == .single)
  }
}
