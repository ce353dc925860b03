import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import Testing

/// The elements of `shape` grouped by what reducing `axes` makes of them, in row-major order of result and group.
private func groups(_ shape: [Int], _ axes: [Int]) -> [[Int]] {
  let kept = shape.indices.filter { !axes.contains($0) }
  let count = kept.reduce(1) { $0 * shape[$1] }
  var groups = [[Int]](repeating: [], count: count)
  for position in 0..<shape.reduce(1, *) {
    var rest = position
    var index = [Int](repeating: 0, count: shape.count)
    for axis in shape.indices.reversed() {
      index[axis] = rest % shape[axis]
      rest /= shape[axis]
    }
    groups[kept.reduce(0) { $0 * shape[$1] + index[$1] }].append(position)
  }
  return groups
}

private func isClose(_ a: Double, _ b: Double, _ bound: Double) -> Bool { a == b || (a.isNaN && b.isNaN) || abs(a - b) <= bound }

@Suite struct ReductionTests {
  /// Shape, reduced axes, order of axes in memory.
  static let layouts: [([Int], [Int], [Int])] = [
    ([], [], []), ([1], [0], [0]), ([7], [0], [0]), ([5, 3], [], [0, 1]), ([5, 33], [1], [0, 1]), ([5, 33], [0], [0, 1]),
    ([4, 3, 5], [1], [0, 1, 2]), ([4, 3, 5], [0, 2], [0, 1, 2]), ([4, 3, 5], [0, 2], [2, 0, 1]), ([2, 3, 4, 5], [2, 3], [0, 1, 2, 3]),
    ([2, 70, 4, 5], [2, 3], [0, 2, 3, 1]), ([2, 3, 4, 5], [1], [0, 2, 3, 1]), ([2, 3, 4, 5], [0, 1, 2, 3], [0, 2, 3, 1]),
    ([2, 1, 3, 1, 2, 2], [0, 2, 5], [5, 1, 0, 2, 4, 3]), ([1, 1, 1], [1], [0, 1, 2]), ([3, 0, 2], [1], [0, 1, 2]),
    ([0, 4], [1], [0, 1]), ([300, 70], [0], [0, 1]), ([6, 4000], [1], [0, 1]),
  ]

  @Test(arguments: layouts) func sumsAndMeansOfAnyAxesInAnyLayout(_ layout: ([Int], [Int], [Int])) throws {
    let (shape, axes, order) = layout
    var random = SeededGenerator(seed: 3)
    let x = random.floats(shape.reduce(1, *), in: -3...3)
    let tensor = HostTensor(.float32, shape, x)
    let expected = groups(shape, axes).map { $0.reduce(0) { $0 + Double(x[$1]) } }
    let count = Double(axes.reduce(1) { $0 * shape[$1] })
    for keeps in [false, true] {
      let kept = shape.indices.filter { keeps || !axes.contains($0) }.map { axes.contains($0) ? 1 : shape[$0] }
      let sum = try runTensorOperator(Reduce(.sum, axes: axes, keepsAxes: keeps, dtype: .float32), [.laidOut(tensor, order)])
      let mean = try runTensorOperator(
        Reduce(.mean, axes: axes.map { $0 - shape.count }, keepsAxes: keeps, dtype: .float64), [.laidOut(tensor, order)])
      #expect(sum.shape == kept && mean.shape == kept)
      #expect(zip(sum.elements(as: Float.self), expected).allSatisfy { isClose(Double($0), $1, 1e-5 * max(1, count.squareRoot())) })
      #expect(zip(mean.elements(as: Double.self), expected).allSatisfy { isClose($0, $1 / count, 1e-12) })
    }
  }

  @Test(arguments: layouts) func integersReduceExactly(_ layout: ([Int], [Int], [Int])) throws {
    let (shape, axes, order) = layout
    var random = SeededGenerator(seed: 5)
    let x = (0..<shape.reduce(1, *)).map { _ in Int8.random(in: -100...100, using: &random) }
    let operand = TestOperand.laidOut(HostTensor(.int8, shape, x), order)
    let groups = groups(shape, axes)
    func run(_ function: Reduce.Function, _ dtype: DType) throws -> HostTensor {
      try runTensorOperator(Reduce(function, axes: axes, keepsAxes: false, dtype: dtype), [operand])
    }
    #expect(try run(.sum, .int64).elements(as: Int64.self) == groups.map { $0.reduce(0) { $0 + Int64(x[$1]) } })
    #expect(
      try run(.prod, .int8).elements(as: Int8.self)
        == groups.map { Int8(truncatingIfNeeded: $0.reduce(Int64(1)) { $0 &* Int64(x[$1]) }) })
    #expect(try run(.any, .bool).elements(as: UInt8.self) == groups.map { $0.contains { x[$0] != 0 } ? 1 : 0 })
    #expect(try run(.all, .uint8).elements(as: UInt8.self) == groups.map { $0.allSatisfy { x[$0] != 0 } ? 1 : 0 })
    #expect(try run(.sumAbs, .int32).elements(as: Int32.self) == groups.map { $0.reduce(0) { $0 + abs(Int32(x[$1])) } })
    #expect(
      try run(.sumSquares, .int32).elements(as: Int32.self) == groups.map { $0.reduce(0) { $0 + Int32(x[$1]) * Int32(x[$1]) } })
    if groups.allSatisfy({ !$0.isEmpty }) {
      #expect(try run(.max, .int8).elements(as: Int8.self) == groups.map { $0.map { x[$0] }.max()! })
      #expect(try run(.min, .int8).elements(as: Int8.self) == groups.map { $0.map { x[$0] }.min()! })
    } else {
      #expect(throws: (any Error).self) { try run(.max, .int8) }
    }
  }

  @Test(arguments: layouts.filter { $0.1.count == 1 && !$0.0.contains(0) })
  func positionsAreThoseOfTheFirstExtremum(_ layout: ([Int], [Int], [Int])) throws {
    let (shape, axes, order) = layout
    var random = SeededGenerator(seed: 9)
    let x = (0..<shape.reduce(1, *)).map { _ in Int32.random(in: -4...4, using: &random) }
    let tensor = HostTensor(.int32, shape, x)
    for wantsMaximum in [true, false] {
      let isBetter = { (a: Int32, b: Int32) in wantsMaximum ? a > b : a < b }
      let expected = groups(shape, axes).map { group in
        Int64(group.indices.reduce(0) { isBetter(x[group[$1]], x[group[$0]]) ? $1 : $0 })
      }
      let result = try runTensorOperator(
        ArgReduce(wantsMaximum: wantsMaximum, axis: axes[0], keepsAxes: true), [.laidOut(tensor, order)])
      #expect(result.elements(as: Int64.self) == expected)
      let all = try runTensorOperator(
        ArgReduce(wantsMaximum: wantsMaximum, axis: nil, keepsAxes: false), [.laidOut(tensor, order)])
      #expect(all.elements(as: Int64.self) == [Int64(x.indices.reduce(0) { isBetter(x[$1], x[$0]) ? $1 : $0 })])
    }
  }

  @Test func NaNWinsExtremaAndCountsAsTrue() throws {
    let x = HostTensor(.float32, [2, 3], [1, Float.nan, 5, -Float.infinity, -1, 0])
    let maximum = try runTensorOperator(Reduce(.max, axes: [1], keepsAxes: false, dtype: .float32), [.tensor(x)])
    #expect(maximum.elements(as: Float.self)[0].isNaN && maximum.elements(as: Float.self)[1] == 0)
    let position = try runTensorOperator(ArgReduce(wantsMaximum: false, axis: 1, keepsAxes: false), [.tensor(x)])
    #expect(position.elements(as: Int64.self) == [1, 0])
    let any = try runTensorOperator(Reduce(.any, axes: [0], keepsAxes: false, dtype: .bool), [.tensor(x)])
    #expect(any.elements(as: UInt8.self) == [1, 1, 1])
  }

  @Test func sumsOfComplexElementsAddBothParts() throws {
    let x = HostTensor(.complex64, [2, 2], [SIMD2<Float>(1, 2), SIMD2(3, 4), SIMD2(5, 6), SIMD2(7, 8)])
    let result = try runTensorOperator(Reduce(.sum, axes: [0], keepsAxes: false, dtype: .complex64), [.laidOut(x, [1, 0])])
    #expect(result.elements(as: SIMD2<Float>.self) == [SIMD2(6, 8), SIMD2(10, 12)])
  }

  @Test func aMillionEqualNumbersSumWithoutDrift() throws {
    let x = HostTensor(.float32, [1_000_003], [Float](repeating: 0.1, count: 1_000_003))
    let sum = try runTensorOperator(Reduce(.sum, axes: nil, keepsAxes: false, dtype: .float32), [.tensor(x)])
    #expect(abs(Double(sum.elements(as: Float.self)[0]) - Double(Float(0.1)) * 1_000_003) < 0.05)
  }

  @Test(arguments: layouts.filter { !$0.0.contains(0) })
  func variancesMatchTheDefinition(_ layout: ([Int], [Int], [Int])) throws {
    let (shape, axes, order) = layout
    var random = SeededGenerator(seed: 11)
    let x = random.floats(shape.reduce(1, *), in: 99...101)
    for correction in [0.0, 1, 0.5] {
      let op = Variance(axes: axes, keepsAxes: false, correction: correction, hasMean: true, dtype: .float32)
      let results = try runOperator(op, [.laidOut(HostTensor(.float32, shape, x), order)], outputs: 2)
      guard case .tensor(let variance) = results[0], case .tensor(let mean) = results[1] else { throw HarnessError.noTensor }
      for (index, group) in groups(shape, axes).enumerated() {
        let center = group.reduce(0) { $0 + Double(x[$1]) } / Double(group.count)
        let squares = group.reduce(0) { $0 + (Double(x[$1]) - center) * (Double(x[$1]) - center) }
        let expected = squares / max(Double(group.count) - correction, 0)
        #expect(isClose(Double(mean.elements(as: Float.self)[index]), center, 1e-4))
        #expect(isClose(Double(variance.elements(as: Float.self)[index]), expected, 1e-5))
      }
    }
  }

  @Test(arguments: [([], 0), ([6], 0), ([2, 5, 3], 1), ([2, 5, 3], -1), ([2, 0, 3], 1), ([4, 3], 0)] as [([Int], Int)])
  func runningSumsAddUpInTheTypeOfTheResult(_ shape: [Int], _ axis: Int) throws {
    var random = SeededGenerator(seed: 13)
    let x = (0..<shape.reduce(1, *)).map { _ in UInt8.random(in: 0...255, using: &random) }
    let normal = shape.isEmpty ? 0 : (axis + shape.count) % shape.count
    let inner = shape.dropFirst(normal + 1).reduce(1, *)
    let extent = shape.isEmpty ? 1 : shape[normal]
    var sums = x.map { Int64($0) }
    for index in x.indices where index / inner % extent > 0 { sums[index] += sums[index - inner] }
    let tensor = TestOperand.tensor(HostTensor(.uint8, shape, x))
    #expect(try runTensorOperator(CumulativeSum(axis: axis, dtype: .int64), [tensor]).elements(as: Int64.self) == sums)
    #expect(
      try runTensorOperator(CumulativeSum(axis: axis, dtype: .int8), [tensor]).elements(as: Int8.self)
        == sums.map { Int8(truncatingIfNeeded: $0) })
    #expect(try runTensorOperator(CumulativeSum(axis: axis, dtype: .float32), [tensor]).elements(as: Float.self) == sums.map { Float($0) })
  }

  @Test func axesThatDoNotFitAreRefused() {
    let x = TestOperand.tensor(HostTensor(zeros: .float32, shape: [2, 3]))
    for axes in [[2], [-3], [0, 0], [1, -1]] {
      #expect(throws: (any Error).self) {
        try runTensorOperator(Reduce(.sum, axes: axes, keepsAxes: false, dtype: .float32), [x])
      }
    }
    #expect(throws: (any Error).self) { try runTensorOperator(CumulativeSum(axis: 2, dtype: .float32), [x]) }
    #expect(throws: (any Error).self) { try runTensorOperator(ArgReduce(wantsMaximum: true, axis: 5, keepsAxes: false), [x]) }
  }
}
