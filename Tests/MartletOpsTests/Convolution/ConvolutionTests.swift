import MartletKernels
import MartletOps
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

/// One convolution to test.
struct ConvolutionProblem: CustomTestStringConvertible, Sendable {
  var input: [Int]
  var kernel: [Int]
  var channels: Int
  var stride: [Int]
  var padding: [Int]
  var dilation: [Int]
  var groups = 1
  var isTransposed = false
  var outputPadding: [Int]?
  /// Padding behind each axis, if it differs from the one before it.
  var paddingAfter: [Int]?

  var testDescription: String {
    "\(input) kernel \(kernel) to \(channels) s\(stride) p\(padding)\(paddingAfter.map { "\($0)" } ?? "") d\(dilation) g\(groups)\(isTransposed ? " transposed" : "")"
  }

  var operation: Convolution {
    Convolution(
      stride: stride, padding: zip(padding, paddingAfter ?? padding).map { ($0, $1) }, dilation: dilation, isTransposed: isTransposed,
      outputPadding: outputPadding ?? kernel.map { _ in 0 }, groups: groups, dtype: .float32)
  }

  /// True if Winograd's method computes the problem; its rounded factors have larger errors.
  var isTransformable: Bool {
    kernel == [3, 3] && stride == [1, 1] && dilation == [1, 1] && groups == 1 && !isTransposed && input[1] >= 16
  }

  var weightShape: [Int] {
    (isTransposed ? [input[1], channels / groups] : [channels, input[1] / groups]) + kernel
  }

  /// For each tap of the kernel, the places in an input plane and in an output plane that it links, one after the other.
  func links(to outputs: [Int]) -> [[Int]] {
    func positions(_ extents: [Int]) -> [[Int]] {
      extents.reduce([[]]) { list, extent in list.flatMap { head in (0..<extent).map { head + [$0] } } }
    }
    let inputs = Array(input.dropFirst(2))
    // Walk the side that is dense: inputs when transposed, outputs otherwise.
    let (dense, sparse) = isTransposed ? (inputs, outputs) : (outputs, inputs)
    return positions(kernel).map { tap in
      var pairs = [(dense: 0, sparse: 0)]
      for axis in kernel.indices {
        var reached: [(dense: Int, sparse: Int)] = []
        for place in 0..<dense[axis] {
          let other = place * stride[axis] - padding[axis] + tap[axis] * dilation[axis]
          if other >= 0, other < sparse[axis] { reached.append((place, other)) }
        }
        let heads = pairs
        pairs = []
        for head in heads {
          for end in reached { pairs.append((head.dense * dense[axis] + end.dense, head.sparse * sparse[axis] + end.sparse)) }
        }
      }
      var places: [Int] = []
      for pair in pairs {
        places.append(isTransposed ? pair.dense : pair.sparse)
        places.append(isTransposed ? pair.sparse : pair.dense)
      }
      return places
    }
  }
}

@Suite struct ConvolutionTests {
  static let problems = [
    ConvolutionProblem(input: [1, 3, 8, 9], kernel: [3, 3], channels: 5, stride: [1, 1], padding: [1, 1], dilation: [1, 1]),
    // Pictures of a few channels, which are read in planes where they come so.
    ConvolutionProblem(input: [2, 4, 17, 31], kernel: [3, 3], channels: 40, stride: [2, 2], padding: [1, 1], dilation: [1, 1]),
    ConvolutionProblem(input: [1, 2, 9, 5], kernel: [5, 7], channels: 16, stride: [1, 3], padding: [2, 3], dilation: [2, 1]),
    ConvolutionProblem(input: [1, 3, 6, 40], kernel: [4, 3], channels: 9, stride: [3, 1], padding: [0, 0], dilation: [1, 1]),
    ConvolutionProblem(input: [1, 3, 90, 130], kernel: [13, 11], channels: 7, stride: [2, 2], padding: [6, 5], dilation: [1, 1]),
    ConvolutionProblem(input: [2, 16, 7, 7], kernel: [1, 1], channels: 33, stride: [1, 1], padding: [0, 0], dilation: [1, 1]),
    ConvolutionProblem(input: [1, 16, 9, 7], kernel: [1, 1], channels: 8, stride: [2, 2], padding: [0, 0], dilation: [1, 1]),
    ConvolutionProblem(input: [1, 3, 15, 13], kernel: [7, 7], channels: 17, stride: [2, 2], padding: [3, 3], dilation: [1, 1]),
    // Rows of few pixels, which form register tiles together.
    ConvolutionProblem(input: [2, 9, 13, 14], kernel: [3, 3], channels: 130, stride: [2, 2], padding: [1, 1], dilation: [1, 1]),
    ConvolutionProblem(input: [1, 20, 9, 8], kernel: [3, 2], channels: 70, stride: [1, 1], padding: [2, 0], dilation: [2, 1]),
    ConvolutionProblem(input: [1, 12, 7, 2], kernel: [3, 1], channels: 140, stride: [1, 1], padding: [1, 0], dilation: [1, 1]),
    ConvolutionProblem(input: [1, 8, 14, 14], kernel: [3, 3], channels: 33, stride: [1, 1], padding: [1, 1], dilation: [1, 1]),
    ConvolutionProblem(input: [1, 8, 10, 12], kernel: [3, 2], channels: 6, stride: [2, 1], padding: [1, 0], dilation: [2, 3]),
    ConvolutionProblem(
      input: [1, 35, 12, 11], kernel: [3, 3], channels: 35, stride: [1, 1], padding: [1, 1], dilation: [1, 1], groups: 35),
    ConvolutionProblem(
      input: [2, 20, 13, 9], kernel: [3, 3], channels: 20, stride: [2, 2], padding: [1, 1], dilation: [1, 1], groups: 20),
    ConvolutionProblem(
      input: [1, 24, 9, 9], kernel: [5, 5], channels: 24, stride: [1, 1], padding: [2, 2], dilation: [1, 1], groups: 24),
    ConvolutionProblem(
      input: [1, 20, 9, 8], kernel: [5, 5], channels: 20, stride: [2, 2], padding: [2, 2], dilation: [1, 1], groups: 20),
    ConvolutionProblem(
      input: [1, 35, 12, 11], kernel: [3, 3], channels: 35, stride: [1, 1], padding: [2, 2], dilation: [2, 2], groups: 35),
    ConvolutionProblem(
      input: [2, 20, 9, 13], kernel: [3, 3], channels: 20, stride: [1, 1], padding: [0, 0], dilation: [2, 2], groups: 20),
    ConvolutionProblem(
      input: [1, 17, 7, 4], kernel: [3, 3], channels: 17, stride: [1, 1], padding: [3, 4], dilation: [5, 5], groups: 17),
    ConvolutionProblem(
      input: [1, 24, 16, 15], kernel: [5, 5], channels: 24, stride: [1, 1], padding: [4, 4], dilation: [2, 2], groups: 24),
    ConvolutionProblem(
      input: [1, 20, 8, 9], kernel: [5, 5], channels: 20, stride: [1, 1], padding: [7, 7], dilation: [3, 3], groups: 20),
    ConvolutionProblem(
      input: [1, 18, 13, 12], kernel: [3, 3], channels: 18, stride: [1, 1], padding: [1, 1], dilation: [4, 4], groups: 18),
    ConvolutionProblem(
      input: [1, 18, 13, 12], kernel: [3, 3], channels: 18, stride: [2, 2], padding: [2, 2], dilation: [2, 2], groups: 18),
    ConvolutionProblem(
      input: [1, 16, 12, 10], kernel: [3, 3], channels: 16, stride: [1, 1], padding: [1, 3], dilation: [1, 3], groups: 16),
    ConvolutionProblem(
      input: [1, 16, 12, 10], kernel: [3, 3], channels: 16, stride: [2, 1], padding: [3, 1], dilation: [3, 1], groups: 16),
    ConvolutionProblem(
      input: [1, 35, 24, 24], kernel: [7, 7], channels: 35, stride: [1, 1], padding: [3, 3], dilation: [1, 1], groups: 35),
    ConvolutionProblem(
      input: [2, 20, 9, 13], kernel: [7, 7], channels: 20, stride: [1, 1], padding: [0, 2], dilation: [1, 1], groups: 20),
    ConvolutionProblem(
      input: [1, 17, 5, 4], kernel: [7, 7], channels: 17, stride: [1, 1], padding: [3, 3], dilation: [1, 1], groups: 17),
    ConvolutionProblem(
      input: [1, 18, 20, 19], kernel: [7, 7], channels: 18, stride: [1, 1], padding: [6, 6], dilation: [2, 2], groups: 18),
    ConvolutionProblem(
      input: [1, 20, 15, 21], kernel: [7, 7], channels: 20, stride: [2, 2], padding: [3, 3], dilation: [1, 1], groups: 20),
    ConvolutionProblem(
      input: [1, 19, 12, 23], kernel: [4, 9], channels: 19, stride: [1, 1], padding: [2, 4], dilation: [1, 1], groups: 19),
    ConvolutionProblem(
      input: [1, 33, 8, 40], kernel: [2, 3], channels: 33, stride: [1, 3], padding: [0, 1], dilation: [2, 2], groups: 33),
    ConvolutionProblem(
      input: [1, 6, 6, 6], kernel: [3, 3], channels: 12, stride: [1, 1], padding: [1, 1], dilation: [1, 1], groups: 6),
    ConvolutionProblem(
      input: [1, 12, 6, 7], kernel: [3, 3], channels: 8, stride: [1, 1], padding: [1, 1], dilation: [1, 1], groups: 4),
    ConvolutionProblem(input: [1, 4, 20], kernel: [3], channels: 6, stride: [2], padding: [1], dilation: [1]),
    ConvolutionProblem(
      input: [2, 3, 5, 6, 7], kernel: [3, 2, 3], channels: 4, stride: [1, 2, 1], padding: [1, 0, 1], dilation: [1, 1, 1]),
    ConvolutionProblem(
      input: [1, 5, 6, 7], kernel: [2, 2], channels: 3, stride: [2, 2], padding: [0, 0], dilation: [1, 1], isTransposed: true),
    ConvolutionProblem(
      input: [1, 6, 5, 4], kernel: [3, 4], channels: 4, stride: [2, 3], padding: [1, 1], dilation: [2, 1], groups: 2,
      isTransposed: true, outputPadding: [1, 2]),
    ConvolutionProblem(
      input: [1, 3, 9], kernel: [5], channels: 2, stride: [1], padding: [2], dilation: [1], isTransposed: true),
    // Rows and columns beyond the image on one side only.
    ConvolutionProblem(
      input: [2, 20, 5, 6], kernel: [1, 1], channels: 9, stride: [1, 1], padding: [0, 0], dilation: [1, 1], paddingAfter: [3, 0]),
    ConvolutionProblem(
      input: [1, 1024, 3, 7], kernel: [1, 1], channels: 3, stride: [2, 1], padding: [0, 0], dilation: [1, 1], paddingAfter: [4, 0]),
    ConvolutionProblem(
      input: [1, 9, 6, 5], kernel: [1, 1], channels: 5, stride: [1, 2], padding: [0, 0], dilation: [1, 1], paddingAfter: [0, 4]),
    ConvolutionProblem(
      input: [1, 6, 9, 8], kernel: [3, 3], channels: 7, stride: [2, 2], padding: [0, 2], dilation: [1, 1], paddingAfter: [5, 0]),
    ConvolutionProblem(
      input: [1, 17, 8, 9], kernel: [3, 3], channels: 17, stride: [1, 1], padding: [2, 0], dilation: [1, 1], groups: 17,
      paddingAfter: [0, 3]),
    ConvolutionProblem(
      input: [2, 3, 7, 6], kernel: [3, 3], channels: 4, stride: [2, 2], padding: [4, 1], dilation: [1, 1], isTransposed: true,
      outputPadding: [4, 1], paddingAfter: [1, 1]),
    ConvolutionProblem(input: [0, 3, 8, 8], kernel: [3, 3], channels: 4, stride: [1, 1], padding: [1, 1], dilation: [1, 1]),
    ConvolutionProblem(input: [1, 1, 1, 1], kernel: [3, 3], channels: 1, stride: [1, 1], padding: [1, 1], dilation: [1, 1]),
  ]

  @Test(arguments: problems) func everyLayoutGivesTheDefinitionsResult(_ problem: ConvolutionProblem) throws {
    var random = SeededGenerator(seed: UInt64(problem.testDescription.utf8.reduce(17) { $0 &* 31 &+ Int($1) }.magnitude))
    let x = random.floats(problem.input.reduce(1, *))
    let weight = random.floats(problem.weightShape.reduce(1, *))
    let bias = random.floats(problem.channels)
    let (shape, expected, _) = Self.reference(problem, x, weight, bias)
    let input = HostTensor(.float32, problem.input, x)
    let filter = HostTensor(.float32, problem.weightShape, weight)
    // As payloads have them, with channels innermost or outermost behind the kernel's axes.
    let last = Shape.channelsLastOrder(rank: filter.shape.count)
    let filters = [TestOperand.constant(filter), .laidOutConstant(filter, last), .laidOutConstant(filter, last.reversed())]
    let biases = TestOperand.constant(HostTensor(.float32, [problem.channels], bias))
    let taps = problem.weightShape.reduce(1, *) / max(problem.channels, 1)
    let inputs = [TestOperand.tensor(input), .laidOut(input, Shape.channelsLastOrder(rank: input.shape.count))]
    for (operand, weights) in [(inputs[0], filters[0])] + filters.map({ (inputs[1], $0) }) {
      let result = try runTensorOperator(problem.operation, [operand, weights, biases])
      #expect(result.shape == shape)
      for (index, pair) in zip(result.elements(as: Float.self), expected).enumerated()
      where abs(Double(pair.0) - pair.1) > 1e-6 * Double(max(taps, 8)) {
        Issue.record("element \(index): \(pair.0), expected \(pair.1)")
        break
      }
    }
  }

  @Test func residualAndActivationComeLast() throws {
    let problem = ConvolutionProblem(
      input: [1, 2, 3, 3], kernel: [1, 1], channels: 2, stride: [1, 1], padding: [0, 0], dilation: [1, 1])
    var operation = problem.operation
    operation.activation = .relu
    let x = HostTensor(.float32, [1, 2, 3, 3], [Float](repeating: 1, count: 18))
    let weight = HostTensor(.float32, [2, 2, 1, 1], [Float(1), 1, -1, -1])
    let residual = HostTensor(.float32, [1, 2, 3, 3], (0..<18).map { Float($0) - 9 })
    let result = try runTensorOperator(operation, [.tensor(x), .constant(weight), .absent, .tensor(residual)])
    let expected = (0..<18).map { index -> Float in max(0, Float(index < 9 ? 2 : -2) + Float(index - 9)) }
    #expect(result.elements(as: Float.self) == expected)
  }

  /// Rows of a residual that lie apart allow no tile of several rows.
  @Test(arguments: [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 2, 1]])
  func `a residual of any layout is added to a narrow image`(order: [Int]) throws {
    // Winograd's method does not take a stride.
    let problem = ConvolutionProblem(
      input: [1, 40, 14, 7], kernel: [3, 3], channels: 130, stride: [2, 1], padding: [1, 1], dilation: [1, 1])
    var random = SeededGenerator(seed: 3)
    let x = random.floats(problem.input.reduce(1, *)), weight = random.floats(problem.weightShape.reduce(1, *))
    let bias = random.floats(130), residual = random.floats(130 * 49)
    let (shape, sums, _) = Self.reference(problem, x, weight, bias)
    let result = try runTensorOperator(
      problem.operation,
      [
        .laidOut(HostTensor(.float32, problem.input, x), [0, 2, 3, 1]), .constant(HostTensor(.float32, problem.weightShape, weight)),
        .constant(HostTensor(.float32, [130], bias)), .laidOut(HostTensor(.float32, shape, residual), order),
      ])
    #expect(shape == [1, 130, 7, 7])
    #expect(zip(result.elements(as: Float.self), zip(sums, residual)).allSatisfy { abs(Double($0) - $1.0 - Double($1.1)) < 4e-4 })
  }

  /// The convolution by scattering (transposed) or gathering in double precision, and the sums of what is summed without signs.
  static func reference(
    _ p: ConvolutionProblem, _ x: [Float], _ weight: [Float], _ bias: [Float]
  ) -> (shape: [Int], sums: [Double], magnitudes: [Double]) {
    let spatial = p.kernel.count
    let outputs = (0..<spatial).map { axis in
      let reach = p.dilation[axis] * (p.kernel[axis] - 1) + 1
      let padding = p.padding[axis] + (p.paddingAfter ?? p.padding)[axis]
      return p.isTransposed
        ? (p.input[axis + 2] - 1) * p.stride[axis] - padding + reach + (p.outputPadding?[axis] ?? 0)
        : (p.input[axis + 2] + padding - reach) / p.stride[axis] + 1
    }
    let shape = [p.input[0], p.channels] + outputs
    var y = [Double](repeating: 0, count: shape.reduce(1, *))
    var sizes = y
    let links = p.links(to: outputs)
    let (inputPlane, outputPlane, taps) = (p.input.dropFirst(2).reduce(1, *), outputs.reduce(1, *), p.kernel.reduce(1, *))
    let perGroup = (p.input[1] / p.groups, p.channels / p.groups)
    // Pointers and plain loops: this is most of the time of unoptimised test runs.
    unsafe y.withUnsafeMutableBufferPointer { y in
      unsafe sizes.withUnsafeMutableBufferPointer { sizes in
        unsafe x.withUnsafeBufferPointer { x in
          for n in 0..<p.input[0] {
            for o in 0..<p.channels {
              let g = o / perGroup.1
              let target = (n * p.channels + o) * outputPlane
              var i = 0
              while i < outputPlane {
                unsafe y[target + i] = Double(bias[o])
                unsafe sizes[target + i] = Double(bias[o].magnitude)
                i += 1
              }
              for c in 0..<perGroup.0 {
                let source = (n * p.input[1] + g * perGroup.0 + c) * inputPlane
                let kernel = (p.isTransposed ? (g * perGroup.0 + c) * perGroup.1 + o % perGroup.1 : o * perGroup.0 + c) * taps
                for (tap, pairs) in links.enumerated() {
                  let w = Double(weight[kernel + tap])
                  unsafe pairs.withUnsafeBufferPointer { buffer in
                    guard let pairs = buffer.baseAddress, let x = x.baseAddress, let y = y.baseAddress, let sizes = sizes.baseAddress else {
                      return
                    }
                    let end = buffer.count
                    var k = 0
                    while k < end {
                      let product = unsafe Double(x[source + pairs[k]]) * w
                      let place = unsafe target + pairs[k + 1]
                      unsafe y[place] += product
                      unsafe sizes[place] += product.magnitude
                      k += 2
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
    return (shape, y, sizes)
  }
}
