import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import Testing

private func indices(_ shape: [Int], _ values: [Int]) -> HostTensor { HostTensor(.int64, shape, values.map { Int64($0) }) }

private func bools(_ shape: [Int], _ values: [Int]) -> HostTensor { HostTensor(.bool, shape, values.map { UInt8($0) }) }

/// Elements of a result of small integers.
private func integers(_ tensor: HostTensor) -> [Int32] { tensor.elements() }

@Suite struct IndexingTests {
  @Test(arguments: elementSizes) func rowsAreTakenAlongAnyAxis(_ size: Int) throws {
    let x = ReferenceTensor(counting: [4, 3, 5])
    let chosen = [2, 0, -1, 2]
    for axis in 0..<3 {
      let extent = x.shape[axis]
      let expected = ReferenceTensor(Array(x.shape[..<axis]) + [2, 2] + Array(x.shape[(axis + 1)...])) { place in
        let index = chosen[place[axis] * 2 + place[axis + 1]]
        return x[Array(place[..<axis]) + [index < 0 ? index + extent : index] + Array(place[(axis + 2)...])]
      }
      for operand in layouts(x.host(elementSize: size)) {
        let result = try runTensorOperator(
          Index(axes: [axis], allowsNegative: true), [operand, .tensor(indices([2, 2], chosen))])
        #expect(result.equals(expected.host(elementSize: size)))
      }
    }
  }

  @Test func indexTensorsBroadcastAndStandInFrontUnlessNeighbours() throws {
    let x = ReferenceTensor(counting: [3, 4, 5, 2])
    let rows = [2, 0]
    let columns = [1, 4, 0]
    let near = try runTensorOperator(
      Index(axes: [1, 2], allowsNegative: true),
      [.tensor(x.host()), .tensor(indices([2, 1], rows)), .tensor(HostTensor(.int32, [3], columns.map { Int32($0) }))])
    #expect(near.equals(ReferenceTensor([3, 2, 3, 2]) { x[[$0[0], rows[$0[1]], columns[$0[2]], $0[3]]] }.host()))
    for operand in layouts(x.host()) {
      let apart = try runTensorOperator(
        Index(axes: [0, 2], allowsNegative: true), [operand, .tensor(indices([2, 1], rows)), .tensor(indices([3], columns))])
      #expect(apart.equals(ReferenceTensor([2, 3, 4, 2]) { x[[rows[$0[0]], $0[2], columns[$0[1]], $0[3]]] }.host()))
    }
  }

  @Test func checkedIndicesAreThemselves() throws {
    let x = HostTensor(.int32, [2, 3], ([0, 5, -1, 2, 3, -6] as [Int32]))
    for operand in layouts(x) {
      #expect(try runTensorOperator(CheckedIndices(extent: 6, allowsNegative: true), [operand]).equals(x))
      #expect(throws: (any Error).self) { try runTensorOperator(CheckedIndices(extent: 6, allowsNegative: false), [operand]) }
      #expect(throws: (any Error).self) { try runTensorOperator(CheckedIndices(extent: 5, allowsNegative: true), [operand]) }
    }
    let none = indices([0], [])
    #expect(try runTensorOperator(CheckedIndices(extent: 0, allowsNegative: false), [.tensor(none)]).equals(none))
  }

  @Test func indicesOutOfRangeFailTheCall() throws {
    let x = TestOperand.tensor(ReferenceTensor(counting: [4, 3]).host())
    let value = TestOperand.tensor(ReferenceTensor([], [7]).host())
    for wrong in [4, -5, Int.max, Int.min] {
      let index = TestOperand.tensor(indices([1], [wrong]))
      let square = TestOperand.tensor(indices([1, 1], [wrong]))
      #expect(throws: (any Error).self) { try runTensorOperator(Index(axes: [0], allowsNegative: true), [x, index]) }
      #expect(throws: (any Error).self) {
        try runTensorOperator(IndexPut(axes: [0], accumulates: false, allowsNegative: true), [x, value, index])
      }
      #expect(throws: (any Error).self) { try runTensorOperator(GatherElements(axis: 0), [x, square]) }
      #expect(throws: (any Error).self) {
        try runTensorOperator(ScatterElements(axis: 0, accumulates: true), [x, square, .number(.int(1))])
      }
    }
    let negative = TestOperand.tensor(indices([1], [-1]))
    #expect(throws: (any Error).self) { try runTensorOperator(Index(axes: [0], allowsNegative: false), [x, negative]) }
  }

  @Test(arguments: elementSizes) func chosenElementsAreReplacedAndTheLastOneStays(_ size: Int) throws {
    let x = ReferenceTensor(counting: [3, 4, 2])
    let values = ReferenceTensor([3, 1, 2], [100, 101, 102, 103, 104, 105])
    let places = [3, 1, 3]
    var elements = x.elements
    for row in 0..<3 {
      for place in places {
        for lane in 0..<2 { elements[row * 8 + place * 2 + lane] = values[[row, 0, lane]] }
      }
    }
    let expected = ReferenceTensor(x.shape, elements)
    for operand in layouts(x.host(elementSize: size)) {
      let result = try runTensorOperator(
        IndexPut(axes: [1], accumulates: false, allowsNegative: true),
        [operand, .tensor(values.host(elementSize: size)), .tensor(indices([3], places))])
      #expect(result.equals(expected.host(elementSize: size)))
    }
    let ordered = try runTensorOperator(
      IndexPut(axes: [0], accumulates: false, allowsNegative: true),
      [
        .tensor(ReferenceTensor(counting: [2]).host(elementSize: size)),
        .tensor(ReferenceTensor([3], [7, 8, 9]).host(elementSize: size)), .tensor(indices([3], [1, 1, -1])),
      ])
    #expect(ordered.equals(ReferenceTensor([2], [1, 9]).host(elementSize: size)))
  }

  @Test func addingAtIndicesCountsEveryIndex() throws {
    let places = indices([5], [0, 2, 2, 0, 2])
    func sums<T: BitwiseCopyable>(_ dtype: DType, _ x: [T], _ values: [T]) throws -> [T] {
      try runTensorOperator(
        IndexPut(axes: [0], accumulates: true, allowsNegative: true),
        [.tensor(HostTensor(dtype, [3], x)), .tensor(HostTensor(dtype, [5], values)), .tensor(places)]
      ).elements()
    }
    #expect(try sums(.float32, [1, 2, 3] as [Float], [1, 2, 4, 8, 16]) == [10, 2, 25])
    #expect(try sums(.float64, [1, 2, 3] as [Double], [1, 2, 4, 8, 16]) == [10, 2, 25])
    #expect(try sums(.float16, [1, 2, 3] as [Float16], [1, 2, 4, 8, 16]) == [10, 2, 25])
    #expect(try sums(.uint8, [250, 2, 3] as [UInt8], [1, 2, 4, 8, 16]) == [3, 2, 25])
    #expect(try sums(.int64, [Int64.max, 2, 3], [1, 2, 4, 8, 16]) == [Int64.max &+ 9, 2, 25])
    #expect(try sums(.bool, [0, 0, 1] as [UInt8], [0, 0, 1, 1, 1]) == [1, 0, 1])
    // 256 + 1 is no bfloat16 and goes back to 256; 256 + 3 is a tie that goes to 260.
    let bfloat: [UInt16] = try sums(.bfloat16, [0x4380, 0, 0x4380], [0x3f80, 0x4040, 0, 0, 0])
    #expect(bfloat == [0x4380, 0, 0x4382])
    let complex: [SIMD2<Float>] = try sums(.complex64, [[1, 1], [0, 0], [2, 2]], [[1, 0], [0, 1], [0, 1], [1, 0], [0, 1]])
    #expect(complex == [[3, 1], [0, 0], [2, 5]])
  }

  @Test(arguments: elementSizes) func elementsAreGatheredAndScatteredAlongAnAxis(_ size: Int) throws {
    let x = ReferenceTensor(counting: [3, 4, 2])
    for axis in 0..<3 {
      var shape = [2, 3, 2]
      shape[axis] = 5
      let extent = x.shape[axis]
      var random = SeededGenerator(seed: UInt64(axis + 1))
      let chosen = ReferenceTensor(shape, (0..<shape.reduce(1, *)).map { _ in Int32.random(in: 0..<Int32(extent), using: &random) })
      let index = TestOperand.tensor(chosen.host(elementSize: 8))
      let gathered = ReferenceTensor(shape) { place in
        var from = place
        from[axis] = Int(chosen[place])
        return x[from]
      }
      var elements = x.elements
      let strides = Shape.contiguousStrides(x.shape)
      let source = ReferenceTensor(shape.map { $0 + 1 }) { $0.reduce(50) { $0 * 3 + Int32($1) } }
      for position in 0..<chosen.elements.count {
        let place = ReferenceTensor.coordinates(position, shape)
        var to = place
        to[axis] = Int(chosen[place])
        elements[zip(to, strides).reduce(0) { $0 + $1.0 * $1.1 }] = source[place]
      }
      for operand in layouts(x.host(elementSize: size)) {
        #expect(try runTensorOperator(GatherElements(axis: axis - 3), [operand, index]).equals(gathered.host(elementSize: size)))
        let result = try runTensorOperator(
          ScatterElements(axis: axis, accumulates: false), [operand, index, .tensor(source.host(elementSize: size))])
        #expect(result.equals(ReferenceTensor(x.shape, elements).host(elementSize: size)))
      }
    }
  }

  @Test func scatteredNumbersAndSums() throws {
    let x = ReferenceTensor(counting: [2, 3])
    let index = TestOperand.tensor(indices([2, 2], [2, 2, 0, 1]))
    let set = try runTensorOperator(ScatterElements(axis: 1, accumulates: false), [.tensor(x.host()), index, .number(.double(9.7))])
    #expect(integers(set) == [1, 2, 9, 9, 9, 6])
    let source = TestOperand.tensor(HostTensor(.int32, [2, 2], [Int32(10), 20, 30, 40]))
    let sum = try runTensorOperator(ScatterElements(axis: 1, accumulates: true), [.tensor(x.host()), index, source])
    #expect(integers(sum) == [1, 2, 33, 34, 45, 6])
    let scalar = TestOperand.tensor(ReferenceTensor([], [5]).host())
    let zero = TestOperand.tensor(indices([], [0]))
    #expect(integers(try runTensorOperator(GatherElements(axis: 0), [scalar, zero])) == [5])
    #expect(integers(try runTensorOperator(ScatterElements(axis: -1, accumulates: true), [scalar, zero, .number(.int(2))])) == [7])
  }

  @Test func truthsAreFoundInRowMajorOrder() throws {
    let x = HostTensor(.float32, [2, 3], [0, Float.nan, 0, -1, -0.0, 2])
    for operand in layouts(x) {
      let result = try runTensorOperator(NonZero(), [operand])
      #expect(result.shape == [3, 2])
      #expect(result.elements(as: Int64.self) == [0, 1, 1, 0, 1, 2])
    }
    #expect(try runTensorOperator(NonZero(), [.tensor(HostTensor(.int8, [], [Int8(3)]))]).shape == [1, 0])
    #expect(try runTensorOperator(NonZero(), [.tensor(HostTensor(.int8, [4], [Int8](repeating: 0, count: 4)))]).shape == [0, 1])
  }

  @Test(arguments: elementSizes) func masksSelectAndReplaceInOrder(_ size: Int) throws {
    let x = ReferenceTensor(counting: [2, 3])
    let mask = TestOperand.tensor(bools([3], [1, 0, 1]))
    let source = TestOperand.tensor(ReferenceTensor([2, 3], [10, 20, 30, 40, 50, 60]).host(elementSize: size))
    for operand in layouts(x.host(elementSize: size)) {
      #expect(try runTensorOperator(MaskedSelect(), [operand, mask]).equals(ReferenceTensor([4], [1, 3, 4, 6]).host(elementSize: size)))
      let replaced = ReferenceTensor([2, 3], [10, 2, 20, 30, 5, 40])
      #expect(try runTensorOperator(MaskedScatter(), [operand, mask, source]).equals(replaced.host(elementSize: size)))
    }
    let short = TestOperand.tensor(ReferenceTensor(counting: [3]).host())
    #expect(throws: (any Error).self) { try runTensorOperator(MaskedScatter(), [.tensor(x.host()), mask, short]) }
  }

  @Test func stretchesAndPositionsAreReplaced() throws {
    let x = ReferenceTensor(counting: [2, 5])
    let source = ReferenceTensor([2, 2], [91, 92, 93, 94])
    for operand in layouts(x.host()) {
      let stretched = try runTensorOperator(
        SliceScatter(axis: -1, range: SliceRange(start: .constant(-4), end: .position(.constant(Int.max)), step: 2)),
        [operand, .tensor(source.host())])
      #expect(integers(stretched) == [1, 91, 3, 92, 5, 6, 93, 8, 94, 10])
      let moved = try runTensorOperator(
        SliceScatter(axis: 1, range: SliceRange(start: .operand(2), end: .source)),
        [operand, .tensor(source.host()), .runtimeNumber(.int(3))])
      #expect(integers(moved) == [1, 2, 3, 91, 92, 6, 7, 8, 93, 94])
      let column = TestOperand.tensor(ReferenceTensor([2], [70, 80]).host())
      let selected = try runTensorOperator(
        SelectScatter(axis: 1, index: .operand(2)), [operand, column, .runtimeNumber(.int(-1))])
      #expect(integers(selected) == [1, 2, 3, 4, 70, 6, 7, 8, 9, 80])
    }
    // Positions that count from the end are out of range where they may not.
    for (start, allowsNegative) in [(4, true), (-6, true), (-1, false), (-2, false), (-5, false), (4, false), (.max, false)] {
      for argument in [IntArgument.operand(2), .constant(start)] {
        #expect(throws: (any Error).self, "\(start)") {
          try runTensorOperator(
            SliceScatter(axis: 1, range: SliceRange(start: argument, end: .source, allowsNegative: allowsNegative)),
            [.tensor(x.host()), .tensor(source.host())] + (argument == .operand(2) ? [.runtimeNumber(.int(Int64(start)))] : []))
        }
      }
    }
  }

  @Test func theLargestAndSmallestComeInOrderWithTiesByPosition() throws {
    var random = SeededGenerator(seed: 11)
    let shape = [3, 40, 2]
    // Few different values, so that there are ties.
    let x = ReferenceTensor(shape, (0..<240).map { _ in Int32.random(in: -9...9, using: &random) })
    for (axis, count) in [(1, 7), (1, 40), (0, 2), (2, 1), (1, 0), (-1, 2)] {
      let normal = axis < 0 ? axis + 3 : axis
      for largest in [true, false] {
        var result = shape
        result[normal] = count
        let places = ReferenceTensor(result) { place in
          let line = (0..<shape[normal]).map { position -> (value: Int32, position: Int) in
            var full = place
            full[normal] = position
            return (x[full], position)
          }
          let sorted = line.sorted { a, b in
            a.value == b.value ? a.position < b.position : (a.value > b.value) == largest
          }
          return Int32(sorted[place[normal]].position)
        }
        for operand in layouts(x.host()) {
          let results = try runOperator(
            TopK(count: .constant(count), axis: axis, largest: largest), [operand], outputs: 2)
          guard case .tensor(let values) = results[0], case .tensor(let positions) = results[1] else { throw HarnessError.noTensor }
          #expect(positions.equals(places.host(elementSize: 8)))
          let expected = ReferenceTensor(result) { place in
            var full = place
            full[normal] = Int(places[place])
            return x[full]
          }
          #expect(values.equals(expected.host()))
        }
      }
    }
  }

  @Test func notANumberIsTheGreatest() throws {
    func order<T: BitwiseCopyable>(_ dtype: DType, _ x: [T], largest: Bool) throws -> [Int64] {
      let results = try runOperator(
        TopK(count: .constant(3), axis: 0, largest: largest), [.tensor(HostTensor(dtype, [x.count], x))], outputs: 2)
      guard case .tensor(let positions) = results[1] else { throw HarnessError.noTensor }
      return positions.elements()
    }
    #expect(try order(.float32, [1, Float.nan, .infinity, -.infinity, .nan], largest: true) == [1, 4, 2])
    #expect(try order(.float64, [1, Double.nan, .infinity, -.infinity, .nan], largest: false) == [3, 0, 2])
    #expect(try order(.float16, [1, Float16.nan, 3, 2], largest: true) == [1, 2, 3])
    #expect(try order(.uint64, [1, UInt64.max, 3, 2], largest: true) == [1, 2, 3])
    #expect(try order(.uint8, [1, 255, 3, 2] as [UInt8], largest: false) == [0, 3, 2])
  }

  @Test func anUpdateOfAStateCostsOnlyTheUpdate() throws {
    let cache = TensorType(.float32, [1, 64, 2, 4])
    let update = TensorType(.float32, [1, 1, 2, 4])
    let updates: [(op: any Operator, extra: ValueType)] = [
      (SliceScatter(axis: 1, range: SliceRange(start: .operand(2), end: .source)), .scalar(.int)),
      (IndexPut(axes: [1], accumulates: false, allowsNegative: true), .tensor(TensorSignature(TensorType(.int64, [1])))),
    ]
    for (op, extra) in updates {
      var graph = Graph(name: "cache")
      graph.states = [StateDeclaration(name: "cache", type: cache, initial: nil)]
      let value = graph.addInput(.tensor(TensorSignature(update)))
      let place = graph.addInput(extra)
      let old = graph.addNode(ReadState(state: 0), [], type: .tensor(TensorSignature(cache)), source: "read")
      let new = graph.addNode(op, [old, value, place], type: .tensor(TensorSignature(cache)), source: "update")
      graph.addNode(WriteState(state: 0), [new], types: [], source: "write")
      let inputs: [InputBinding] = [
        .tensor(update), extra == .scalar(.int) ? .scalar(.int) : .tensor(TensorType(.int64, [1])),
      ]
      let plan = try Planner.plan(try PreparedGraph(graph), inputs: inputs, packed: PackedStore(), workers: 1)
      #expect(plan.steps.count == 1, "\(plan.steps.map(\.label))")
      #expect(plan.continuation == nil)
    }
  }
}
