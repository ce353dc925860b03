import Foundation
import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import MartletTestSampling
import MartletVocabulary
import Testing

/// The steps of an LSTM in double precision, from its definition, and a weighted sum of its states, whose differences are the reference.
private struct StepsProblem {
  var cell: RecurrentCell
  let (steps, batch, hidden): (Int, Int, Int)
  let isReversed: Bool
  let keepsStepOrder: Bool
  /// Sums `[steps, batch, 4 × hidden]`, initial state and cell state `[batch, hidden]`, peephole weights `[3 × hidden]`.
  let variables: [[Float]]
  let recursion: [Float]
  /// Weights of the states of all steps, the last state and the last cell state.
  let gradients: [[Float]]
  let hasPeephole: Bool

  init(
    _ cell: RecurrentCell, _ size: (steps: Int, batch: Int, hidden: Int), isReversed: Bool = false, keepsStepOrder: Bool = false,
    hasPeephole: Bool = false
  ) {
    var random = SeededGenerator(seed: UInt64(size.steps * 100 + size.batch * 10 + size.hidden))
    self.cell = cell
    (steps, batch, hidden) = size
    (self.isReversed, self.keepsStepOrder, self.hasPeephole) = (isReversed, keepsStepOrder, hasPeephole)
    let state = size.batch * size.hidden
    variables = [
      random.floats(size.steps * state * 4), random.floats(state), random.floats(state), random.floats(3 * size.hidden, in: -0.5...0.5),
    ]
    recursion = random.floats(4 * size.hidden * size.hidden, in: -0.5...0.5)
    gradients = [random.floats(size.steps * state), random.floats(state), random.floats(state)]
  }

  private func f(_ activation: RecurrentActivation, _ v: Double) -> Double {
    let (alpha, beta) = (Double(activation.alpha), Double(activation.beta))
    return switch activation.kind {
    case .linear: v
    case .sigmoid: 1 / (1 + exp(-v))
    case .tanh: tanh(v)
    case .relu: max(v, 0)
    case .clamp: min(max(v, alpha), beta)
    case .hardSigmoid: min(max(alpha * v + beta, 0), 1)
    case .scaledTanh: alpha * tanh(beta * v)
    }
  }

  /// The weighted sum of the states.
  ///
  /// The sums include the products of the recursion and the states before each step. A change of such a state changes them by its product.
  func loss(_ variables: [[Double]]) -> Double {
    let base = states(self.variables.map { $0.map(Double.init) }, products: nil).states
    return states(variables, products: base).loss
  }

  private func states(_ variables: [[Double]], products base: [[Double]]?) -> (states: [[Double]], loss: Double) {
    let (sums, p) = (variables[0], variables[3])
    var (h, c) = (variables[1], variables[2])
    var (before, loss) = ([[Double]](), 0.0)
    for step in 0..<steps {
      before.append(h)
      let input = isReversed ? steps - 1 - step : step
      let old = h
      for n in 0..<batch {
        for j in 0..<hidden {
          let place = n * hidden + j
          func sum(_ gate: Int) -> Double {
            var result = sums[(input * batch + n) * 4 * hidden + gate * hidden + j]
            if let base {
              for i in 0..<hidden {
                result += Double(recursion[(gate * hidden + j) * hidden + i]) * (old[n * hidden + i] - base[step][n * hidden + i])
              }
            }
            return result
          }
          func peep(_ k: Int) -> Double { hasPeephole ? p[k * hidden + j] * c[place] : 0 }
          let i = f(cell.gateActivation, sum(0) + peep(0))
          let forget = cell.couplesForgetGate ? 1 - i : f(cell.gateActivation, sum(1) + peep(1))
          c[place] = forget * c[place] + i * f(cell.cellActivation, sum(3))
          if let clip = cell.clip { c[place] = min(max(c[place], -Double(clip)), Double(clip)) }
          h[place] = f(cell.gateActivation, sum(2) + peep(2)) * f(cell.activation, c[place])
        }
      }
      let position = keepsStepOrder ? step : input
      for place in h.indices { loss += h[place] * Double(gradients[0][position * h.count + place]) }
    }
    for place in h.indices { loss += h[place] * Double(gradients[1][place]) + c[place] * Double(gradients[2][place]) }
    return (before, loss)
  }

  var operands: [TestOperand] {
    let state = [batch, hidden]
    func tensor(_ shape: [Int], _ elements: [Float]) -> TestOperand { .tensor(HostTensor(.float32, shape, elements)) }
    return [
      tensor([steps, batch, 4 * hidden], variables[0]), tensor([4 * hidden, hidden], recursion),
      tensor([steps, batch, hidden], gradients[0]), tensor(state, gradients[1]), tensor(state, gradients[2]), tensor(state, variables[2]),
      hasPeephole ? tensor([3 * hidden], variables[3]) : .absent,
    ]
  }

  var op: LSTMGradient { LSTMGradient(cell, isReversed: isReversed, keepsStepOrder: keepsStepOrder) }
}

private func floats(_ result: CallResult) -> [Float] {
  guard case .tensor(let tensor) = result else { return [] }
  return tensor.elements(as: Float.self)
}

@Suite struct LSTMGradientTests {
  private static let activations = RecurrentCell(
    .lstm, gateActivation: RecurrentActivation(.hardSigmoid, alpha: 0.2, beta: 0.5), cellActivation: .relu,
    activation: RecurrentActivation(.scaledTanh, alpha: 1.7, beta: 0.6))

  /// Widths around those of vectors, blocks of rows and panels.
  private static let problems = [
    StepsProblem(RecurrentCell(.lstm), (1, 1, 1)), StepsProblem(RecurrentCell(.lstm), (3, 2, 7)),
    StepsProblem(RecurrentCell(.lstm), (2, 30, 33)), StepsProblem(RecurrentCell(.lstm), (2, 1, 270), hasPeephole: true),
    StepsProblem(RecurrentCell(.lstm), (4, 2, 5), isReversed: true),
    StepsProblem(RecurrentCell(.lstm), (4, 2, 5), isReversed: true, keepsStepOrder: true),
    StepsProblem(RecurrentCell(.lstm, couplesForgetGate: true), (3, 2, 6), hasPeephole: true),
    StepsProblem(RecurrentCell(.lstm, clip: 0.3), (3, 3, 16)), StepsProblem(activations, (3, 2, 9), hasPeephole: true),
    StepsProblem(RecurrentCell(.lstm, cellActivation: .linear, activation: RecurrentActivation(.clamp, alpha: -0.2, beta: 0.4)), (3, 2, 8)),
  ]

  @Test(arguments: problems.indices) func `gradients are those of differences in double precision`(_ index: Int) throws {
    let problem = Self.problems[index]
    let results = try runOperator(problem.op, problem.operands, outputs: problem.hasPeephole ? 4 : 3)
    let doubles = problem.variables.map { $0.map(Double.init) }
    for (variable, result) in zip(problem.hasPeephole ? [0, 1, 2, 3] : [0, 1, 2], results) {
      let found = floats(result)
      #expect(found.count == doubles[variable].count)
      for place in stride(from: 0, to: found.count, by: max(found.count / inDebug(10, otherwise: 40), 1)) {
        func loss(_ change: Double) -> Double {
          var changed = doubles
          changed[variable][place] += change
          return problem.loss(changed)
        }
        let expected = (loss(1e-6) - loss(-1e-6)) / 2e-6
        #expect(abs(Double(found[place]) - expected) < 2e-5, "variable \(variable) at \(place)")
      }
    }
  }

  @Test func `absent gradients and states are zero`() throws {
    let problem = StepsProblem(RecurrentCell(.lstm), (3, 2, 4))
    let state = TestOperand.tensor(HostTensor(zeros: .float32, shape: [2, 4]))
    var (absent, zeros) = (problem.operands, problem.operands)
    for index in 2...5 {
      absent[index] = .absent
      zeros[index] = index == 2 ? .tensor(HostTensor(zeros: .float32, shape: [3, 2, 4])) : state
    }
    absent[3] = problem.operands[3]
    zeros[3] = problem.operands[3]
    let (first, second) = (try runOperator(problem.op, absent, outputs: 3), try runOperator(problem.op, zeros, outputs: 3))
    for (a, b) in zip(first, second) { #expect(floats(a) == floats(b)) }
    #expect(floats(first[0]).contains { $0 != 0 })
  }

  @Test func `without steps the gradients of the last states are those of the initial ones`() throws {
    let problem = StepsProblem(RecurrentCell(.lstm), (0, 2, 3))
    let results = try runOperator(problem.op, problem.operands, outputs: 3)
    #expect(floats(results[0]).isEmpty)
    #expect(floats(results[1]) == problem.gradients[1])
    #expect(floats(results[2]) == problem.gradients[2])
  }

  @Test func `operands that do not fit are errors`() throws {
    let problem = StepsProblem(RecurrentCell(.lstm), (2, 2, 3), hasPeephole: true)
    func refused(_ index: Int, _ shape: [Int], _ dtype: DType = .float32) {
      var operands = problem.operands
      operands[index] = .tensor(HostTensor(zeros: dtype, shape: shape))
      #expect(throws: (any Error).self, "operand \(index)") { try runOperator(problem.op, operands, outputs: 4) }
    }
    refused(0, [2, 2, 11])
    refused(0, [2, 24])
    refused(0, [2, 2, 12], .float16)
    refused(1, [12, 4])
    refused(2, [1, 2, 3])
    refused(3, [3, 3])
    refused(4, [2, 4])
    refused(5, [1, 3])
    refused(6, [12])
    #expect(throws: (any Error).self) {
      try runOperator(LSTMGradient(RecurrentCell(.gru), isReversed: false, keepsStepOrder: false), problem.operands, outputs: 4)
    }
  }
}
