import Foundation
import MartletCompiler
import MartletGraph
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

/// An operator whose derivative is compared with differences.
struct DerivativeProblem: Sendable, CustomTestStringConvertible {
  enum Operand: Sendable {
    case tensor([Int], values: Values = .any)
    case number(Double)
    case absent
  }

  /// The values of an operand.
  enum Values: Sendable {
    case any
    /// Between 0.5 and 1.5.
    case positive
    /// A quarter apart in random order, without 0, so that functions with corners are smooth around them.
    case distinct
  }

  let op: any PlannedOperator
  let operands: [Operand]
  var outputs = 1
  /// The results that the loss depends on.
  var used: [Int] = [0]
  /// Number of tensors, from the first one on, whose derivative there is.
  var wanted = Int.max
  let testDescription: String

  init(_ op: any PlannedOperator, _ operands: [Operand], outputs: Int = 1, used: [Int] = [0], _ label: String = "") {
    (self.op, self.operands, self.outputs, self.used) = (op, operands, outputs, used)
    testDescription = "\(op.name) \(label.isEmpty ? "" : "(\(label)) ")\(operands)"
  }
}

/// A graph with the sum of products of an operator's results and random numbers, and its derivatives.
private struct DerivativeCheck {
  private let problem: DerivativeProblem
  private let forward: CompiledMethod
  private let backward: CompiledMethod
  /// The tensors among the operands.
  private var operands: [HostTensor] = []
  private let factors: [HostTensor]

  init(_ problem: DerivativeProblem) throws {
    self.problem = problem
    var random = SeededGenerator(seed: UInt64(clamping: problem.testDescription.utf8.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF }))
    var graph = Graph(name: problem.op.name)
    var inputs: [ValueID?] = []
    var tensors: [ValueID] = []
    for operand in problem.operands {
      switch operand {
      case .absent: inputs.append(nil)
      case .number(let number): inputs.append(graph.addScalar(.double(number)))
      case .tensor(let shape, let values):
        let value = graph.addInput(.tensor(TensorSignature(TensorType(.float32, shape))))
        inputs.append(value)
        tensors.append(value)
        let count = shape.reduce(1, *)
        let numbers: [Float] =
          switch values {
          case .any: random.floats(count)
          case .positive: random.floats(count, in: 0.5...1.5)
          case .distinct: (0..<count).shuffled(using: &random).map { (Float($0 - count / 2) + 0.5) / 4 }
          }
        operands.append(HostTensor(.float32, shape, numbers))
      }
    }
    let types = try problem.op.infer(
      Operands(
        inputs.map { value in
          value.flatMap { value -> OperandType? in
            switch graph[value].type {
            case .tensor(let signature): .tensor(TensorType(signature.dtype, signature.fixedShape ?? []))
            default: graph.scalar(value).map { .scalar(.known($0)) }
            }
          }
        }))
    let results = graph.addNode(
      problem.op, inputs,
      types: types.map { type in
        guard case .tensor(let type) = type else { return .none }
        return .tensor(TensorSignature(type))
      }, source: "test")
    graph.outputs = problem.used.map { results[$0] }
    try graph.verify()
    forward = try Self.compiled(graph)
    let differentiation = GraphDifferentiation(graph)
    var seeds: [(value: ValueID, gradient: ValueID)] = []
    var factors: [HostTensor] = []
    for result in graph.outputs {
      let type = try differentiation.type(of: result)
      seeds.append((result, differentiation.addInput(.tensor(TensorSignature(type)), name: "factors")))
      factors.append(HostTensor(.float32, type.shape, random.floats(type.elementCount)))
    }
    self.factors = factors
    let gradients = try differentiation.gradients(of: seeds, withRespectTo: Array(tensors.prefix(problem.wanted)))
    differentiation.setOutputs(try gradients.map { try #require($0, "an operand has no gradient") })
    try differentiation.graph.verify()
    backward = try Self.compiled(differentiation.graph)
  }

  private static func compiled(_ graph: Graph) throws -> CompiledMethod {
    try CompiledMethod(graph, packed: PackedStore(), states: StateStore(), threads: WorkerThreads(2))
  }

  private func run(_ method: CompiledMethod, _ inputs: [HostTensor]) throws -> [[Float]] {
    let results = try method.run(
      inputs.map { unsafe .tensor(TensorType($0.dtype, $0.shape), UnsafeRawPointer($0.sharedStorage.pointer)) })
    defer { withExtendedLifetime(inputs) {} }
    return try results.map { result in
      guard case .tensor(let tensor) = result else { throw HarnessError.noTensor }
      return tensor.elements(as: Float.self)
    }
  }

  private func loss(_ inputs: [HostTensor]) throws -> Double {
    zip(try run(forward, inputs), factors).reduce(0) { sum, pair in
      zip(pair.0, pair.1.elements(as: Float.self)).reduce(sum) { $0 + Double($1.0) * Double($1.1) }
    }
  }

  /// The derivative by an element of an operand: differences of fourth order.
  private func difference(_ operand: Int, _ element: Int) throws -> Double {
    func slope(_ step: Float) throws -> Double {
      var values: [Double] = []
      for sign: Float in [1, -1] {
        var inputs = operands
        var elements = inputs[operand].elements(as: Float.self)
        elements[element] += sign * step
        inputs[operand] = HostTensor(.float32, inputs[operand].shape, elements)
        values.append(try loss(inputs))
      }
      return (values[0] - values[1]) / (2 * Double(step))
    }
    return (4 * (try slope(1.0 / 32)) - (try slope(1.0 / 16))) / 3
  }

  /// The largest difference between a derivative and its approximation, relative to derivatives above 1, and where it is.
  func worst() throws -> (difference: Double, place: String) {
    let gradients = try run(backward, operands + factors)
    var worst = (difference: 0.0, place: "")
    for (operand, gradient) in gradients.enumerated() {
      try #require(gradient.count == operands[operand].elementCount)
      // All elements of small operands, and some of large ones.
      let step = max(1, gradient.count / 60)
      for element in stride(from: 0, to: gradient.count, by: step) {
        let expected = try difference(operand, element)
        let error = abs(Double(gradient[element]) - expected) / max(1, abs(expected))
        if !(error <= worst.difference) { worst = (error, "operand \(operand)[\(element)]: \(gradient[element]), not \(expected)") }
      }
    }
    return worst
  }
}

struct DerivativeTests {
  typealias Operand = DerivativeProblem.Operand

  // MARK: Convolutions

  private static func convolution(
    _ input: [Int], _ kernel: [Int], to channels: Int, stride: [Int]? = nil, padding: [(before: Int, after: Int)]? = nil,
    dilation: [Int]? = nil, groups: Int = 1, transposed: Bool = false, outputPadding: [Int]? = nil, bias: Bool = true
  ) -> DerivativeProblem {
    let ones = kernel.map { _ in 1 }
    let op = Convolution(
      stride: stride ?? ones, padding: padding ?? kernel.map { _ in (0, 0) }, dilation: dilation ?? ones, isTransposed: transposed,
      outputPadding: outputPadding ?? kernel.map { _ in 0 }, groups: groups, dtype: .float32)
    let weight = (transposed ? [input[1], channels / groups] : [channels, input[1] / groups]) + kernel
    return DerivativeProblem(
      op, [.tensor(input), .tensor(weight)] + (bias ? [.tensor([channels])] : []),
      "stride \(op.stride) padding \(op.padding) dilation \(op.dilation) groups \(groups)")
  }

  private static let convolutions: [DerivativeProblem] = [
    convolution([2, 3, 5, 4], [3, 3], to: 4), convolution([3, 4, 2, 2], [2, 2], to: 3),
    convolution([1, 1, 1, 1], [1, 1], to: 1), convolution([5, 2, 1, 1], [1, 1], to: 3, bias: false),
    convolution([2, 3, 7, 5], [3, 2], to: 2, stride: [2, 3]), convolution([2, 2, 6, 6], [3, 3], to: 3, stride: [2, 2]),
    convolution([1, 2, 5, 7], [3, 3], to: 2, padding: [(1, 1), (1, 1)]),
    convolution([2, 2, 5, 4], [3, 2], to: 3, stride: [2, 1], padding: [(0, 2), (1, 0)]),
    convolution([1, 2, 9, 7], [3, 3], to: 2, dilation: [2, 3]), convolution([2, 2, 4, 3], [1, 3], to: 2, padding: [(0, 0), (2, 2)]),
    convolution([2, 3, 4, 5], [1, 1], to: 5, stride: [2, 2]), convolution([2, 4, 5, 5], [3, 3], to: 6, groups: 2),
    convolution([2, 6, 5, 4], [3, 3], to: 6, stride: [2, 1], padding: [(1, 1), (1, 1)], groups: 6),
    convolution([1, 3, 4, 4], [2, 2], to: 6, groups: 3, bias: false), convolution([1, 18, 3, 3], [2, 2], to: 36, groups: 18),
    convolution([1, 17, 3, 2], [2, 1], to: 9), convolution([2, 3, 7], [3], to: 2, stride: [2], padding: [(1, 0)]),
    convolution([1, 4, 5], [2], to: 4, dilation: [2], groups: 2), convolution([1, 2, 3, 4, 3], [2, 2, 2], to: 2),
    convolution([2, 3, 3, 2], [3, 3], to: 2, transposed: true),
    convolution([2, 3, 3, 4], [3, 2], to: 4, stride: [2, 2], transposed: true),
    convolution([1, 2, 3, 3], [3, 3], to: 3, stride: [2, 2], padding: [(1, 1), (1, 0)], transposed: true, bias: false),
    convolution([1, 2, 2, 3], [3, 3], to: 2, stride: [3, 2], transposed: true, outputPadding: [2, 1]),
    convolution([2, 4, 3, 3], [2, 2], to: 6, stride: [2, 1], groups: 2, transposed: true),
    convolution([3, 2, 1, 1], [1, 1], to: 2, transposed: true), convolution([1, 2, 4], [3], to: 2, stride: [2], transposed: true),
  ]

  // MARK: Pooling

  private static func pool(
    _ input: [Int], _ kernel: [Int], stride: [Int], before: [Int] = [0, 0], after: [Int] = [0, 0], dilation: [Int] = [1, 1],
    ceil: Bool = false, _ reduction: PoolReduction
  ) -> DerivativeProblem {
    let window = Pool.Window.sliding(kernel: kernel, stride: stride, before: before, after: after, dilation: dilation, ceil: ceil)
    return DerivativeProblem(Pool(window, reduction: reduction), [.tensor(input, values: .distinct)], "\(window) \(reduction)")
  }

  private static let pools: [DerivativeProblem] =
    [
      PoolReduction.maximum, .average(countsPadding: true, divisor: nil), .average(countsPadding: false, divisor: nil),
      .average(countsPadding: false, divisor: 3),
    ].flatMap { reduction in
      [
        pool([2, 3, 4, 6], [2, 2], stride: [2, 2], reduction), pool([1, 2, 5, 7], [3, 2], stride: [1, 2], reduction),
        pool([2, 1, 1, 1], [1, 1], stride: [1, 1], reduction), pool([1, 17, 3, 3], [3, 3], stride: [3, 3], reduction),
        pool([1, 3, 5, 5], [3, 3], stride: [2, 2], before: [1, 1], after: [1, 1], reduction),
        pool([2, 2, 5, 4], [2, 3], stride: [2, 2], before: [0, 1], after: [1, 0], reduction),
        pool([1, 2, 7, 5], [2, 2], stride: [3, 3], reduction), pool([1, 2, 6, 7], [3, 3], stride: [2, 2], ceil: true, reduction),
        pool([3, 5, 6], [2, 2], stride: [1, 1], reduction),
      ]
    } + [
      pool([1, 2, 7, 6], [2, 2], stride: [1, 2], dilation: [2, 3], .maximum),
      DerivativeProblem(
        Pool(.adaptive(output: [.constant(2), .constant(3)]), reduction: .average(countsPadding: false, divisor: nil)),
        [.tensor([2, 3, 5, 4])]),
    ]

  // MARK: Products, normalisation, reductions

  private static let products: [DerivativeProblem] = [
    ([2, 3], [3, 4], nil), ([1, 1], [1, 1], [1]), ([5, 1], [1, 7], [7]), ([1, 17], [17, 3], [3]), ([2, 3, 4], [4, 5], nil),
    ([2, 3, 4], [2, 4, 5], [5]), ([2, 1, 3, 4], [5, 4, 2], nil), ([3, 2], [2, 2, 3], nil), ([1, 3, 2], [4, 2, 3], nil),
  ].map { a, b, bias in DerivativeProblem(MatMul(dtype: .float32), [.tensor(a), .tensor(b)] + (bias.map { [.tensor($0)] } ?? [])) }

  private static let reductions: [DerivativeProblem] =
    [Reduce.Function.sum, .mean, .sumSquares].flatMap { function in
      [
        ([3, 4, 5], [1], true), ([3, 4, 5], [-1, 0], false), ([7], nil, false), ([1, 3, 1], [0, 2], true), ([2, 3, 4, 5], [2, 3], false),
      ]
      .map { shape, axes, keeps in
        DerivativeProblem(Reduce(function, axes: axes, keepsAxes: keeps, dtype: .float32), [.tensor(shape)], "\(axes ?? []) \(keeps)")
      }
    }
    + [[2, 3, 5, 4], [1, 1, 1, 1], [3, 17, 1, 3]].flatMap { shape in
      [true, false].map { keeps in
        DerivativeProblem(
          Reduce(.max, axes: [2, 3], keepsAxes: keeps, dtype: .float32), [.tensor(shape, values: .distinct)], "\(keeps)")
      }
    }

  /// With respect to the images only: statistics and factors are constants.
  private static let norms: [DerivativeProblem] = [[2, 3, 4, 5], [1, 1, 1, 1], [3, 17], [2, 2, 3]].flatMap { shape in
    [false, true].map { hasFactors in
      let channels: Operand = .tensor([shape[1]], values: .positive)
      let factors: [Operand] = hasFactors ? [channels, channels] : [.absent, .absent]
      var problem = DerivativeProblem(BatchNorm(epsilon: 1e-3), [.tensor(shape)] + factors + [channels, channels])
      problem.wanted = 1
      return problem
    }
  }

  // MARK: Views and movement

  private static let movements: [DerivativeProblem] = [
    DerivativeProblem(Reshape(shape: [.constant(4), .constant(6)]), [.tensor([2, 3, 4])]),
    DerivativeProblem(Reshape(shape: [.constant(-1)]), [.tensor([1, 5, 1])]),
    DerivativeProblem(Squeeze(axes: nil), [.tensor([1, 3, 1, 2])]), DerivativeProblem(Squeeze(axes: [-2]), [.tensor([3, 1, 2])]),
    DerivativeProblem(Unsqueeze(axes: [0, -1]), [.tensor([3, 2])]),
    DerivativeProblem(Permute(axes: [2, 0, 3, 1]), [.tensor([2, 3, 4, 5])]),
    DerivativeProblem(Permute(axes: [-1, -3, -2]), [.tensor([2, 1, 3])]),
    DerivativeProblem(Expand(shape: [.constant(3), .constant(2), .constant(4)]), [.tensor([2, 1])]),
    DerivativeProblem(Expand(shape: [.constant(5), .constant(-1)]), [.tensor([1, 3])]),
    DerivativeProblem(Slice(axis: 1, range: SliceRange(start: .constant(1), end: .count(.constant(3)))), [.tensor([2, 5, 3])]),
    DerivativeProblem(Slice(axis: -1, range: SliceRange(start: .constant(-2), end: .count(.constant(1)))), [.tensor([2, 5])]),
    DerivativeProblem(Concat(axis: 1, dtype: .float32), [.tensor([2, 3, 2]), .tensor([2, 1, 2]), .tensor([2, 4, 2])]),
    DerivativeProblem(Concat(axis: -1, dtype: .float32), [.tensor([3])]),
    DerivativeProblem(
      Pad(.constant, before: [.constant(1), .constant(0)], after: [.constant(2), .constant(3)]), [.tensor([2, 3, 4]), .number(0.5)]),
    DerivativeProblem(Pad(.constant, before: [.constant(-1)], after: [.constant(2)]), [.tensor([2, 4]), .number(0)]),
  ]

  // MARK: Pointwise

  private static let functions: [DerivativeProblem] = [
    (UnaryFunction.relu, DerivativeProblem.Values.distinct), (.sigmoid, .any), (.tanh, .any), (.square, .any), (.sqrt, .positive),
    (.exp, .any), (.log, .positive), (.neg, .any), (.abs, .distinct), (.reciprocal, .positive),
  ].flatMap { function, values in
    // Alone, and within a program.
    [1, 2].map { count in
      var program = PointwiseProgram()
      var register = program.append(.load(operand: 0, as: .float32))
      register = program.append(.unary(function, register))
      if count == 2 { program.append(.binary(.mul, register, register)) }
      return DerivativeProblem(
        Pointwise(program, dtype: .float32, label: "\(function)"), [.tensor([3, 17], values: values)], "\(count) instructions")
    }
  }

  private static let binaries: [DerivativeProblem] = [BinaryFunction.add, .sub, .mul, .div].flatMap { function in
    [([3, 5], [3, 5]), ([2, 3, 4], [3, 1]), ([1, 4], [5, 1]), ([2, 3], [])].map { a, b in
      var program = PointwiseProgram()
      let (x, y) = (program.append(.load(operand: 0, as: .float32)), program.append(.load(operand: 1, as: .float32)))
      program.append(.binary(function, x, y))
      return DerivativeProblem(
        Pointwise(program, dtype: .float32, label: "\(function)"), [.tensor(a, values: .positive), .tensor(b, values: .positive)])
    }
  }

  private static let choices: [DerivativeProblem] = {
    var clamp = PointwiseProgram()
    let x = clamp.append(.load(operand: 0, as: .float32))
    let low = clamp.append(.literal(.double(-1), as: .float32))
    clamp.append(.ternary(.clamp, x, low, clamp.append(.literal(.double(1.5), as: .float32))))
    var select = PointwiseProgram()
    let (a, b) = (select.append(.load(operand: 0, as: .float32)), select.append(.load(operand: 1, as: .float32)))
    select.append(.ternary(.select, select.append(.binary(.gt, a, select.append(.literal(.double(0), as: .float32)))), a, b))
    return [
      DerivativeProblem(Pointwise(clamp, dtype: .float32, label: "clamp"), [.tensor([31], values: .distinct)]),
      DerivativeProblem(
        Pointwise(select, dtype: .float32, label: "select"), [.tensor([4, 5], values: .distinct), .tensor([4, 5])]),
    ]
  }()

  // MARK: Recurrence

  private static func lstm(
    _ shape: [Int], _ size: Int, _ cell: RecurrentCell = RecurrentCell(.lstm), reversed: Bool = false, keepsOrder: Bool = false,
    sequence: Bool = true, states: Bool = false, bias: Bool = true, peepholes: Bool = false, used: [Int] = [0], _ label: String = ""
  ) -> DerivativeProblem {
    let state: Operand = states ? .tensor([shape[1], size]) : .absent
    var operands: [Operand] = [.tensor(shape), state, state, .tensor([4 * size, shape[2]]), .tensor([4 * size, size])]
    operands += [bias ? .tensor([4 * size]) : .absent, .absent, peepholes ? .tensor([3 * size]) : .absent]
    return DerivativeProblem(
      Recurrence(cell, isReversed: reversed, keepsStepOrder: keepsOrder, givesSequence: sequence), operands, outputs: 3, used: used, label)
  }

  private static let recurrences: [DerivativeProblem] = [
    lstm([3, 2, 3], 2), lstm([2, 1, 1], 1), lstm([4, 3, 2], 3, sequence: false), lstm([3, 1, 2], 2, reversed: true),
    lstm([3, 2, 2], 2, reversed: true, keepsOrder: true), lstm([3, 2, 2], 2, states: true, used: [0, 1, 2]),
    lstm([2, 2, 3], 2, bias: false, used: [2]), lstm([3, 2, 2], 2, peepholes: true), lstm([3, 1, 2], 2, states: true, peepholes: true),
    lstm([3, 2, 2], 2, RecurrentCell(.lstm, couplesForgetGate: true), "coupled"),
    lstm([3, 2, 2], 2, RecurrentCell(.lstm, clip: 50), used: [1], "clip"),
    lstm(
      [3, 2, 2], 2,
      RecurrentCell(
        .lstm, gateActivation: RecurrentActivation(.hardSigmoid, alpha: 0.1, beta: 0.5), cellActivation: RecurrentActivation(.linear),
        activation: RecurrentActivation(.scaledTanh, alpha: 1.7, beta: 0.6)), "activations"),
  ]

  @Test(arguments: [convolutions, pools, products, norms, reductions, movements, functions, binaries, choices, recurrences].flatMap { $0 })
  func `a derivative agrees with differences`(_ problem: DerivativeProblem) throws {
    let worst = try DerivativeCheck(problem).worst()
    #expect(worst.difference < 3e-4, "\(worst.place)")
  }
}
