import Foundation
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import Testing

private func expectClose(_ actual: [Float], _ expected: [Double], _ bound: Double, _ comment: Comment = "") {
  #expect(actual.count == expected.count, comment)
  for (index, pair) in zip(actual, expected).enumerated() where !(abs(Double(pair.0) - pair.1) <= bound) {
    Issue.record("element \(index): \(pair.0), expected \(pair.1); \(comment)")
    return
  }
}

@Suite struct NormalizationTests {
  @Test(
    arguments: [
      ([], 0, []), ([5], 0, [0]), ([3, 7], 1, [0, 1]), ([3, 7], 0, [0, 1]), ([3, 7], -1, [1, 0]),
      ([2, 5, 3, 4], 1, [0, 2, 3, 1]), ([2, 5, 3, 4], 2, [0, 1, 2, 3]), ([2, 5, 3, 4], 3, [3, 2, 1, 0]), ([0, 3], 1, [0, 1]),
      ([2, 1], 1, [0, 1]),
    ] as [([Int], Int, [Int])])
  func softmaxAlongAnyAxisInAnyLayout(_ shape: [Int], _ axis: Int, _ order: [Int]) throws {
    var random = SeededGenerator(seed: 21)
    let x = random.floats(shape.reduce(1, *), in: -20...90)
    let normal = shape.isEmpty ? 0 : (axis + shape.count) % shape.count
    let extent = shape.isEmpty ? 1 : shape[normal]
    let inner = shape.dropFirst(normal + 1).reduce(1, *)
    var expected: [Double] = []
    var logarithms: [Double] = []
    for index in x.indices {
      let first = index - index / inner % extent * inner
      let line = (0..<extent).map { Double(x[first + $0 * inner]) }
      let largest = line.max()!
      let sum = line.reduce(0) { $0 + exp($1 - largest) }
      expected.append(exp(Double(x[index]) - largest) / sum)
      logarithms.append(Double(x[index]) - largest - log(sum))
    }
    let operand = TestOperand.laidOut(HostTensor(.float32, shape, x), order)
    expectClose(try runTensorOperator(Softmax(axis: axis, dtype: .float32), [operand]).elements(), expected, 1e-6)
    let result = try runTensorOperator(Softmax(axis: axis, isLogarithm: true, dtype: .float64), [operand])
    #expect(zip(result.elements(as: Double.self), logarithms).allSatisfy { abs($0 - $1) < 1e-12 })
  }

  /// Rows that are computed in parts, with elements that matter in each part.
  @Test func softmaxOfLongRows() throws {
    let count = (1 << 20) + 5
    let places = [3, 1 << 19, 1 << 20, count - 1]
    var x = [Float](repeating: -200, count: 2 * count)
    for (index, place) in places.enumerated() {
      x[place] = Float(index)
      x[count + place] = Float(3 - index)
    }
    let operand = TestOperand.laidOut(HostTensor(.float32, [2, count], x), [0, 1])
    let probabilities: [Float] = try runTensorOperator(Softmax(axis: 1, dtype: .float32), [operand]).elements()
    let logarithms: [Float] = try runTensorOperator(Softmax(axis: 1, isLogarithm: true, dtype: .float32), [operand]).elements()
    let sum = (0..<4).reduce(0) { $0 + exp(Double($1)) }
    for (index, place) in places.enumerated() {
      for (start, power) in [(0, Double(index)), (count, Double(3 - index))] {
        #expect(abs(Double(probabilities[start + place]) - exp(power) / sum) < 1e-6)
        #expect(abs(Double(logarithms[start + place]) - (power - log(sum))) < 1e-6)
      }
    }
    #expect(probabilities.count { $0 > 0 } == 8)
    x[count - 1] = .nan
    let spoiled = TestOperand.laidOut(HostTensor(.float32, [2, count], x), [0, 1])
    let results: [Float] = try runTensorOperator(Softmax(axis: 1, dtype: .float32), [spoiled]).elements()
    #expect(results[..<count].allSatisfy(\.isNaN) && results[count...].allSatisfy { !$0.isNaN })
  }

  /// Normalises lines of elements in double precision.
  private func normalized(_ x: [Double], epsilon: Double) -> (values: [Double], mean: Double, rstd: Double) {
    let mean = x.reduce(0, +) / Double(x.count)
    let variance = x.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(x.count)
    let rstd = 1 / (variance + epsilon).squareRoot()
    return (x.map { ($0 - mean) * rstd }, mean, rstd)
  }

  private func results(_ op: any PlannedOperator, _ operands: [TestOperand], _ count: Int) throws -> [HostTensor] {
    try runOperator(op, operands, outputs: count).map {
      guard case .tensor(let tensor) = $0 else { throw HarnessError.noTensor }
      return tensor
    }
  }

  @Test(arguments: [([4, 9], 1), ([2, 3, 5], 2), ([2, 3, 5], 3), ([3, 40], 1), ([0, 3], 1)] as [([Int], Int)])
  func layerNormWithStatistics(_ shape: [Int], _ axisCount: Int) throws {
    var random = SeededGenerator(seed: 23)
    let count = shape.suffix(axisCount).reduce(1, *)
    let x = random.floats(shape.reduce(1, *), in: 20...24)
    let weight = random.floats(count)
    let bias = random.floats(count)
    var expected: [Double] = []
    var means: [Double] = []
    var deviations: [Double] = []
    for row in 0..<(x.count / count) {
      let line = normalized(x[row * count..<(row + 1) * count].map { Double($0) }, epsilon: 1e-5)
      expected += line.values.enumerated().map { $1 * Double(weight[$0]) + Double(bias[$0]) }
      means.append(line.mean)
      deviations.append(line.rstd)
    }
    let parameters = Array(shape.suffix(axisCount))
    let y = try results(
      LayerNorm(axisCount: axisCount, epsilon: 1e-5, hasStatistics: true),
      [
        .laidOut(HostTensor(.float32, shape, x), Array(shape.indices.reversed())), .constant(HostTensor(.float32, parameters, weight)),
        .tensor(HostTensor(.float32, parameters, bias)),
      ], 3)
    expectClose(y[0].elements(), expected, 2e-5)
    expectClose(y[1].elements(), means, 1e-5)
    expectClose(y[2].elements(), deviations, 1e-5)
    #expect(y[1].shape == shape.dropLast(axisCount) + Array(repeating: 1, count: axisCount))
    let double = try results(
      LayerNorm(axisCount: axisCount, epsilon: 1e-5),
      [
        .tensor(HostTensor(.float64, shape, x.map { Double($0) })), .tensor(HostTensor(.float64, parameters, weight.map { Double($0) })),
        .tensor(HostTensor(.float64, parameters, bias.map { Double($0) })),
      ], 1)
    #expect(zip(double[0].elements(as: Double.self), expected).allSatisfy { abs($0 - $1) < 1e-12 })
  }

  @Test(arguments: [(2, 6, [3, 2], 3), (1, 4, [], 1), (2, 4, [5], 4), (2, 6, [4, 4], 1)])
  func groupNormWithStatistics(_ batch: Int, _ channels: Int, _ spatial: [Int], _ groupCount: Int) throws {
    var random = SeededGenerator(seed: 25)
    let shape = [batch, channels] + spatial
    let plane = spatial.reduce(1, *)
    let x = random.floats(shape.reduce(1, *))
    let weight = random.floats(channels)
    let bias = random.floats(channels)
    let count = channels / groupCount * plane
    var expected: [Double] = []
    for group in 0..<batch * groupCount {
      let line = normalized(x[group * count..<(group + 1) * count].map { Double($0) }, epsilon: 1e-3)
      for (index, value) in line.values.enumerated() {
        let channel = group % groupCount * (channels / groupCount) + index / plane
        expected.append(value * Double(weight[channel]) + Double(bias[channel]))
      }
    }
    let order = [0] + Array(2..<shape.count) + [1]
    let y = try results(
      GroupNorm(groups: groupCount, epsilon: 1e-3, hasStatistics: true),
      [
        .laidOut(HostTensor(.float32, shape, x), order), .tensor(HostTensor(.float32, [channels], weight)),
        .constant(HostTensor(.float32, [channels], bias)),
      ], 3)
    expectClose(y[0].elements(), expected, 1e-5)
    #expect(y[1].shape == [batch, groupCount])
  }

  @Test(arguments: [([3, 5], [0, 1]), ([2, 5, 4, 3], [0, 1, 2, 3]), ([2, 5, 4, 3], [0, 2, 3, 1]), ([2, 17, 3], [2, 1, 0])])
  func batchNormByGivenAndOwnStatistics(_ shape: [Int], _ order: [Int]) throws {
    var random = SeededGenerator(seed: 27)
    let channels = shape[1]
    let plane = shape.dropFirst(2).reduce(1, *)
    let x = random.floats(shape.reduce(1, *))
    let weight = random.floats(channels)
    let bias = random.floats(channels)
    let mean = random.floats(channels)
    let variance = random.floats(channels, in: 0.5...2)
    let channel = { (index: Int) in index / plane % channels }
    let vector = { TestOperand.tensor(HostTensor(.float32, [channels], $0)) } as ([Float]) -> TestOperand
    let given = try runTensorOperator(
      BatchNorm(epsilon: 1e-3),
      [.laidOut(HostTensor(.float32, shape, x), order), vector(weight), vector(bias), vector(mean), vector(variance)])
    expectClose(
      given.elements(),
      x.indices.map {
        let c = channel($0)
        return (Double(x[$0]) - Double(mean[c])) / (Double(variance[c]) + 1e-3).squareRoot() * Double(weight[c]) + Double(bias[c])
      }, 1e-5)
    let own = try results(
      BatchStatisticsNorm(epsilon: 1e-3), [.laidOut(HostTensor(.float32, shape, x), order), .absent, .absent], 3)
    for c in 0..<channels {
      let members = x.indices.filter { channel($0) == c }
      let line = normalized(members.map { Double(x[$0]) }, epsilon: 1e-3)
      expectClose(members.map { own[0].elements(as: Float.self)[$0] }, line.values, 1e-5)
      expectClose([own[1].elements(as: Float.self)[c], own[2].elements(as: Float.self)[c]], [line.mean, line.rstd], 2e-5)
    }
  }
}
