import MartletKernels
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

/// A 3 × 3 convolution with stride 1 of channels-last images.
struct WinogradProblem: CustomTestStringConvertible, Sendable {
  var images = 1
  var height: Int
  var width: Int
  var channels: Int
  var outputs: Int
  var padding = 1
  var activation = Activation.none
  var hasResidual = false

  var testDescription: String {
    "\(images)x\(height)x\(width)x\(channels) to \(outputs) p\(padding) \(activation)\(hasResidual ? " + residual" : "")"
  }

  var outputHeight: Int { height + 2 * padding - 2 }
  var outputWidth: Int { width + 2 * padding - 2 }
}

@Suite struct WinogradTests {
  static let shapes = [
    WinogradProblem(height: 1, width: 2, channels: 1, outputs: 1),
    WinogradProblem(height: 7, width: 9, channels: 3, outputs: 5),
    WinogradProblem(images: 2, height: 8, width: 8, channels: 16, outputs: 16, activation: .relu),
    WinogradProblem(height: 13, width: 11, channels: 20, outputs: 40, padding: 0, hasResidual: true),
    WinogradProblem(height: 5, width: 5, channels: 33, outputs: 17, activation: Activation(.silu), hasResidual: true),
    WinogradProblem(height: 6, width: 30, channels: 9, outputs: 70, padding: 2, activation: Activation(.hardswish)),
    WinogradProblem(images: 3, height: 3, width: 4, channels: 8, outputs: 33, activation: Activation(.leakyRelu, low: 0.1)),
  ]

  @Test(arguments: shapes, [2, 4]) func everyShapeGivesTheDefinitionsResult(_ problem: WinogradProblem, side: Int) throws {
    let data = WinogradData(problem, seed: 3)
    let result = try data.run(.winograd(side: side), threads: 1)
    for (index, expected) in data.expected().enumerated() {
      let error = abs(Double(result[index]) - expected.value)
      guard error <= 4e-6 * (1 + expected.magnitude) else {
        Issue.record("element \(index): \(result[index]), expected \(expected.value)")
        return
      }
    }
  }

  /// The bound of the exact policy, over channel counts that the method is chosen for.
  @Test(arguments: [(16, 20, 16), (24, 18, 12), (40, 14, 16), (96, 12, 16)], [2, 4])
  func errorStaysWithinFourTimesTheDirectOne(_ extents: (channels: Int, side: Int, outputs: Int), side: Int) throws {
    let problem = WinogradProblem(
      height: extents.side, width: extents.side, channels: extents.channels, outputs: extents.outputs)
    var data = WinogradData(problem, seed: 11)
    data.weight = data.weight.map { Float(Float16($0)) }
    let expected = data.expected()
    func error(_ method: ConvolutionMethod, _ arithmetic: ProductArithmetic = .single) throws -> Double {
      let result = try data.run(method, threads: 1, arithmetic: arithmetic)
      return zip(result, expected).reduce(0) {
        let error = (Double($1.0) - $1.1.value) / $1.1.magnitude
        return $0 + error * error
      }.squareRoot()
    }
    let (winograd, direct) = (try error(.winograd(side: side)), try error(.direct))
    #expect(winograd <= 4 * direct)
    // float16 weights are transformed in single precision whenever they are used.
    #expect(try error(.winograd(side: side), .singleOfHalves) <= 4 * direct)
  }

  /// float16 weights have slightly larger errors: they are transformed in single precision.
  @Test(arguments: shapes, [2, 4]) func weightsOfHalvesGiveTheDefinitionsResult(_ problem: WinogradProblem, side: Int) throws {
    var data = WinogradData(problem, seed: 4)
    data.weight = data.weight.map { Float(Float16($0)) }
    let result = try data.run(.winograd(side: side), threads: 2, arithmetic: .singleOfHalves)
    for (index, expected) in data.expected().enumerated() {
      let error = abs(Double(result[index]) - expected.value)
      guard error <= 6e-6 * (1 + expected.magnitude) else {
        Issue.record("element \(index): \(result[index]), expected \(expected.value)")
        return
      }
    }
  }

  @Test(arguments: [2, 4]) func resultsDoNotDependOnTheNumberOfThreads(side: Int) throws {
    let data = WinogradData(WinogradProblem(images: 2, height: 21, width: 18, channels: 24, outputs: 72), seed: 5)
    let alone = try data.run(.winograd(side: side), threads: 1)
    for threads in [2, 3] {
      let together = try data.run(.winograd(side: side), threads: threads)
      #expect(alone.map(\.bitPattern) == together.map(\.bitPattern))
    }
  }

  private func method(_ extent: Int, _ inputs: Int, _ outputs: Int, _ costs: KernelCosts) -> ConvolutionMethod {
    ConvolutionMethod(images: 1, height: extent, width: extent, inputChannels: inputs, outputChannels: outputs, costs: costs)
  }

  /// float16 weights are transformed in each call, which pays where the float32 ones would take much memory.
  @Test func largeWeightsOfHalvesStayHalves() {
    func choice(_ extent: Int, _ inputs: Int, _ outputs: Int) -> (method: ConvolutionMethod, keepsHalves: Bool, nanoseconds: Double?) {
      ConvolutionMethod.fastest(
        images: 1, height: extent, width: extent, inputChannels: inputs, outputChannels: outputs, areHalves: true, costs: .avx512)
    }
    let (many, few, narrow) = (choice(56, 64, 64), choice(7, 512, 512), choice(56, 8, 64))
    #expect(many.method == .winograd(side: 4) && !many.keepsHalves)
    #expect(few.method == .winograd(side: 4) && few.keepsHalves)
    #expect(narrow.method == .direct && narrow.keepsHalves)
  }

  @Test func fewChannelsAndDeepSmallImagesStayDirectWhereMemoryIsSlow() {
    #expect(method(224, 3, 64, .tiles) == .direct)
    #expect(method(7, 512, 512, .tiles) == .direct)
    #expect(method(14, 256, 256, .tiles) == .winograd(side: 2))
    #expect(method(56, 64, 64, .tiles) == .winograd(side: 4))
  }

  /// The methods that were fastest when the rows of the table were measured.
  @Test(arguments: [KernelCosts.avx2, .avx512]) func measuredCostsGiveTheFastestMethod(costs: KernelCosts) {
    #expect(method(224, 3, 64, costs) == .direct)
    #expect(method(56, 64, 64, costs) == .winograd(side: 4))
    #expect(method(14, 256, 256, costs) == .winograd(side: 4))
    #expect(method(28, 96, 16, costs) == .winograd(side: 4))
    // Tiles of 4 may be faster, but have four times the weights.
    #expect(method(7, 512, 512, costs) == .winograd(side: 2))
  }

  @Test func memoryHasItsPrice() {
    var costs = KernelCosts.avx2
    costs.memory = 10
    #expect(method(7, 512, 512, costs) == .direct)
    costs.memory = 0
    #expect(method(7, 512, 512, costs) != .direct)
  }
}

/// Operands of a problem.
struct WinogradData {
  var problem: WinogradProblem
  var x: [Float]
  /// [output][input][3][3].
  var weight: [Float]
  var bias: [Float]
  var residual: [Float]

  init(_ problem: WinogradProblem, seed: UInt64) {
    self.problem = problem
    var random = SeededGenerator(seed: seed)
    x = random.floats(problem.images * problem.height * problem.width * problem.channels)
    weight = random.floats(problem.outputs * problem.channels * 9)
    bias = random.floats(problem.outputs)
    residual = random.floats(problem.images * problem.outputHeight * problem.outputWidth * problem.outputs)
  }

  /// Results in double precision, and the root of the sum of a result's squared products.
  func expected() -> [(value: Double, magnitude: Double)] {
    let p = problem
    var list: [(value: Double, magnitude: Double)] = []
    list.reserveCapacity(residual.count)
    for image in 0..<p.images {
      for y in 0..<p.outputHeight {
        for x in 0..<p.outputWidth {
          for output in 0..<p.outputs { list.append(expected(image, y, x, output, residual: Double(residual[list.count]))) }
        }
      }
    }
    return list
  }

  private func expected(_ image: Int, _ y: Int, _ x: Int, _ output: Int, residual: Double) -> (value: Double, magnitude: Double) {
    let p = problem
    var (sum, squares) = (Double(bias[output]), 0.0)
    for tap in 0..<9 {
      let (row, column) = (y + tap / 3 - p.padding, x + tap % 3 - p.padding)
      guard row >= 0, row < p.height, column >= 0, column < p.width else { continue }
      let pixel = ((image * p.height + row) * p.width + column) * p.channels
      for channel in 0..<p.channels {
        let product = Double(self.x[pixel + channel]) * Double(weight[(output * p.channels + channel) * 9 + tap])
        sum += product
        squares += product * product
      }
    }
    if p.hasResidual { sum += residual }
    let value: Double =
      switch p.activation.kind {
      case .clamp: max(sum, 0)
      case .hardswish: sum * min(max(sum + 3, 0), 6) / 6
      case .leakyRelu: sum > 0 ? sum : sum * Double(p.activation.low)
      case .silu: sum / (1 + Self.exponential(-sum))
      default: sum
      }
    return (value, (squares + 1).squareRoot())
  }

  /// e^x by squaring a short series.
  private static func exponential(_ x: Double) -> Double {
    let small = x / 1024
    var term = 1.0
    var sum = 1.0
    for n in 1...8 {
      term *= small / Double(n)
      sum += term
    }
    for _ in 0..<10 { sum *= sum }
    return sum
  }

  /// Runs the kernel with `method`; results row-major, channels last.
  func run(_ method: ConvolutionMethod, threads: Int, arithmetic: ProductArithmetic = .single) throws -> [Float] {
    let p = problem
    var form = ConvolutionWeights(
      strides: (p.channels * 9, 9, 3, 1), groups: 1, outputChannels: p.outputs, inputChannels: p.channels, kernel: (3, 3))
    form.method = method
    form.arithmetic = arithmetic
    var buffers: [[Float]] = [x, [], [Float](repeating: 0, count: form.packedCount), bias, residual, []]
    unsafe weight.withUnsafeBytes { source in
      unsafe buffers[2].withUnsafeMutableBufferPointer { unsafe form.pack(source.baseAddress!, .float32, into: $0.baseAddress!) }
    }
    buffers[1] = [Float](repeating: .nan, count: residual.count)
    func images(_ buffer: Int, _ height: Int, _ width: Int, _ channels: Int) -> ImageConvolution.Images {
      let strides = [height * width * channels, 1, width * channels, channels]
      let view = TensorView(
        buffer: BufferID(buffer), dtype: .float32, shape: [p.images, channels, height, width], strides: strides)
      return ImageConvolution.Images(view)
    }
    func line(_ buffer: Int) -> TensorView {
      TensorView(buffer: BufferID(buffer), dtype: .float32, shape: [buffers[buffer].count], strides: [1])
    }
    var convolution = ImageConvolution(
      input: images(0, p.height, p.width, p.channels), inputExtents: (p.height, p.width),
      output: images(1, p.outputHeight, p.outputWidth, p.outputs), outputExtents: (p.outputHeight, p.outputWidth), images: p.images,
      inputChannels: p.channels, outputChannels: p.outputs, groups: 1, kernel: (3, 3), stride: (1, 1), dilation: (1, 1),
      padding: (p.padding, p.padding), weights: line(2))
    convolution.bias = line(3)
    convolution.activation = p.activation
    convolution.method = method
    convolution.arithmetic = arithmetic
    if p.hasResidual { convolution.residual = images(4, p.outputHeight, p.outputWidth, p.outputs) }
    var scratch: TensorView?
    let count = convolution.scratch.byteCount(workers: threads) / 4
    if count > 0 {
      buffers[5] = [Float](repeating: .nan, count: count)
      scratch = TensorView(buffer: BufferID(5), dtype: .float32, shape: [count], strides: [1])
    }
    let kernel = convolution.kernel(scratch: scratch)
    var memory: [UnsafeMutablePointer<Float>] = unsafe []
    for values in buffers {
      let copy = UnsafeMutablePointer<Float>.allocate(capacity: max(values.count, 1))
      for (index, value) in values.enumerated() { unsafe copy[index] = value }
      unsafe memory.append(copy)
    }
    defer { unsafe memory.forEach { unsafe $0.deallocate() } }
    var addresses: [UnsafeMutableRawPointer] = unsafe memory.map { UnsafeMutableRawPointer($0) }
    var slots: [UInt64] = [0]
    let pool = ThreadPool(limit: threads)
    let team = pool.limit > 1 ? ThreadTeam(limit: pool.limit) : nil
    defer { team?.end() }
    try unsafe addresses.withUnsafeMutableBufferPointer { addresses in
      try unsafe slots.withUnsafeMutableBufferPointer { slots in
        try unsafe kernel(KernelContext(buffers: addresses.baseAddress!, slots: slots.baseAddress!, team: team))
      }
    }
    return (0..<residual.count).map { unsafe memory[1][$0] }
  }
}
