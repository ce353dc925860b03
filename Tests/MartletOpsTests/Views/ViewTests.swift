import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import Testing

@Suite struct ViewTests {
  @Test(arguments: [
    (0, 10, 1), (2, 5, 1), (-3, 10, 1), (-100, 100, 2), (1, -1, 3), (5, 2, 1), (9, 10, 4), (0, Int.max, Int.max), (Int.min, 4, 1),
  ]) func slicesFollowPython(_ slice: (start: Int, end: Int, step: Int)) throws {
    let x = ReferenceTensor(counting: [2, 10, 3])
    func clamp(_ position: Int) -> Int { min(max(position < 0 ? position + 10 : position, 0), 10) }
    let positions = Array(stride(from: clamp(slice.start), to: max(clamp(slice.end), clamp(slice.start)), by: slice.step))
    let expected = ReferenceTensor([2, positions.count, 3]) { x[[$0[0], positions[$0[1]], $0[2]]] }
    let range = SliceRange(start: .constant(slice.start), end: .position(.constant(slice.end)), step: slice.step)
    for operand in layouts(x.host()) {
      #expect(try runTensorOperator(Slice(axis: 1, range: range), [operand]).equals(expected.host()))
    }
  }

  @Test func aSliceWithARunTimeStartNeedsNoValue() throws {
    let x = ReferenceTensor(counting: [2, 10, 3])
    let range = SliceRange(start: .operand(1), end: .count(.constant(4)))
    for (start, first) in [(0, 0), (6, 6), (-4, 6)] {
      let expected = ReferenceTensor([2, 4, 3]) { x[[$0[0], $0[1] + first, $0[2]]] }
      let result = try runTensorOperator(
        Slice(axis: 1, range: range), [.tensor(x.host()), .runtimeNumber(.int(Int64(start)))])
      #expect(result.equals(expected.host()))
    }
    for start in [7, -11, 100] {
      #expect(throws: (any Error).self) {
        try runTensorOperator(Slice(axis: 1, range: range), [.tensor(x.host()), .runtimeNumber(.int(Int64(start)))])
      }
    }
  }

  @Test func aSliceToARunTimeEndIsPlannedWithItsValue() throws {
    let x = ReferenceTensor(counting: [5])
    let range = SliceRange(start: .constant(1), end: .position(.operand(1)))
    let result = try runTensorOperator(Slice(axis: 0, range: range), [.tensor(x.host()), .runtimeNumber(.int(3))])
    #expect(result.elements(as: Int32.self) == [2, 3])
  }

  @Test func positionsOfAnAxisAreSelected() throws {
    let x = ReferenceTensor(counting: [3, 4, 5])
    for (axis, index) in [(0, 2), (1, -1), (-1, 0)] {
      let normal = axis < 0 ? axis + 3 : axis
      let position = index < 0 ? index + x.shape[normal] : index
      var shape = x.shape
      shape.remove(at: normal)
      let expected = ReferenceTensor(shape) { coordinates in
        var full = coordinates
        full.insert(position, at: normal)
        return x[full]
      }
      for operand in layouts(x.host()) {
        #expect(try runTensorOperator(Select(axis: axis, index: .constant(index)), [operand]).equals(expected.host()))
        let late = try runTensorOperator(
          Select(axis: axis, index: .operand(1)), [operand, .runtimeNumber(.int(Int64(index)))])
        #expect(late.equals(expected.host()))
      }
    }
    for operand in [TestOperand.number(.int(5)), .runtimeNumber(.int(5)), .runtimeNumber(.int(-6))] {
      #expect(throws: (any Error).self) {
        try runTensorOperator(Select(axis: 2, index: .operand(1)), [.tensor(x.host()), operand])
      }
    }
  }

  @Test func broadcastsRepeatAxesOfExtentOne() throws {
    let x = ReferenceTensor(counting: [3, 1, 2])
    let result = try runTensorOperator(
      Expand(shape: [.constant(2), .constant(-1), .constant(4), .constant(2)]), [.laidOut(x.host(), [2, 0, 1])])
    #expect(result.equals(ReferenceTensor([2, 3, 4, 2]) { x[[$0[1], 0, $0[3]]] }.host()))
    #expect(throws: (any Error).self) {
      try runTensorOperator(Expand(shape: [.constant(4), .constant(1), .constant(2)]), [.tensor(x.host())])
    }
  }

  @Test func axesOfExtentOneComeAndGo() throws {
    let x = ReferenceTensor(counting: [1, 3, 1, 2]).host()
    #expect(try runTensorOperator(Squeeze(axes: [0, 1]), [.tensor(x)]).shape == [3, 1, 2])
    #expect(try runTensorOperator(Squeeze(axes: nil), [.tensor(x)]).shape == [3, 2])
    #expect(try runTensorOperator(Unsqueeze(axes: [-1]), [.laidOut(x, [3, 2, 1, 0])]).shape == [1, 3, 1, 2, 1])
    #expect(try runTensorOperator(Unsqueeze(axes: [0, 2]), [.tensor(x)]).shape == [1, 1, 1, 3, 1, 2])
    #expect(throws: (any Error).self) { try runTensorOperator(Unsqueeze(axes: [5]), [.tensor(x)]) }
  }

  @Test(arguments: [0, 1, -1, 2, 9, -9, Int.max, Int.min]) func diagonalsAreReadWithAnOffset(_ offset: Int) throws {
    let x = ReferenceTensor(counting: [2, 3, 4])
    let cells = (0..<2).flatMap { i in (0..<4).map { (i, $0) } }.filter { offset.magnitude < 9 && $0.1 - $0.0 == offset }
    let expected = ReferenceTensor([3, cells.count]) { x[[cells[$0[1]].0, $0[0], cells[$0[1]].1]] }
    for operand in layouts(x.host()) {
      #expect(try runTensorOperator(Diagonal(offset: offset, axis1: 0, axis2: -1), [operand]).equals(expected.host()))
    }
  }

  @Test func windowsOverlapOrLeaveGaps() throws {
    let x = ReferenceTensor(counting: [2, 7])
    for (size, step) in [(3, 1), (2, 4), (7, 1), (1, 1), (0, 2)] {
      let count = (7 - size) / step + 1
      let expected = ReferenceTensor([2, count, size]) { x[[$0[0], $0[1] * step + $0[2]]] }
      for operand in layouts(x.host()) {
        #expect(try runTensorOperator(Unfold(axis: 1, size: size, step: step), [operand]).equals(expected.host()))
      }
    }
    #expect(throws: (any Error).self) { try runTensorOperator(Unfold(axis: 1, size: 8, step: 1), [.tensor(x.host())]) }
  }

  @Test func memoryIsReadWithOtherStridesButNotOutside() throws {
    let x = ReferenceTensor(counting: [3, 4])
    func op(_ shape: [Int], _ strides: [Int], _ offset: Int) -> AsStrided {
      AsStrided(
        shape: shape.map { .constant($0) }, strides: strides.map { .constant($0) }, offset: .constant(offset))
    }
    for operand in layouts(x.host()) {
      let result = try runTensorOperator(op([2, 3], [5, 1], 4), [operand])
      #expect(result.elements(as: Int32.self) == [5, 6, 7, 10, 11, 12])
    }
    for (shape, strides, offset) in [([2, 3], [5, 1], 5), ([2], [Int.max], 1), ([1], [0], 12), ([2], [-1], 3), ([1], [1], -1)] {
      #expect(throws: (any Error).self) { try runTensorOperator(op(shape, strides, offset), [.tensor(x.host())]) }
    }
  }

  @Test func complexNumbersAreSeenAsPairs() throws {
    let x = HostTensor(.complex64, [2, 2], [SIMD2<Float>(1, 2), [3, 4], [5, 6], [7, 8]])
    #expect(try runTensorOperator(ViewAsReal(), [.tensor(x)]).elements(as: Float.self) == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(try runTensorOperator(ViewAsReal(), [.laidOut(x, [1, 0])]).elements(as: Float.self) == [1, 2, 3, 4, 5, 6, 7, 8])
  }
}
