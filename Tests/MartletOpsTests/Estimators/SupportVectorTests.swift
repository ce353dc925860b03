import Foundation
import MartletGraph
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

private func numbers(_ results: [CallResult]) throws -> [Double] {
  guard case .tensor(let tensor) = results[0] else { throw HarnessError.noTensor }
  return tensor.elements(as: Double.self)
}

private func doubles(_ count: Int, _ random: inout SeededGenerator) -> [Double] {
  (0..<count).map { _ in Double.random(in: -1...1, using: &random) }
}

private func matches(_ found: [Double], _ expected: [Double], _ tolerance: Double = 1e-12) -> Bool {
  found.count == expected.count
    && zip(found, expected).allSatisfy { $0.isNaN && $1.isNaN || abs($0 - $1) <= tolerance * max(1, abs($1)) }
}

@Suite struct SupportVectorTests {
  private static let kernels: [VectorKernel] = [
    .linear, .rbf(gamma: 0.7), .polynomial(degree: 3, c: 0.5, gamma: 0.3), .polynomial(degree: 0, c: 0, gamma: 1),
    .sigmoid(gamma: 0.2, c: -0.1),
  ]

  private func value(_ kernel: VectorKernel, _ x: ArraySlice<Double>, _ y: ArraySlice<Double>) -> Double {
    let product = zip(x, y).reduce(0.0) { $0 + $1.0 * $1.1 }
    let distance = zip(x, y).reduce(0.0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    switch kernel {
    case .linear: return product
    case .rbf(let gamma): return exp(-gamma * distance)
    case .polynomial(let degree, let c, let gamma): return pow(gamma * product + c, Double(degree))
    case .sigmoid(let gamma, let c): return tanh(gamma * product + c)
    }
  }

  @Test(arguments: kernels, [(0, 3, 4), (1, 1, 1), (3, 17, 5), (5, 16, 1), (9, 40, 7), (2, 0, 3)])
  func sumsAreThoseOfTheDefinition(_ kernel: VectorKernel, _ sizes: (rows: Int, vectors: Int, columns: Int)) throws {
    var random = SeededGenerator(seed: 3)
    let (rows, vectors, columns) = sizes
    let x = doubles(rows * columns, &random)
    let y = doubles(vectors * columns, &random)
    let coefficients = doubles(2 * vectors, &random)
    // The middle group is empty.
    let groups = [vectors / 3, 0, vectors - vectors / 3]
    for isConstant in [false, true] {
      let samples = HostTensor(.float64, [vectors, columns], y)
      let found = try numbers(
        runOperator(
          SupportVectorSums(kernel, groups: groups),
          [
            .tensor(HostTensor(.float64, [rows, columns], x)), isConstant ? .constant(samples) : .tensor(samples),
            .constant(HostTensor(.float64, [2, vectors], coefficients)),
          ]))
      var expected: [Double] = []
      for row in 0..<rows {
        var first = 0
        for group in groups {
          for result in 0..<2 {
            expected.append(
              (first..<first + group).reduce(0.0) { sum, vector in
                sum + coefficients[result * vectors + vector]
                  * value(kernel, x[row * columns..<(row + 1) * columns], y[vector * columns..<(vector + 1) * columns])
              })
          }
          first += group
        }
      }
      #expect(matches(found, expected))
    }
  }

  @Test func votesCountThePairsThatAClassWins() throws {
    // Three classes: decisions (0, 1) = 1, (0, 2) = -1, (1, 2) = 0, which the second class of the pair wins.
    let sums: [Double] = [0.5, -1, 0.5, 0.25, 0, -0.25]
    let found = try numbers(
      runOperator(
        PairVotes(classCount: 3),
        [.tensor(HostTensor(.float64, [1, 6], sums)), .constant(HostTensor(zeros: .float64, shape: [3])), .absent, .absent]))
    #expect(found == [1, 0, 2])
  }

  @Test(arguments: [2, 3, 5]) func probabilitiesSolveTheCouplingProblem(_ classes: Int) throws {
    var random = SeededGenerator(seed: 7)
    let pairs = classes * (classes - 1) / 2
    let sums = doubles(4 * classes * (classes - 1), &random)
    let offsets = doubles(pairs, &random)
    let (a, b) = ([Double](repeating: -1.5, count: pairs), doubles(pairs, &random))
    func vector(_ values: [Double]) -> TestOperand { .constant(HostTensor(.float64, [pairs], values)) }
    let found = try numbers(
      runOperator(
        PairVotes(classCount: classes),
        [.tensor(HostTensor(.float64, [4, classes * (classes - 1)], sums)), vector(offsets), vector(a), vector(b)]))
    for row in 0..<4 {
      let p = Array(found[row * classes..<(row + 1) * classes])
      #expect(abs(p.reduce(0, +) - 1) < 1e-12 && p.allSatisfy { $0 > 0 })
      // Pairwise probabilities r, and the gradient of Σ (r_ji p_i - r_ij p_j)² along the simplex, which the solution makes equal.
      var r = [[Double]](repeating: [Double](repeating: 0, count: classes), count: classes)
      var pair = 0
      for i in 0..<classes {
        for j in i + 1..<classes {
          let place = row * classes * (classes - 1)
          let decision = sums[place + i * (classes - 1) + j - 1] + sums[place + j * (classes - 1) + i] - offsets[pair]
          r[i][j] = 1 / (1 + exp(a[pair] * decision + b[pair]))
          r[j][i] = 1 - r[i][j]
          pair += 1
        }
      }
      var gradient = [Double](repeating: 0, count: classes)
      for t in 0..<classes {
        for j in 0..<classes where j != t { gradient[t] += r[j][t] * (r[j][t] * p[t] - r[t][j] * p[j]) }
      }
      let level = zip(gradient, p).reduce(0.0) { $0 + $1.0 * $1.1 }
      #expect(gradient.allSatisfy { abs($0 - level) < 0.005 / Double(classes) })
    }
  }

  @Test func operandsThatDoNotFitAreRejected() throws {
    func zeros(_ shape: [Int], _ dtype: DType = .float64) -> TestOperand { .tensor(HostTensor(zeros: dtype, shape: shape)) }
    let op = SupportVectorSums(.linear, groups: [2, 1])
    for operands in [
      [zeros([2, 3]), zeros([3, 4]), zeros([1, 3])], [zeros([2, 3]), zeros([4, 3]), zeros([1, 4])],
      [zeros([2, 3]), zeros([3, 3]), zeros([1, 2])],
      [zeros([3]), zeros([3, 3]), zeros([1, 3])], [zeros([2, 3], .int32), zeros([3, 3]), zeros([1, 3])],
    ] { #expect(throws: (any Error).self) { try runOperator(op, operands) } }
    for operands in [
      [zeros([2, 6]), zeros([2]), .absent, .absent], [zeros([2, 5]), zeros([3]), .absent, .absent],
      [zeros([2, 6]), zeros([3]), zeros([3]), .absent], [zeros([2, 6]), zeros([3]), zeros([2]), zeros([3])],
    ] as [[TestOperand]] { #expect(throws: (any Error).self) { try runOperator(PairVotes(classCount: 3), operands) } }
  }
}
