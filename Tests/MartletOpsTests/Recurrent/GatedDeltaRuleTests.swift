import Foundation
import MartletGraph
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import Testing

@Suite struct GatedDeltaRuleTests {
  struct Extents: CustomStringConvertible, Sendable {
    var (batch, states, group, positions, depth, width) = (1, 1, 1, 1, 1, 1)
    var hasRowDecay = true
    var description: String { "\(batch) × \(states) × \(group), \(positions) positions, \(depth) × \(width), \(hasRowDecay)" }

    init(_ extents: [Int], hasRowDecay: Bool) {
      (batch, states, group) = (extents[0], extents[1], extents[2])
      (positions, depth, width) = (extents[3], extents[4], extents[5])
      self.hasRowDecay = hasRowDecay
    }
  }

  private struct Problem {
    var extents: Extents
    var (q, k, v, decay, beta, state) = ([Float](), [Float](), [Float](), [Float](), [Float](), [Float]())

    /// - Parameter isShort: whether all numbers have eight significant bits.
    init(_ extents: Extents, seed: UInt64, isShort: Bool = false) {
      self.extents = extents
      var random = SeededGenerator(seed: seed)
      let rows = extents.batch * extents.states * extents.positions
      q = random.floats(rows * extents.group * extents.depth)
      k = random.floats(rows * extents.depth)
      v = random.floats(rows * extents.width)
      decay = random.floats(extents.hasRowDecay ? rows * extents.depth : rows).map { abs($0) }
      beta = random.floats(rows).map { abs($0) }
      state = random.floats(extents.batch * extents.states * extents.depth * extents.width)
      guard isShort else { return }
      for path in [\Problem.q, \.k, \.v, \.decay, \.beta, \.state] {
        self[keyPath: path] = self[keyPath: path].map { Float(bitPattern: $0.bitPattern & 0xFFFF_0000) }
      }
    }

    var tensors: [HostTensor] {
      let e = extents
      let rows = [e.batch, e.states, e.positions]
      return [
        HostTensor(.float32, [e.batch, e.states, e.depth, e.width], state),
        HostTensor(.float32, [e.batch, e.states * e.group, e.positions, e.depth], q), HostTensor(.float32, rows + [e.depth], k),
        HostTensor(.float32, rows + [e.width], v), HostTensor(.float32, e.hasRowDecay ? rows + [e.depth] : rows, decay),
        HostTensor(.float32, rows, beta),
      ]
    }

    /// Whole matrices in double precision, by the definition: S ← D S, S ← S + beta k (v - Sᵀ k)ᵀ, y = Sᵀ q.
    var expected: (state: [Double], y: [Double]) {
      let e = extents
      var states: [Double] = []
      var y = [Double](repeating: 0, count: e.batch * e.states * e.group * e.positions * e.width)
      for index in 0..<e.batch * e.states {
        var matrix = (0..<e.depth).map { i in (0..<e.width).map { Double(state[(index * e.depth + i) * e.width + $0]) } }
        for t in 0..<e.positions {
          let row = index * e.positions + t
          for i in 0..<e.depth {
            let factor = Double(decay[e.hasRowDecay ? row * e.depth + i : row])
            for j in 0..<e.width { matrix[i][j] *= factor }
          }
          let key = (0..<e.depth).map { Double(k[row * e.depth + $0]) }
          let errors = (0..<e.width).map { (j: Int) -> Double in
            Double(v[row * e.width + j]) - (0..<e.depth).reduce(0.0) { $0 + matrix[$1][j] * key[$1] }
          }
          for i in 0..<e.depth {
            for j in 0..<e.width { matrix[i][j] += Double(beta[row]) * key[i] * errors[j] }
          }
          for head in index * e.group..<(index + 1) * e.group {
            let place = head * e.positions + t
            let query = (0..<e.depth).map { Double(q[place * e.depth + $0]) }
            for j in 0..<e.width { y[place * e.width + j] = (0..<e.depth).reduce(0.0) { $0 + matrix[$1][j] * query[$1] } }
          }
        }
        states += matrix.flatMap { $0 }
      }
      return (states, y)
    }
  }

  private static let shapes: [[Int]] = [
    [1, 1, 1, 1, 1, 1], [2, 3, 1, 4, 5, 6], [1, 2, 2, 7, 3, 17], [2, 1, 3, 1, 16, 16], [1, 4, 1, 33, 9, 8], [1, 2, 1, 0, 3, 4],
    [1, 2, 1, 3, 4, 0], [0, 2, 1, 3, 4, 5], [1, 1, 1, 2, 0, 3],
  ]

  @Test(arguments: shapes, [true, false]) func positionsFollowTheDefinition(_ shape: [Int], _ hasRowDecay: Bool) throws {
    let problem = Problem(Extents(shape, hasRowDecay: hasRowDecay), seed: UInt64(shape.reduce(1) { $0 * 31 + $1 }))
    let tensors = problem.tensors
    let expected = problem.expected
    // Operands also as they come out of a transposition of heads and positions.
    for laidOut in [false, true] {
      let operands = tensors.enumerated().map { index, tensor -> TestOperand in
        laidOut && (1...3).contains(index) ? .laidOut(tensor, [0, 2, 1, 3]) : .tensor(tensor)
      }
      let results = try runOperator(GatedDeltaRule(), operands, outputs: 2)
      for (result, wanted) in zip(results, [expected.state, expected.y]) {
        guard case .tensor(let tensor) = result else { throw HarnessError.noTensor }
        let own = tensor.elements(as: Float.self)
        #expect(own.count == wanted.count)
        #expect(zip(own, wanted).allSatisfy { abs(Double($0) - $1) <= 2e-4 * max(1, abs($1)) })
      }
    }
    // The state that was handed over is still the first one.
    #expect(tensors[0].elements(as: Float.self) == problem.state)
  }

  /// Sums are those of float32: only results are rounded. A state of float32 keeps its precision beside operands of halves.
  @Test(arguments: [DType.float16, .bfloat16], [true, false]) func halvesAreRoundedOnce(_ dtype: DType, _ hasWideState: Bool) throws {
    let exact = Problem(Extents([2, 2, 2, 40, 9, 17], hasRowDecay: false), seed: 21, isShort: true)
    let operands = exact.tensors.enumerated().map { TestOperand.tensor(hasWideState && $0 == 0 ? $1 : $1.rounded(to: dtype)) }
    let results = try runOperator(GatedDeltaRule(), operands, outputs: 2)
    let epsilon = dtype == .float16 ? 0x1p-11 : 0x1p-8
    for (index, (result, wanted)) in zip(results, [exact.expected.state, exact.expected.y]).enumerated() {
      guard case .tensor(let tensor) = result else { throw HarnessError.noTensor }
      let isWide = hasWideState && index == 0
      #expect(tensor.dtype == (isWide ? .float32 : dtype))
      let own = tensor.widened
      #expect(own.count == wanted.count)
      for (a, b) in zip(own, wanted) {
        let bound = (isWide ? 0 : epsilon * abs(b)) + 2e-4 * max(1, abs(b))
        #expect(abs(Double(a) - b) <= bound)
      }
    }
  }

  /// The state after two calls is that after one call with all positions.
  @Test func callsContinueEachOther() throws {
    let whole = Problem(Extents([1, 2, 1, 9, 4, 5], hasRowDecay: true), seed: 8)
    func part(_ range: Range<Int>, state: HostTensor) throws -> (state: HostTensor, y: HostTensor) {
      var operands = try whole.tensors.map { tensor -> TestOperand in
        guard tensor.shape.count > 2, tensor.shape[2] == 9 else { return .tensor(tensor) }
        return .tensor(
          try runTensorOperator(
            Slice(axis: 2, range: SliceRange(start: .constant(range.lowerBound), end: .count(.constant(range.count)))), [.tensor(tensor)]))
      }
      operands[0] = .tensor(state)
      let results = try runOperator(GatedDeltaRule(), operands, outputs: 2)
      guard case .tensor(let state) = results[0], case .tensor(let y) = results[1] else { throw HarnessError.noTensor }
      return (state, y)
    }
    let all = try part(0..<9, state: whole.tensors[0])
    let first = try part(0..<4, state: whole.tensors[0])
    let second = try part(4..<9, state: first.state)
    #expect(second.state.elements(as: Float.self) == all.state.elements(as: Float.self))
    #expect(first.y.elements(as: Float.self).prefix(20).elementsEqual(all.y.elements(as: Float.self).prefix(20)))
  }

  @Test func notANumberStaysInItsState() throws {
    var problem = Problem(Extents([1, 2, 1, 3, 4, 5], hasRowDecay: true), seed: 5)
    problem.v[7] = .nan
    problem.k[3 * 4 + 1] = .infinity
    let results = try runOperator(GatedDeltaRule(), problem.tensors.map { .tensor($0) }, outputs: 2)
    guard case .tensor(let y) = results[1] else { throw HarnessError.noTensor }
    for (own, wanted) in zip(y.elements(as: Float.self), problem.expected.y) {
      #expect(wanted.isNaN == own.isNaN && (wanted.isNaN || abs(Double(own) - wanted) < 1e-4))
    }
  }

  @Test func operandsThatDoNotFitAreRefused() {
    let good = Problem(Extents([1, 2, 2, 3, 4, 5], hasRowDecay: true), seed: 1).tensors
    let shapes: [(Int, [Int])] = [
      (0, [1, 2, 5, 4]), (0, [1, 4, 4, 5]), (1, [1, 3, 3, 4]), (1, [1, 4, 3, 5]), (1, [2, 4, 3, 4]), (2, [1, 2, 3, 5]), (2, [1, 2, 4, 4]),
      (3, [1, 3, 3, 5]), (4, [1, 2, 3, 1]), (4, [1, 2]), (5, [1, 2, 3, 1]), (5, [3]), (1, [4, 3, 4]),
    ]
    for (index, shape) in shapes {
      var operands = good
      operands[index] = HostTensor(zeros: .float32, shape: shape)
      #expect(throws: (any Error).self, "\(index): \(shape)") {
        try runOperator(GatedDeltaRule(), operands.map { .tensor($0) }, outputs: 2)
      }
    }
    for index in good.indices {
      var operands = good
      operands[index] = HostTensor(zeros: .float64, shape: good[index].shape)
      #expect(throws: (any Error).self) { try runOperator(GatedDeltaRule(), operands.map { .tensor($0) }, outputs: 2) }
    }
  }
}
