import MartletGraph
import MartletOps
import MartletTensor
import MartletTesting
import Testing

@Suite struct RMSNormTests {
  private func tensor(_ dtype: DType, _ shape: [Int], _ numbers: [Double]) throws -> HostTensor {
    try #require(HostTensor(numbers.map { Scalar.double($0) }, dtype: dtype, shape: shape))
  }

  @Test(
    arguments: [[1], [5], [3, 1], [3, 17], [2, 3, 64], [1, 1, 1031], [0, 4], [2, 0]],
    [(DType.float32, 2e-6), (.float16, 2e-3), (.bfloat16, 2e-2)])
  func rowsOfAnyLengthInAnyLayout(_ shape: [Int], _ type: (dtype: DType, tolerance: Double)) throws {
    var random = SeededGenerator(seed: 17)
    let count = shape.last ?? 0
    let x = try tensor(type.dtype, shape, random.floats(shape.reduce(1, *), in: -3...3).map { Double($0) })
    let weight = try tensor(type.dtype, [count], random.floats(count, in: -2...2).map { Double($0) })
    let (numbers, factors) = (x.numbers, weight.numbers)
    for hasWeight in [false, true] {
      let expected = numbers.indices.map { position in
        let row = position / count * count
        let mean = numbers[row..<row + count].reduce(0) { $0 + $1 * $1 } / Double(count)
        return numbers[position] / (mean + 0.01).squareRoot() * (hasWeight ? factors[position - row] : 1)
      }
      for operand in layouts(x) {
        let y = try runTensorOperator(RMSNorm(epsilon: 0.01), hasWeight ? [operand, .tensor(weight)] : [operand])
        #expect(y.dtype == type.dtype && y.shape == shape)
        let wrong = zip(y.numbers, expected).first { !(abs($0 - $1) <= type.tolerance * max(abs($1), 1)) }
        #expect(wrong == nil, "\(shape)")
      }
    }
  }

  @Test func specialValuesStayInTheirRows() throws {
    let x = try tensor(.float32, [4, 3], [.nan, 1, 2, .infinity, 1, 2, 0, 0, 0, 3, 4, 5])
    let y: [Double] = try runTensorOperator(RMSNorm(epsilon: 0), [.tensor(x)]).numbers
    #expect(y[0...2].count { $0.isNaN } == 3)
    #expect(y[3].isNaN && y[4] == 0 && y[5] == 0)
    #expect(y[6...8].count { $0.isNaN } == 3)
    let expected = 3 / (50.0 / 3).squareRoot()
    #expect(abs(y[9] - expected) < 1e-6)
  }

  @Test func aWeightThatDoesNotFitIsRejected() throws {
    let x = try tensor(.float32, [2, 3], [1, 2, 3, 4, 5, 6])
    let weight = try tensor(.float32, [2], [1, 2])
    #expect(throws: (any Error).self) { try runTensorOperator(RMSNorm(epsilon: 0), [.tensor(x), .tensor(weight)]) }
  }
}
