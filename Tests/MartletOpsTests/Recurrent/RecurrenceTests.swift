import Foundation
import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

/// A recurrent layer computed in double precision from its definition, one element after the other.
private struct ReferenceLayer {
  let cell: RecurrentCell
  let (steps, batch, inputs, hidden): (Int, Int, Int, Int)
  let x, h0, c0, w, u, b, b2, p: [Float]

  init(_ cell: RecurrentCell, steps: Int, batch: Int, inputs: Int, hidden: Int) {
    var random = SeededGenerator(seed: UInt64(steps * 1000 + batch * 100 + inputs * 10 + hidden))
    self.cell = cell
    (self.steps, self.batch, self.inputs, self.hidden) = (steps, batch, inputs, hidden)
    let width = cell.gateCount * hidden
    x = random.floats(steps * batch * inputs)
    h0 = random.floats(batch * hidden)
    c0 = random.floats(batch * hidden)
    w = random.floats(width * inputs, in: -0.5...0.5)
    u = random.floats(width * hidden, in: -0.5...0.5)
    b = random.floats(width)
    b2 = random.floats(width)
    p = random.floats(3 * hidden)
  }

  private func f(_ activation: RecurrentActivation, _ v: Double) -> Double {
    switch activation.kind {
    case .linear: v
    case .sigmoid: 1 / (1 + exp(-v))
    case .tanh: tanh(v)
    case .relu: max(v, 0)
    case .clamp: min(max(v, Double(activation.alpha)), Double(activation.beta))
    case .hardSigmoid: min(max(Double(activation.alpha) * v + Double(activation.beta), 0), 1)
    case .scaledTanh: Double(activation.alpha) * tanh(Double(activation.beta) * v)
    }
  }

  /// States after each step in order of the steps, and the last cell.
  func run(isReversed: Bool, hasPeephole: Bool, hasHiddenBias: Bool) -> (states: [[Double]], cell: [Double]) {
    var h = h0.map(Double.init)
    var c = c0.map(Double.init)
    var states: [[Double]] = []
    for step in 0..<steps {
      let t = isReversed ? steps - 1 - step : step
      var next = h
      for n in 0..<batch {
        func input(_ gate: Int, _ j: Int) -> Double {
          let row = gate * hidden + j
          var sum = Double(b[row])
          for i in 0..<inputs { sum += Double(w[row * inputs + i]) * Double(x[(t * batch + n) * inputs + i]) }
          return sum
        }
        func state(_ gate: Int, _ j: Int, _ value: (Int) -> Double) -> Double {
          let row = gate * hidden + j
          var sum = hasHiddenBias ? Double(b2[row]) : 0
          for i in 0..<hidden { sum += Double(u[row * hidden + i]) * value(i) }
          return sum
        }
        let old = { (i: Int) in h[n * hidden + i] }
        func gate(_ number: Int, _ j: Int, _ extra: Double = 0) -> Double {
          f(cell.gateActivation, input(number, j) + state(number, j, old) + extra)
        }
        let reset = cell.kind == .gru ? (0..<hidden).map { gate(0, $0) * old($0) } : []
        for j in 0..<hidden {
          let place = n * hidden + j
          switch cell.kind {
          case .plain: next[place] = f(cell.activation, input(0, j) + state(0, j, old))
          case .gru, .gruResetAfter:
            let z = gate(2, j)
            let new =
              cell.kind == .gru
              ? f(cell.activation, input(1, j) + state(1, j) { reset[$0] })
              : f(cell.activation, input(1, j) + gate(0, j) * state(1, j, old))
            next[place] = (1 - z) * new + z * h[place]
          case .lstm:
            func peep(_ k: Int) -> Double { hasPeephole ? Double(p[k * hidden + j]) * c[place] : 0 }
            let i = gate(0, j, peep(0))
            let forget = cell.couplesForgetGate ? 1 - i : gate(1, j, peep(1))
            c[place] = forget * c[place] + i * f(cell.cellActivation, input(3, j) + state(3, j, old))
            if let clip = cell.clip { c[place] = min(max(c[place], -Double(clip)), Double(clip)) }
            next[place] = gate(2, j, peep(2)) * f(cell.activation, c[place])
          }
        }
      }
      h = next
      states.append(h)
    }
    return (states, c)
  }

  func operands(hasPeephole: Bool, hasHiddenBias: Bool, constantWeights: Bool, dtype: DType = .float32) -> [TestOperand] {
    let width = cell.gateCount * hidden
    func tensor(_ shape: [Int], _ elements: [Float]) -> HostTensor {
      dtype == .float16 ? HostTensor(.float16, shape, elements.map { Float16($0) }) : HostTensor(.float32, shape, elements)
    }
    func weight(_ tensor: HostTensor) -> TestOperand { constantWeights ? .constant(tensor) : .tensor(tensor) }
    return [
      .tensor(tensor([steps, batch, inputs], x)), .tensor(tensor([batch, hidden], h0)),
      cell.kind == .lstm ? .tensor(tensor([batch, hidden], c0)) : .absent,
      weight(tensor([width, inputs], w)), weight(tensor([width, hidden], u)), weight(tensor([width], b)),
      hasHiddenBias ? weight(tensor([width], b2)) : .absent, hasPeephole ? weight(tensor([3 * hidden], p)) : .absent,
    ]
  }
}

private func values(_ result: CallResult) -> [Double] {
  guard case .tensor(let tensor) = result else { return [] }
  return tensor.dtype == .float16
    ? tensor.elements(as: Float16.self).map(Double.init) : tensor.elements(as: Float.self).map(Double.init)
}

private func expectClose(_ result: [Double], _ expected: [Double], _ tolerance: Double, _ comment: Comment) {
  #expect(result.count == expected.count, comment)
  let worst = zip(result, expected).map { abs($0 - $1) }.max() ?? 0
  let largest = expected.map(abs).max() ?? 0
  #expect(worst <= tolerance * max(largest, 1), comment)
  #expect(!result.contains { $0.isNaN }, comment)
}

@Suite struct RecurrenceTests {
  static let cells: [RecurrentCell] = [
    RecurrentCell(.plain), RecurrentCell(.plain, activation: .relu),
    RecurrentCell(.plain, activation: RecurrentActivation(.clamp, alpha: -0.5, beta: 0.25)), RecurrentCell(.gru),
    RecurrentCell(.gruResetAfter),
    RecurrentCell(.gru, gateActivation: RecurrentActivation(.hardSigmoid, alpha: 0.2, beta: 0.5), activation: .linear),
    RecurrentCell(.lstm), RecurrentCell(.lstm, clip: 0.3), RecurrentCell(.lstm, couplesForgetGate: true),
    RecurrentCell(.lstm, activation: RecurrentActivation(.scaledTanh, alpha: 1.7, beta: 0.6)),
  ]
  /// Steps, batch, inputs, hidden: around the widths of vectors and panels, and one with work for several threads.
  static let sizes = [(1, 1, 1, 1), (3, 2, 5, 7), (4, 1, 8, 16), (2, 3, 9, 33), (2, 1, 4, 270), (1, 30, 16, 40)]

  @Test(arguments: cells, sizes) func statesFollowTheDefinition(_ cell: RecurrentCell, _ size: (Int, Int, Int, Int)) throws {
    let layer = ReferenceLayer(cell, steps: size.0, batch: size.1, inputs: size.2, hidden: size.3)
    let isLSTM = cell.kind == .lstm
    for (isReversed, hasExtras, constantWeights) in [(false, false, true), (true, true, true), (false, true, false)] {
      let expected = layer.run(isReversed: isReversed, hasPeephole: isLSTM && hasExtras, hasHiddenBias: hasExtras)
      let op = Recurrence(cell, isReversed: isReversed, givesSequence: true)
      let comment: Comment = "\(cell.kind) \(size) reversed \(isReversed)"
      let results = try runOperator(
        op, layer.operands(hasPeephole: isLSTM && hasExtras, hasHiddenBias: hasExtras, constantWeights: constantWeights),
        outputs: isLSTM ? 3 : 2)
      let inOrder = isReversed ? expected.states.reversed() : expected.states
      expectClose(values(results[0]), inOrder.flatMap { $0 }, 2e-5, comment)
      expectClose(values(results[1]), expected.states.last!, 2e-5, comment)
      if isLSTM { expectClose(values(results[2]), expected.cell, 2e-5, comment) }
    }
  }

  @Test(arguments: cells) func lastStateAndStepOrder(_ cell: RecurrentCell) throws {
    let layer = ReferenceLayer(cell, steps: 4, batch: 2, inputs: 3, hidden: 5)
    let expected = layer.run(isReversed: true, hasPeephole: false, hasHiddenBias: false)
    let operands = layer.operands(hasPeephole: false, hasHiddenBias: false, constantWeights: true)
    let count = cell.kind == .lstm ? 3 : 2
    let last = try runOperator(Recurrence(cell, isReversed: true, givesSequence: false), operands, outputs: count)
    guard case .tensor(let state) = last[0] else { throw HarnessError.noTensor }
    #expect(state.shape == [1, 2, 5])
    expectClose(values(last[0]), expected.states.last!, 1e-5, "last")
    let ordered = try runOperator(
      Recurrence(cell, isReversed: true, keepsStepOrder: true, givesSequence: true), operands, outputs: count)
    expectClose(values(ordered[0]), expected.states.flatMap { $0 }, 1e-5, "step order")
  }

  @Test func halfPrecisionIsComputedInSinglePrecision() throws {
    let layer = ReferenceLayer(RecurrentCell(.lstm), steps: 5, batch: 2, inputs: 6, hidden: 8)
    let expected = layer.run(isReversed: false, hasPeephole: true, hasHiddenBias: false)
    let results = try runOperator(
      Recurrence(RecurrentCell(.lstm), givesSequence: true),
      layer.operands(hasPeephole: true, hasHiddenBias: false, constantWeights: true, dtype: .float16), outputs: 3)
    expectClose(values(results[0]), expected.states.flatMap { $0 }, 2e-3, "float16")
  }

  @Test func onlyTheFirstRowsOfLongerStatesCount() throws {
    let layer = ReferenceLayer(RecurrentCell(.gru), steps: 2, batch: 2, inputs: 3, hidden: 4)
    var operands = layer.operands(hasPeephole: false, hasHiddenBias: false, constantWeights: true)
    let op = Recurrence(RecurrentCell(.gru), givesSequence: true)
    let expected = try runOperator(op, operands, outputs: 2)
    operands[1] = .tensor(HostTensor(.float32, [5, 4], layer.h0 + [Float](repeating: 9, count: 12)))
    #expect(values(try runOperator(op, operands, outputs: 2)[0]) == values(expected[0]))
    operands[1] = .tensor(HostTensor(.float32, [1, 4], Array(layer.h0.prefix(4))))
    #expect(throws: (any Error).self) { try runOperator(op, operands, outputs: 2) }
  }

  @Test func absentStatesAreZeroAndNoStepsKeepTheState() throws {
    let layer = ReferenceLayer(RecurrentCell(.gru), steps: 2, batch: 1, inputs: 2, hidden: 3)
    var operands = layer.operands(hasPeephole: false, hasHiddenBias: false, constantWeights: true)
    let zeros = HostTensor(zeros: .float32, shape: [1, 3])
    let op = Recurrence(RecurrentCell(.gru), givesSequence: true)
    var withZeros = operands
    withZeros[1] = .tensor(zeros)
    let expected = try runOperator(op, withZeros, outputs: 2)
    operands[1] = .absent
    #expect(values(try runOperator(op, operands, outputs: 2)[0]) == values(expected[0]))
    operands = layer.operands(hasPeephole: false, hasHiddenBias: false, constantWeights: true)
    operands[0] = .tensor(HostTensor(zeros: .float32, shape: [0, 1, 2]))
    let none = try runOperator(op, operands, outputs: 2)
    #expect(values(none[0]).isEmpty)
    #expect(values(none[1]) == layer.h0.map(Double.init))
  }

  @Test func operandsThatDoNotFitAreErrors() throws {
    let layer = ReferenceLayer(RecurrentCell(.lstm), steps: 2, batch: 1, inputs: 2, hidden: 3)
    let good = layer.operands(hasPeephole: true, hasHiddenBias: true, constantWeights: true)
    let op = Recurrence(RecurrentCell(.lstm), givesSequence: true)
    _ = try runOperator(op, good, outputs: 3)
    for index in 0..<8 {
      var bad = good
      bad[index] = .constant(HostTensor(zeros: .float32, shape: [5, 4]))
      #expect(throws: (any Error).self, "operand \(index)") { try runOperator(op, bad, outputs: 3) }
    }
    #expect(throws: (any Error).self) { try runOperator(Recurrence(RecurrentCell(.gru), givesSequence: true), good, outputs: 2) }
  }

  @Test func resultsDoNotDependOnTheNumberOfThreads() throws {
    let layer = ReferenceLayer(RecurrentCell(.lstm), steps: 3, batch: 3, inputs: 40, hidden: 700)
    let operands = layer.operands(hasPeephole: false, hasHiddenBias: false, constantWeights: true)
    let op = Recurrence(RecurrentCell(.lstm), givesSequence: true)
    let one = try runOperator(op, operands, outputs: 3, threads: 1)
    let three = try runOperator(op, operands, outputs: 3, threads: 3)
    #expect(values(one[0]) == values(three[0]))
  }
}
