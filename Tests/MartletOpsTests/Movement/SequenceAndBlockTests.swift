import Foundation
import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import Testing

@Suite struct SequenceAndBlockTests {
  @Test func sequencesAreReversedUpToTheirLengths() throws {
    let x = ReferenceTensor(counting: [3, 4, 2])
    let calls: [(Int, Int, [Int32])] = [(1, 0, [0, 4, 3]), (0, 1, [1, 2, 3, 0]), (0, 2, [3, 2]), (-1, 0, [2, 1, 0])]
    for (axis, batchAxis, lengths) in calls {
      let normal = axis < 0 ? axis + 3 : axis
      let expected = ReferenceTensor(x.shape) { place in
        var source = place
        let length = Int(lengths[place[batchAxis]])
        if place[normal] < length { source[normal] = length - 1 - place[normal] }
        return x[source]
      }
      for size in elementSizes {
        for operand in layouts(x.host(elementSize: size)) {
          let result = try runTensorOperator(
            ReverseSequence(axis: axis, batchAxis: batchAxis), [operand, .tensor(HostTensor(.int32, [lengths.count], lengths))])
          #expect(result.equals(expected.host(elementSize: size)), "\(axis) \(batchAxis)")
        }
      }
    }
    for lengths in [[0, 5, 0], [-1, 0, 0]] as [[Int32]] {
      #expect(throws: (any Error).self) {
        try runTensorOperator(ReverseSequence(axis: 1, batchAxis: 0), [.tensor(x.host()), .tensor(HostTensor(.int32, [3], lengths))])
      }
    }
    #expect(throws: (any Error).self) {
      try runTensorOperator(
        ReverseSequence(axis: 0, batchAxis: 0), [.tensor(x.host()), .tensor(HostTensor(.int32, [3], [1, 1, 1] as [Int32]))])
    }
  }

  @Test func blocksOfPixelsGoToTheBatchAndBack() throws {
    let x = ReferenceTensor(counting: [2, 3, 4, 6])
    let expected = ReferenceTensor([12, 3, 2, 2]) { place in
      let (block, image) = place[0].quotientAndRemainder(dividingBy: 2)
      return x[[image, place[1], place[2] * 2 + block / 3, place[3] * 3 + block % 3]]
    }
    for operand in layouts(x.host()) {
      #expect(try runTensorOperator(BlocksToBatch(height: 2, width: 3, isInverse: false), [operand]).equals(expected.host()))
    }
    for operand in layouts(expected.host()) {
      #expect(try runTensorOperator(BlocksToBatch(height: 2, width: 3, isInverse: true), [operand]).equals(x.host()))
    }
    for (height, width, isInverse) in [(3, 1, false), (0, 1, false), (3, 1, true), (Int.max, 2, true)] {
      #expect(throws: (any Error).self) {
        try runTensorOperator(BlocksToBatch(height: height, width: width, isInverse: isInverse), [.tensor(x.host())])
      }
    }
  }

  @Test func depthGoesToSpaceWithTheBlocksFirst() throws {
    let x = ReferenceTensor(counting: [2, 12, 2, 3])
    let expected = ReferenceTensor([2, 3, 4, 6]) { place in
      x[[place[0], (place[2] % 2 * 2 + place[3] % 2) * 3 + place[1], place[2] / 2, place[3] / 2]]
    }
    for operand in layouts(x.host()) {
      #expect(try runTensorOperator(PixelShuffle(factor: 2, isInverse: false, blocksFirst: true), [operand]).equals(expected.host()))
    }
    for operand in layouts(expected.host()) {
      #expect(try runTensorOperator(PixelShuffle(factor: 2, isInverse: true, blocksFirst: true), [operand]).equals(x.host()))
    }
  }

  @Test(arguments: [0, 1, 2]) func indicesMarkPositions(_ axis: Int) throws {
    let list = ReferenceTensor([2, 3], [0, 3, -1, 1, 4, 2])
    var shape = list.shape
    shape.insert(4, at: axis)
    let expected = ReferenceTensor(shape) { place in
      var rest = place
      let position = rest.remove(at: axis)
      return list[rest] == Int32(position) ? 7 : -2
    }
    let op = OneHot(count: .constant(4), axis: axis, dtype: .int32)
    for operand in layouts(list.host()) {
      #expect(try runTensorOperator(op, [operand, .number(.int(7)), .number(.int(-2))]).equals(expected.host()))
    }
    let dynamic = OneHot(count: .operand(3), axis: axis - 3, dtype: .float16)
    let result = try runTensorOperator(
      dynamic, [.tensor(list.host()), .number(.double(7)), .number(.double(-2)), .runtimeNumber(.int(4))])
    #expect(result.elements(as: Float16.self) == expected.elements.map { Float16($0) })
    #expect(throws: (any Error).self) {
      try runTensorOperator(
        OneHot(count: .constant(-1), axis: axis, dtype: .int32), [.tensor(list.host()), .number(.int(7)), .number(.int(-2))])
    }
  }

  @Test func runningSumsLeaveOutTheirOwnAndRunBackwards() throws {
    let x = ReferenceTensor([2, 4, 3]) { Int32($0[0] * 7 + $0[1] * $0[1] - 2 * $0[2]) }
    for (isExclusive, isReversed) in [(false, false), (true, false), (false, true), (true, true)] {
      let expected = ReferenceTensor(x.shape) { place in
        let range = isReversed ? (isExclusive ? place[1] + 1 : place[1])..<4 : 0..<(isExclusive ? place[1] : place[1] + 1)
        return range.reduce(0) { $0 + x[[place[0], $1, place[2]]] }
      }
      for operand in layouts(x.host()) {
        let op = CumulativeSum(axis: 1, dtype: .int32, isExclusive: isExclusive, isReversed: isReversed)
        #expect(try runTensorOperator(op, [operand]).equals(expected.host()))
        let floats = CumulativeSum(axis: 1, dtype: .float32, isExclusive: isExclusive, isReversed: isReversed)
        #expect(try runTensorOperator(floats, [operand]).elements(as: Float.self) == expected.elements.map { Float($0) })
      }
    }
  }

  @Test func allElementsAreSortedStably() throws {
    let x = HostTensor(.float32, [2, 5], [3, 1, 3, -1, 1, 0, 0, 0, 2, 2] as [Float])
    for (largest, expected) in [(true, [0, 2, 1, 4, 3, 3, 4, 0, 1, 2]), (false, [3, 1, 4, 0, 2, 0, 1, 2, 3, 4])] as [(Bool, [Int64])] {
      guard case .tensor(let order) = try runOperator(TopK(count: nil, axis: 1, largest: largest), [.tensor(x)], outputs: 2)[1] else {
        throw HarnessError.noTensor
      }
      #expect(order.elements(as: Int64.self) == expected)
    }
  }

  @Test(arguments: [1, 2, 3, 5, 40]) func responsesAreNormalizedByTheirNeighbours(_ size: Int) throws {
    var random = SeededGenerator(seed: 3)
    let values = random.floats(2 * 7 * 6)
    let x = HostTensor(.float32, [2, 7, 6], values)
    // As torch.nn.functional.local_response_norm: size / 2 zeros before, (size - 1) / 2 behind.
    let expected = values.indices.map { place -> Double in
      let (channel, base) = (place / 6 % 7, place / 42 * 42 + place % 6)
      let sum = (channel - size / 2...channel + (size - 1) / 2).filter { (0..<7).contains($0) }
        .reduce(0.0) { $0 + pow(Double(values[base + $1 * 6]), 2) }
      return Double(values[place]) / pow(1.5 + 0.3 / Double(size) * sum, 0.75)
    }
    for operand in layouts(x) {
      let result = try runTensorOperator(LocalResponseNorm(axis: 1, size: size, alpha: 0.3, beta: 0.75, offset: 1.5), [operand])
      #expect(zip(result.elements(as: Float.self), expected).allSatisfy { abs(Double($0) - $1) < 1e-6 })
    }
    for (size, axis) in [(0, 1), (3, 3)] {
      #expect(throws: (any Error).self) {
        try runTensorOperator(
          LocalResponseNorm(axis: axis, size: size, alpha: 1, beta: 1, offset: 1),
          [.tensor(HostTensor(zeros: .float32, shape: [1, 2, 3]))])
      }
    }
  }

  @Test func drawsFollowTheirWeightsAndRepeatBySeed() throws {
    let weights: [Float] = [0, 1, 0, 3, 4, 0]
    let count = 20_000
    for isLogarithmic in [false, true] {
      let x = HostTensor(.float32, [1, 6], weights.map { isLogarithmic ? log($0) + 5 : $0 })
      let op = RandomCategory(count: .constant(count), isLogarithmic: isLogarithmic, dtype: .int32, seed: 9)
      let draws = try runTensorOperator(op, [.tensor(x)]).elements(as: Int32.self)
      for (position, weight) in weights.enumerated() {
        let share = Double(draws.count { $0 == Int32(position) }) / Double(count)
        // Five standard deviations.
        #expect(abs(share - Double(weight) / 8) <= 5 * (0.25 / Double(count)).squareRoot(), "\(position): \(share)")
        if weight == 0 { #expect(share == 0) }
      }
      #expect(try runTensorOperator(op, [.tensor(x)]).elements(as: Int32.self) == draws)
      let other = RandomCategory(count: .constant(count), isLogarithmic: isLogarithmic, dtype: .int32)
      #expect(try runTensorOperator(other, [.tensor(x)]).elements(as: Int32.self) != draws)
    }
    for bad in [[0, 0], [-1, 2], [.nan, 1], [.infinity, 1]] as [[Float]] {
      #expect(throws: (any Error).self) {
        try runTensorOperator(
          RandomCategory(count: .constant(1), isLogarithmic: false, dtype: .int32), [.tensor(HostTensor(.float32, [1, 2], bad))])
      }
    }
  }
}
