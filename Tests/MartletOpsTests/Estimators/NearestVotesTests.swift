import MartletGraph
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import Testing

private func numbers(_ results: [CallResult]) throws -> [Double] {
  guard case .tensor(let tensor) = results[0] else { throw HarnessError.noTensor }
  return tensor.elements(as: Double.self)
}

@Suite struct NearestVotesTests {
  /// The definition: all distances sorted, by index where they are equal.
  private func reference(_ row: [Double], _ samples: [[Double]], _ classes: [Int32], _ count: Int, _ classCount: Int, _ isWeighted: Bool)
    -> [Double]
  {
    let distances = samples.map { sample in zip(row, sample).reduce(0.0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) } }
    let nearest = samples.indices.sorted { (distances[$0], $0) < (distances[$1], $1) }.prefix(count)
    let isExact = isWeighted && nearest.contains { distances[$0] == 0 }
    var votes = [Double](repeating: 0, count: classCount)
    for index in nearest {
      votes[Int(classes[index])] += !isWeighted ? 1 : isExact ? (distances[index] == 0 ? 1 : 0) : 1 / distances[index].squareRoot()
    }
    let total = votes.reduce(0, +)
    return votes.map { $0 / total }
  }

  @Test(arguments: [1, 3, 7], [false, true]) func votesAreThoseOfTheNearest(_ count: Int, _ isWeighted: Bool) throws {
    var random = SeededGenerator(seed: 5)
    for (rowCount, sampleCount, columns) in [(1, 7, 1), (5, 16, 3), (37, 50, 4), (0, 9, 2), (18, 65, 9)] {
      // Numbers on a grid, so that many distances are equal and some are 0.
      func grid() -> [Double] { (0..<columns).map { _ in Double(Int.random(in: -2...2, using: &random)) } }
      let samples = (0..<sampleCount).map { _ in grid() }
      let rows = (0..<rowCount).map { _ in grid() }
      let classes = (0..<sampleCount).map { _ in Int32.random(in: 0..<3, using: &random) }
      for isConstant in [false, true] {
        let tensor = HostTensor(.float32, [sampleCount, columns], samples.flatMap { $0.map { Float($0) } })
        let found = try numbers(
          runOperator(
            NearestVotes(count: count, classCount: 3, isWeighted: isWeighted),
            [
              .tensor(HostTensor(.float64, [rowCount, columns], rows.flatMap { $0 })), isConstant ? .constant(tensor) : .tensor(tensor),
              .constant(HostTensor(.int32, [sampleCount], classes)),
            ]))
        let expected = rows.flatMap { reference($0, samples, classes, count, 3, isWeighted) }
        #expect(found.count == expected.count && zip(found, expected).allSatisfy { abs($0 - $1) < 1e-12 })
      }
    }
  }

  /// Many rows are compared by products first. Far from the origin these have no digits left, and some overflow.
  @Test(arguments: [0, 1e8, 1e160]) func manyRowsGetTheVotesOfSingleRows(_ offset: Double) throws {
    var random = SeededGenerator(seed: 11)
    let (rowCount, sampleCount, columns) = (43, 150, 33)
    func near(_ count: Int) -> [Double] { (0..<count).map { _ in offset + Double.random(in: -1...1, using: &random) } }
    var rows = near(rowCount * columns)
    var samples = near(sampleCount * columns)
    for special in [Double.nan, .infinity, -.infinity, 1e300] {
      rows[Int.random(in: 0..<rows.count, using: &random)] = special
      samples[Int.random(in: 0..<samples.count, using: &random)] = special
    }
    let classes = (0..<sampleCount).map { Int32($0 % 5) }
    func votes(_ rows: [Double]) throws -> [UInt64] {
      let operands: [TestOperand] = [
        .tensor(HostTensor(.float64, [rows.count / columns, columns], rows)),
        .constant(HostTensor(.float64, [sampleCount, columns], samples)), .constant(HostTensor(.int32, [sampleCount], classes)),
      ]
      return try numbers(runOperator(NearestVotes(count: 4, classCount: 5, isWeighted: true), operands)).map(\.bitPattern)
    }
    let single = try (0..<rowCount).flatMap { try votes(Array(rows[$0 * columns..<($0 + 1) * columns])) }
    #expect(try votes(rows) == single)
  }

  @Test func moreNeighboursThanSamplesAreAllSamples() throws {
    let operands: [TestOperand] = [
      .tensor(HostTensor(.float64, [1, 1], [0] as [Double])), .constant(HostTensor(.float32, [3, 1], [1, 2, 3] as [Float])),
      .constant(HostTensor(.int32, [3], [0, 1, 1] as [Int32])),
    ]
    let found = try numbers(runOperator(NearestVotes(count: 10, classCount: 2, isWeighted: false), operands))
    #expect(found == [1.0 / 3, 2.0 / 3])
  }

  @Test func classesAndShapesThatDoNotFitAreRejected() throws {
    let x = TestOperand.tensor(HostTensor(zeros: .float64, shape: [2, 3]))
    func samples(_ shape: [Int]) -> TestOperand { .constant(HostTensor(zeros: .float32, shape: shape)) }
    func classes(_ values: [Int32]) -> TestOperand { .constant(HostTensor(.int32, [values.count], values)) }
    let op = NearestVotes(count: 1, classCount: 2, isWeighted: false)
    for operands in [
      [x, samples([2, 3]), classes([0, 2])], [x, samples([2, 3]), classes([0, -1])], [x, samples([2, 4]), classes([0, 1])],
      [x, samples([2, 3]), classes([0])], [x, samples([3]), classes([0, 1, 1])],
    ] { #expect(throws: (any Error).self) { try runOperator(op, operands) } }
  }
}
