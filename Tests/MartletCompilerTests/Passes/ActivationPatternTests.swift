import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

/// Hard-swish, hard-sigmoid and clamps written out, after a convolution.
@Suite struct ActivationPatternTests {
  enum Form: String, CaseIterable {
    case gateThenSixth, sixthThenProduct, productThenSixth, line, swishByLine, thresholded, thresholdedTooHigh
    case limitsBetweenRelus, reluOfRelu6

    var activation: Activation {
      switch self {
      case .gateThenSixth, .line: Activation(.hardsigmoid)
      case .sixthThenProduct, .productThenSixth, .swishByLine: Activation(.hardswish)
      case .thresholded: .hardswish(from: -3)
      case .thresholdedTooHigh: .none
      case .limitsBetweenRelus, .reluOfRelu6: .clamp(0, 6)
      }
    }

    func program(narrowing dtype: DType) -> PointwiseProgram {
      var build = PointwiseProgram()
      func narrow(_ x: Int) -> Int { dtype == .float32 ? x : build.append(.narrow(x, dtype)) }
      func literal(_ value: Double) -> Int { narrow(build.append(.literal(.double(value), as: .float32))) }
      func binary(_ function: BinaryFunction, _ x: Int, _ y: Int) -> Int { narrow(build.append(.binary(function, x, y))) }
      func clamp(_ x: Int, _ low: Double, _ high: Double) -> Int {
        let low = literal(low)
        return narrow(build.append(.ternary(.clamp, x, low, literal(high))))
      }
      let x = build.append(.load(operand: 0, as: .float32))
      func gate() -> Int { clamp(binary(.add, x, literal(3)), 0, 6) }
      func line(_ x: Int) -> Int { clamp(binary(.add, binary(.mul, x, literal(1 / 6)), literal(0.5)), 0, 1) }
      func thresholded(_ threshold: Double) -> Int {
        let condition = build.append(.binary(.ge, x, literal(threshold)))
        return narrow(build.append(.ternary(.select, condition, x, literal(0))))
      }
      switch self {
      case .gateThenSixth: _ = binary(.div, gate(), literal(6))
      case .sixthThenProduct: _ = binary(.mul, x, binary(.div, gate(), literal(6)))
      case .productThenSixth: _ = binary(.div, binary(.mul, x, gate()), literal(6))
      case .line: _ = line(x)
      case .swishByLine: _ = binary(.mul, x, line(x))
      case .thresholded, .thresholdedTooHigh:
        let y = thresholded(self == .thresholded ? -3 : -2.5)
        _ = binary(.mul, y, line(y))
      case .limitsBetweenRelus:
        let limited = binary(.minimum, build.append(.unary(.relu, x)), literal(6))
        _ = narrow(build.append(.unary(.relu, limited)))
      case .reluOfRelu6: _ = narrow(build.append(.unary(.relu, build.append(.unary(.relu6, x)))))
      }
      return build
    }
  }

  @Test(arguments: Form.allCases, [DType.float32, .float16]) func formsAreTheActivation(_ form: Form, _ dtype: DType) throws {
    let numbers: [Float] =
      [-.infinity, .infinity, .nan, -0.0, 0, -3, 3, -2.5, 65504, -65504, 1e-5] + stride(from: Float(-7), to: 7, by: 0.37)
    let shape = [1, 1, 1, numbers.count]
    var graph = Graph(name: "activation")
    let type = ValueType.tensor(TensorSignature(TensorType(dtype, shape)))
    func tensor(_ shape: [Int], _ values: [Float]) throws -> HostTensor {
      try #require(HostTensor(values.map { .double(Double($0)) }, dtype: dtype, shape: shape))
    }
    let convolution = Convolution(
      stride: [1, 1], padding: [(0, 0), (0, 0)], dilation: [1, 1], outputPadding: [0, 0], groups: 1, dtype: dtype)
    let x = graph.addInput(type)
    let same = graph.addNode(convolution, [x, graph.addConstant(Constant(try tensor([1, 1, 1, 1], [1])))], type: type, source: "conv")
    graph.outputs = [
      graph.addNode(Pointwise(form.program(narrowing: dtype), dtype: dtype, label: "\(form)"), [same], type: type, source: "activation")
    ]
    try graph.verify()
    let fused = try PassPipeline.standard.run(on: graph)
    let convolutions = fused.nodes.compactMap { $0.op as? Convolution }
    #expect(convolutions.map(\.activation) == [form.activation])
    #expect(fused.nodes.count == (form.activation == .none ? 2 : 1))
    let input = try tensor(shape, numbers)
    func run(_ graph: Graph) throws -> [Double] {
      let result = try runGraph(graph, [input])
      return dtype == .float16 ? result.elements(as: Float16.self).map { Double($0) } : result.elements(as: Float.self).map { Double($0) }
    }
    for (x, (wanted, got)) in zip(numbers, zip(try run(graph), try run(fused))) {
      let tolerance = max(abs(wanted), 1) * (dtype == .float16 ? 0x1p-10 : 0x1p-22)
      #expect(wanted.isNaN ? got.isNaN : got == wanted || abs(got - wanted) <= tolerance, "\(form) of \(x): \(got), not \(wanted)")
    }
  }
}
