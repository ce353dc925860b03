import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import Testing

@Suite struct MovementTests {
  @Test(arguments: elementSizes) func tensorsAreJoinedAlongAnyAxis(_ size: Int) throws {
    for axis in [0, 1, -1] {
      let normal = axis < 0 ? 2 : axis
      let parts = [2, 0, 3].map { extent -> ReferenceTensor in
        var shape = [2, 3, 4]
        shape[normal] = extent
        return ReferenceTensor(counting: shape)
      }
      var shape = [2, 3, 4]
      shape[normal] = 5
      let expected = ReferenceTensor(shape) { coordinates in
        var inner = coordinates
        let part = coordinates[normal] < 2 ? parts[0] : parts[2]
        if coordinates[normal] >= 2 { inner[normal] -= 2 }
        return part[inner]
      }
      let dtype = expected.host(elementSize: size).dtype
      for position in 0..<4 {
        let operands = parts.map { layouts($0.host(elementSize: size))[position] }
        let result = try runTensorOperator(Concat(axis: axis, dtype: dtype), operands)
        #expect(result.equals(expected.host(elementSize: size)))
      }
    }
  }

  @Test func joinedOperandsAreConvertedAndEmptyListsSkipped() throws {
    let x = HostTensor(.int32, [2, 1], [Int32(1), 2])
    let y = HostTensor(.float32, [2, 2], [Float(0.5), 1.5, 2.5, -3.5])
    let none = HostTensor(.float32, [0], [Float]())
    let result = try runTensorOperator(Concat(axis: 1, dtype: .float32), [.tensor(none), .tensor(x), .tensor(y)])
    #expect(result.shape == [2, 3])
    #expect(result.elements(as: Float.self) == [1, 0.5, 1.5, 2, 2.5, -3.5])
    #expect(throws: (any Error).self) {
      try runTensorOperator(Concat(axis: 0, dtype: .float32), [.tensor(x), .tensor(y)])
    }
  }

  @Test(arguments: elementSizes) func paddingWithANumberAlsoCutsOff(_ size: Int) throws {
    let x = ReferenceTensor(counting: [2, 3, 4])
    for (before, after) in [([1, 2], [0, 3]), ([-1, 1], [2, -2]), ([-2, 0], [1, -4]), ([-5, 0], [4, 0]), ([0, -1], [0, -1])] {
      let shape = [2, 3 + before[0] + after[0], 4 + before[1] + after[1]]
      let expected = ReferenceTensor(shape) { place in
        let (i, j) = (place[1] - before[0], place[2] - before[1])
        return i >= 0 && i < 3 && j >= 0 && j < 4 ? x[[place[0], i, j]] : 9
      }
      let op = Pad(.constant, before: before.map { .constant($0) }, after: after.map { .constant($0) })
      // A real number as an element of a complex tensor has no imaginary part.
      if size == 16 { continue }
      for operand in layouts(x.host(elementSize: size)) {
        #expect(
          try runTensorOperator(op, [operand, .number(.int(9))]).equals(expected.host(elementSize: size)),
          "\(before) \(after)")
      }
    }
  }

  @Test(arguments: elementSizes) func paddingMirrorsAndReplicates(_ size: Int) throws {
    let x = ReferenceTensor(counting: [2, 3, 4, 5])
    for (before, after) in [([1, 2], [2, 1]), ([0, 4], [0, 3]), ([-1, 1], [2, -2]), ([3, 0], [0, 0])] {
      let shape = [2, 3, 4 + before[0] + after[0], 5 + before[1] + after[1]]
      func mirrored(_ position: Int, _ extent: Int) -> Int {
        position < 0 ? -position : position >= extent ? 2 * extent - 2 - position : position
      }
      func clamped(_ position: Int, _ extent: Int) -> Int { min(max(position, 0), extent - 1) }
      for (mode, rule) in [(Pad.Mode.reflect, mirrored), (.replicate, clamped)] {
        let expected = ReferenceTensor(shape) {
          x[[$0[0], $0[1], rule($0[2] - before[0], 4), rule($0[3] - before[1], 5)]]
        }
        let op = Pad(mode, before: before.map { .constant($0) }, after: after.map { .constant($0) })
        for operand in layouts(x.host(elementSize: size)) {
          #expect(try runTensorOperator(op, [operand]).equals(expected.host(elementSize: size)))
        }
      }
    }
    let tooMuch = Pad(.reflect, before: [.constant(5)], after: [.constant(0)])
    #expect(throws: (any Error).self) { try runTensorOperator(tooMuch, [.tensor(x.host())]) }
  }

  @Test(arguments: elementSizes) func flipsReverseAxes(_ size: Int) throws {
    let x = ReferenceTensor(counting: [2, 3, 4])
    for axes in [[0], [-1], [0, 2], [0, 1, 2], []] {
      let flipped = Set(axes.map { $0 < 0 ? $0 + 3 : $0 })
      let expected = ReferenceTensor(x.shape) { place in
        x[place.indices.map { flipped.contains($0) ? x.shape[$0] - 1 - place[$0] : place[$0] }]
      }
      for operand in layouts(x.host(elementSize: size)) {
        #expect(try runTensorOperator(Flip(axes: axes), [operand]).equals(expected.host(elementSize: size)))
      }
    }
  }

  @Test(arguments: elementSizes) func rollsMoveElementsRound(_ size: Int) throws {
    let x = ReferenceTensor(counting: [2, 3, 4])
    let rolls: [(shifts: [Int], axes: [Int])] = [
      ([1], [1]), ([-5, 2], [2, 0]), ([3, 1, -1], [0, 1, 2]), ([1, 2], [1, 1]), ([Int.max], [2]), ([4, 0], [2, 1]),
    ]
    for (shifts, axes) in rolls {
      let expected = ReferenceTensor(x.shape) { place in
        var from = place
        for (shift, axis) in zip(shifts, axes) {
          let extent = x.shape[axis]
          from[axis] = ((from[axis] - shift % extent) % extent + extent) % extent
        }
        return x[from]
      }
      for operand in layouts(x.host(elementSize: size)) {
        let result = try runTensorOperator(Roll(shifts: shifts.map { .constant($0) }, axes: axes), [operand])
        #expect(result.equals(expected.host(elementSize: size)), "\(shifts) \(axes)")
      }
    }
    let row = ReferenceTensor(x.shape, (0..<24).map { Int32(($0 + 24 - 5) % 24 + 1) })
    for operand in layouts(x.host(elementSize: size)) {
      #expect(try runTensorOperator(Roll(shifts: [.constant(5)], axes: []), [operand]).equals(row.host(elementSize: size)))
    }
  }

  @Test(arguments: elementSizes) func copiesStandSideBySide(_ size: Int) throws {
    let x = ReferenceTensor(counting: [2, 1, 3])
    for counts in [[2, 3, 1, 2], [1, 4, 1], [3, 1, 2], [0, 1, 1], [1, 1, 1]] {
      let own = Array(repeating: 1, count: counts.count - 3) + x.shape
      let expected = ReferenceTensor(zip(counts, own).map { $0 * $1 }) { place in
        x[Array(zip(place, own).map { $0 % $1 }.suffix(3))]
      }
      for operand in layouts(x.host(elementSize: size)) {
        let result = try runTensorOperator(Repeat(counts: counts.map { .constant($0) }), [operand])
        #expect(result.equals(expected.host(elementSize: size)))
      }
    }
  }

  @Test func positionsAreRepeatedAsOftenAsCountsSay() throws {
    let counts = HostTensor(.int32, [4], [Int32(2), 0, 3, 1])
    let expected: [Int64] = [0, 0, 2, 2, 2, 3]
    let free = RepeatInterleave(count: nil, bound: 10, dtype: .int64)
    #expect(try runTensorOperator(free, [.tensor(counts)]).elements(as: Int64.self) == expected)
    let given = RepeatInterleave(count: .constant(6), bound: 0, dtype: .int32)
    #expect(try runTensorOperator(given, [.tensor(counts)]).elements(as: Int32.self) == expected.map { Int32($0) })
    for wrong in [RepeatInterleave(count: .constant(5), bound: 0, dtype: .int64), .init(count: .constant(7), bound: 0, dtype: .int64)] {
      #expect(throws: (any Error).self) { try runTensorOperator(wrong, [.tensor(counts)]) }
    }
    let negative = HostTensor(.int32, [2], [Int32(2), -1])
    #expect(throws: (any Error).self) { try runTensorOperator(free, [.tensor(negative)]) }
  }

  @Test(arguments: elementSizes, [0, 1, -2, 9, -9, Int.max, Int.min])
  func trianglesAreKept(_ size: Int, _ diagonal: Int) throws {
    let x = ReferenceTensor(counting: [2, 3, 5])
    for keepsUpper in [false, true] {
      let expected = ReferenceTensor(x.shape) { place in
        let distance = place[2] - place[1]
        return (keepsUpper ? distance >= diagonal : distance <= diagonal) ? x[place] : 0
      }
      for operand in layouts(x.host(elementSize: size)) {
        let result = try runTensorOperator(
          Triangle(keepsUpper: keepsUpper, diagonal: .operand(1)), [operand, .runtimeNumber(.int(Int64(diagonal)))])
        // The imaginary part of 0 is -0 in the reference.
        if size == 16 {
          #expect(result.elements(as: SIMD2<Double>.self) == expected.host(elementSize: 16).elements(as: SIMD2<Double>.self))
        } else {
          #expect(result.equals(expected.host(elementSize: size)))
        }
      }
    }
  }

  @Test(arguments: elementSizes) func channelsMoveIntoPixelsAndBack(_ size: Int) throws {
    let x = ReferenceTensor(counting: [2, 18, 2, 5])
    let expected = ReferenceTensor([2, 2, 6, 15]) {
      x[[$0[0], $0[1] * 9 + $0[2] % 3 * 3 + $0[3] % 3, $0[2] / 3, $0[3] / 3]]
    }
    for operand in layouts(x.host(elementSize: size)) {
      let result = try runTensorOperator(PixelShuffle(factor: 3, isInverse: false), [operand])
      #expect(result.equals(expected.host(elementSize: size)))
    }
    for operand in layouts(expected.host(elementSize: size)) {
      let result = try runTensorOperator(PixelShuffle(factor: 3, isInverse: true), [operand])
      #expect(result.equals(x.host(elementSize: size)))
    }
    #expect(throws: (any Error).self) { try runTensorOperator(PixelShuffle(factor: 4, isInverse: false), [.tensor(x.host())]) }
  }

  @Test func imagesAreCutIntoTiles() throws {
    let x = ReferenceTensor(counting: [3, 4, 6])
    let expected = ReferenceTensor([6, 3, 2, 2]) { x[[$0[1], $0[0] / 3 * 2 + $0[2], $0[0] % 3 * 2 + $0[3]]] }
    for operand in layouts(x.host()) {
      #expect(try runTensorOperator(TileCrop(side: 2), [operand]).equals(expected.host()))
    }
    #expect(throws: (any Error).self) { try runTensorOperator(TileCrop(side: 4), [.tensor(x.host())]) }
  }

  @Test func largeCopiesAreSplitBetweenThreads() throws {
    let x = ReferenceTensor(counting: [64, 3, 700])
    let expected = ReferenceTensor([64, 5, 706]) { x[[$0[0], min(max($0[1] - 1, 0), 2), min(max($0[2] - 4, 0), 699)]] }
    let op = Pad(.replicate, before: [.constant(1), .constant(4)], after: [.constant(1), .constant(2)])
    for operand in layouts(x.host()) { #expect(try runTensorOperator(op, [operand], threads: 4).equals(expected.host())) }
  }
}
