import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

private func combine(_ a: Int32, _ b: Int32, _ combination: Combination) -> Int32 {
  switch combination {
  case .update: b
  case .add: a &+ b
  case .subtract: a &- b
  case .multiply: a &* b
  case .divide: a / b
  case .maximum: max(a, b)
  case .minimum: min(a, b)
  }
}

private let combinations: [Combination] = [.update, .add, .subtract, .multiply, .divide, .maximum, .minimum]

private func indices(_ shape: [Int], _ values: [Int32]) -> HostTensor { HostTensor(.int32, shape, values) }

@Suite struct SliceIndexingTests {
  @Test(arguments: [0, 1, 2, -1]) func slicesAreGatheredAlongAnAxis(_ axis: Int) throws {
    let x = ReferenceTensor(counting: [3, 4, 5])
    let normal = axis < 0 ? axis + 3 : axis
    let list: [Int32] = [2, -1, 0, 1, -3, 2]
    let expected = ReferenceTensor(Array(x.shape[..<normal]) + [2, 3] + Array(x.shape[(normal + 1)...])) { place in
      let index = Int(list[place[normal] * 3 + place[normal + 1]])
      return x[Array(place[..<normal]) + [index < 0 ? index + x.shape[normal] : index] + Array(place[(normal + 2)...])]
    }
    for size in elementSizes {
      for operand in layouts(x.host(elementSize: size)) {
        let result = try runTensorOperator(GatherSlices(SliceIndexing(axis: axis)), [operand, .tensor(indices([2, 3], list))])
        #expect(result.equals(expected.host(elementSize: size)))
      }
    }
  }

  @Test func batchAxesGoTogether() throws {
    let x = ReferenceTensor(counting: [2, 3, 4, 5])
    let list: [Int32] = [0, 3, -1, 1]
    // Along axis 2 with one batch axis: [2, 3] + [2] + [5].
    let expected = ReferenceTensor([2, 3, 2, 5]) { place in
      let index = Int(list[place[0] * 2 + place[2]])
      return x[[place[0], place[1], index < 0 ? index + 4 : index, place[3]]]
    }
    for operand in layouts(x.host()) {
      let op = GatherSlices(SliceIndexing(axis: 2, batchAxes: 1))
      #expect(try runTensorOperator(op, [operand, .tensor(indices([2, 2], list))]).equals(expected.host()))
    }
    // Tuples of two indices behind the batch axis: [2] + [3] + [5].
    let tuples: [Int32] = [0, 0, 2, 3, -1, -4, 1, 1, 1, 2, 2, -1]
    let chosen = ReferenceTensor([2, 3, 5]) { place in
      let (i, j) = (Int(tuples[(place[0] * 3 + place[1]) * 2]), Int(tuples[(place[0] * 3 + place[1]) * 2 + 1]))
      return x[[place[0], i < 0 ? i + 3 : i, j < 0 ? j + 4 : j, place[2]]]
    }
    for operand in layouts(x.host()) {
      let op = GatherSlices(SliceIndexing(axis: nil, batchAxes: 1))
      #expect(try runTensorOperator(op, [operand, .tensor(indices([2, 3, 2], tuples))]).equals(chosen.host()))
    }
  }

  @Test func wholeElementsAndWholeTensorsAreChosen() throws {
    let x = ReferenceTensor(counting: [2, 3])
    let op = GatherSlices(SliceIndexing(axis: nil))
    let elements = try runTensorOperator(op, [.tensor(x.host()), .tensor(indices([2, 2], [1, 2, 0, -1]))])
    #expect(elements.equals(ReferenceTensor([2], [6, 3]).host()))
    let copies = try runTensorOperator(op, [.tensor(x.host()), .tensor(HostTensor(zeros: .int32, shape: [2, 0]))])
    #expect(copies.equals(ReferenceTensor([2, 2, 3], x.elements + x.elements).host()))
    let none = try runTensorOperator(op, [.tensor(x.host()), .tensor(HostTensor(zeros: .int32, shape: [0, 1]))])
    #expect(none.shape == [0, 3])
    let scalar = try runTensorOperator(
      GatherSlices(SliceIndexing(axis: 1)), [.tensor(x.host()), .tensor(indices([], [1]))])
    #expect(scalar.equals(ReferenceTensor([2], [2, 5]).host()))
  }

  @Test(arguments: combinations) func slicesAreCombinedInOrder(_ combination: Combination) throws {
    let x = ReferenceTensor([3, 4, 2]) { (index: [Int]) -> Int32 in
      let number: Int = index[0] * 20 + index[1] * 5 + index[2] - 30
      return Int32(number)
    }
    let updates = ReferenceTensor([3, 3, 2]) { (index: [Int]) -> Int32 in
      let number: Int = index[0] * 3 + 2 * index[1] - 12 * index[2] + 1
      return Int32(number)
    }
    let list: [Int32] = [1, -1, 1]
    var expected = x.elements
    for i in 0..<3 {
      for k in 0..<3 {
        for j in 0..<2 {
          let row = Int(list[k] < 0 ? list[k] + 4 : list[k])
          let place = (i * 4 + row) * 2 + j
          expected[place] = combine(expected[place], updates[[i, k, j]], combination)
        }
      }
    }
    let op = ScatterSlices(SliceIndexing(axis: 1), combination)
    for operand in layouts(x.host()) {
      let result = try runTensorOperator(op, [operand, .tensor(indices([3], list)), .tensor(updates.host())])
      #expect(result.equals(HostTensor(.int32, [3, 4, 2], expected)), "\(combination)")
    }
    // The same as tuples for the first two axes, in float16 and as elements along an axis.
    let halves: [Float16] = x.elements.map { Float16($0) }
    let floats = HostTensor(.float16, [3, 4, 2], halves)
    let updateHalves: [Float16] = updates.elements.map { Float16($0) }
    let tuples: [Int32] = (0..<3).flatMap { i in list.flatMap { [Int32(i), $0] } }
    if combination != .divide {
      let result = try runTensorOperator(
        ScatterSlices(SliceIndexing(axis: nil), combination),
        [
          .tensor(floats), .tensor(indices([3, 3, 2], tuples)),
          .tensor(HostTensor(.float16, [3, 3, 2], updateHalves)),
        ])
      #expect(result.elements(as: Float16.self) == expected.map { Float16($0) }, "\(combination)")
    }
    let along = (0..<3).flatMap { _ in list.flatMap { [$0, $0] } }
    let elements = try runTensorOperator(
      ScatterElements(axis: 1, combination, allowsNegative: true),
      [.tensor(x.host()), .tensor(indices([3, 3, 2], along)), .tensor(updates.host())])
    #expect(elements.equals(HostTensor(.int32, [3, 4, 2], expected)), "\(combination)")
  }

  @Test func negativeIndicesCountOnlyWhereAllowed() throws {
    let x = TestOperand.tensor(ReferenceTensor(counting: [2, 3]).host())
    let list = TestOperand.tensor(indices([2, 1], [-1, -3]))
    let result = try runTensorOperator(GatherElements(axis: 1, allowsNegative: true), [x, list])
    #expect(result.equals(ReferenceTensor([2, 1], [3, 4]).host()))
    #expect(throws: (any Error).self) { try runTensorOperator(GatherElements(axis: 1), [x, list]) }
    #expect(throws: (any Error).self) {
      try runTensorOperator(GatherElements(axis: 1, allowsNegative: true), [x, .tensor(indices([2, 1], [-4, 0]))])
    }
  }

  @Test func whatDoesNotFitIsAnError() throws {
    let x = TestOperand.tensor(ReferenceTensor(counting: [2, 3]).host())
    for list in [indices([1], [2]), indices([1], [-3]), indices([1], [Int32.min])] {
      #expect(throws: (any Error).self) { try runTensorOperator(GatherSlices(SliceIndexing(axis: 0)), [x, .tensor(list)]) }
    }
    let one = TestOperand.tensor(indices([1], [0]))
    for indexing in [
      SliceIndexing(axis: 2), SliceIndexing(axis: 0, batchAxes: 1), SliceIndexing(axis: 0, batchAxes: -1),
      SliceIndexing(axis: nil, batchAxes: 1), SliceIndexing(axis: nil, batchAxes: 9),
    ] {
      #expect(throws: (any Error).self) { try runTensorOperator(GatherSlices(indexing), [x, one]) }
    }
    #expect(throws: (any Error).self) {
      try runTensorOperator(GatherSlices(SliceIndexing(axis: nil)), [x, .tensor(HostTensor(zeros: .int32, shape: [1, 3]))])
    }
    #expect(throws: (any Error).self) {
      try runTensorOperator(GatherSlices(SliceIndexing(axis: 0)), [x, .tensor(HostTensor(zeros: .float32, shape: [1]))])
    }
    let row = TestOperand.tensor(ReferenceTensor([1, 3], [1, 0, 1]).host())
    let divide = ScatterSlices(SliceIndexing(axis: 0), .divide)
    #expect(throws: (any Error).self) { try runTensorOperator(divide, [x, one, row]) }
    #expect(throws: (any Error).self) { try runTensorOperator(divide, [x, one, x]) }
  }
}
