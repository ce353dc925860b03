import MartletGraph
import MartletOps
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

@Suite struct L2NormTests {
  /// The numbers as elements of `dtype`.
  private func tensor(_ dtype: DType, _ shape: [Int], _ numbers: [Double]) throws -> HostTensor {
    try #require(HostTensor(numbers.map { Scalar.double($0) }, dtype: dtype, shape: shape))
  }

  /// The formula in double precision: elements whose coordinates agree outside `axes`, which are not negative, share a sum.
  private func reference(_ x: HostTensor, _ axes: [Int], _ epsilon: Double) -> [Double] {
    let numbers = x.numbers
    let lines = numbers.indices.map { position in
      ReferenceTensor.coordinates(position, x.shape).enumerated().map { axes.contains($0) ? 0 : $1 }
    }
    var sums: [[Int]: Double] = [:]
    for (line, number) in zip(lines, numbers) { sums[line, default: 0] += number * number }
    return zip(lines, numbers).map { $1 / (sums[$0]! + epsilon).squareRoot() }
  }

  @Test(
    arguments: [
      ([], []), ([], [0]), ([0], [0]), ([1], [0]), ([5], [0]), ([5], []), ([3, 7], [1]), ([3, 7], [0]), ([33, 17], [1, 0]),
      ([2, 0, 5], [1]), ([2, 0, 5], [0]), ([2, 3, 5], [0, 1, 2]), ([1, 1, 1, 1], [1, 2, 3]), ([3, 1, 7, 1], [1, 2, 3]),
      ([2, 3, 5, 7], [1, 2, 3]), ([2, 3, 5, 7], [1]), ([2, 3, 5, 7], [0, 3]), ([1, 5, 17, 31], [1, 2, 3]),
      ([2, 3, 2, 3, 5], [2, 3, 4]), ([2, 1, 3, 2, 2, 3], [3, 4, 5]), ([2, 1, 3, 2, 2, 3], [0, 2, 5]),
    ] as [([Int], [Int])], [(DType.float32, 1e-6, 0), (.float64, 1e-14, 0), (.float16, 5e-4, 0x1p-25), (.bfloat16, 5e-3, 0)])
  func anyAxesInAnyLayout(_ call: (shape: [Int], axes: [Int]), _ type: (dtype: DType, relative: Double, absolute: Double)) throws {
    var random = SeededGenerator(seed: 31)
    let x = try tensor(type.dtype, call.shape, random.floats(call.shape.reduce(1, *), in: -3...3).map { Double($0) })
    let expected = reference(x, call.axes, 0.25)
    let fromEnd = call.axes.map { $0 - max(call.shape.count, 1) }
    for (axes, operand) in layouts(x).flatMap({ [(call.axes, $0), (fromEnd, $0)] }) {
      let y = try runTensorOperator(L2Norm(axes: axes, epsilon: 0.25), [operand])
      #expect(y.dtype == type.dtype && y.shape == call.shape)
      let numbers = y.numbers
      let wrong = expected.indices.first { !(abs(numbers[$0] - expected[$0]) <= type.relative * abs(expected[$0]) + type.absolute) }
      if let wrong { Issue.record("\(axes), element \(wrong): \(numbers[wrong]), expected \(expected[wrong])") }
    }
  }

  /// The results of rows of 19 elements: `start`, then ones.
  private func normalized(_ start: [Double], _ dtype: DType, epsilon: Double) throws -> [Double] {
    let row = start + [Double](repeating: 1, count: 19 - start.count)
    return try runTensorOperator(L2Norm(axes: [-1], epsilon: epsilon), [.tensor(try tensor(dtype, [1, 19], row))]).numbers
  }

  @Test(arguments: [DType.float32, .float64, .float16])
  func specialValues(_ dtype: DType) throws {
    #expect(try normalized([.nan], dtype, epsilon: 1e-6).allSatisfy(\.isNaN))
    let infinite = try normalized([-.infinity, 2], dtype, epsilon: 1e-6)
    #expect(infinite[0].isNaN && infinite.dropFirst().allSatisfy { $0 == 0 })
    // NaN in one row leaves the others alone.
    let rows = try tensor(dtype, [2, 1, 2], [.nan, 1, 3, 4])
    let results = try runTensorOperator(L2Norm(axes: [-2, -1], epsilon: 0), [.tensor(rows)]).numbers
    #expect(results[0].isNaN && results[1].isNaN && abs(results[2] - 0.6) < 1e-3 && abs(results[3] - 0.8) < 1e-3)

    let zeros = TestOperand.tensor(HostTensor(zeros: dtype, shape: [2, 3]))
    #expect(try runTensorOperator(L2Norm(axes: [1], epsilon: 1e-6), [zeros]).numbers == [Double](repeating: 0, count: 6))
    #expect(try runTensorOperator(L2Norm(axes: [1], epsilon: 0), [zeros]).numbers.allSatisfy(\.isNaN))
  }

  @Test func sumsBeyondTheRangeOfTheType() throws {
    // Squares of float16 are summed in float32.
    let half = try normalized([60000, 30000], .float16, epsilon: 0)
    #expect(abs(half[0] - 0.8944) < 1e-3 && abs(half[1] - 0.4472) < 1e-3)
    // A float32 sum of infinity divides finite elements to 0, one that vanishes leaves epsilon.
    #expect(try normalized([1e30], .float32, epsilon: 0).allSatisfy { $0 == 0 })
    let small = try tensor(.float32, [2], [1e-30, -2e-30])
    let scaled = try runTensorOperator(L2Norm(axes: [0], epsilon: 1e-6), [.tensor(small)]).numbers
    #expect(abs(scaled[0] - 1e-27) < 1e-33 && abs(scaled[1] + 2e-27) < 1e-33)
    let double = try normalized([1e30], .float64, epsilon: 0)
    #expect(abs(double[0] - 1) < 1e-15 && abs(double[1] - 1e-30) < 1e-44)
  }

  @Test func axesAndTypesThatDoNotFit() {
    let x = TestOperand.tensor(HostTensor(zeros: .float32, shape: [2, 3]))
    for axes in [[2], [-3], [0, -2]] {
      #expect(throws: (any Error).self, "\(axes)") { try runTensorOperator(L2Norm(axes: axes, epsilon: 0), [x]) }
    }
    let integers = TestOperand.tensor(HostTensor(zeros: .int32, shape: [2, 3]))
    #expect(throws: (any Error).self) { try runTensorOperator(L2Norm(axes: [1], epsilon: 0), [integers]) }
  }
}
