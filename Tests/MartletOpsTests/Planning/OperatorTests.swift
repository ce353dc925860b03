import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletTesting
import Testing

/// What all operators have in common.
@Suite struct OperatorTests {
  private struct Sample: PlannedOperator {
    static let contract = OperatorContract([], accuracy: .exact)
    enum Mode { case plain, scaled(by: Double?), shifted(Int, Int?) }
    struct Range { var first: Int?, last: Int? }

    var axis: Int?
    var dtype: DType?
    var axes: [Int?]? = [1, nil]
    var mode = Mode.plain
    var range = Range(first: 2, last: nil)
    var name: String { "sample" }

    func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] { [] }
    func plan(_ node: NodePlan) throws(OperatorError) {}
  }

  private func text(_ op: Sample) -> [String] { op.attributes.map { "\($0.name): \($0.value)" } }

  @Test func attributesShowWhatOptionalValuesHold() {
    #expect(
      text(Sample(axis: 3, dtype: .int8)) == [
        "axis: 3", "dtype: int8", "axes: [1, none]", "mode: plain", "range: Range(first: 2, last: none)",
      ])
    #expect(
      text(Sample(axes: nil, mode: .scaled(by: 2)))
        == ["axis: none", "dtype: none", "axes: none", "mode: scaled(by: 2.0)", "range: Range(first: 2, last: none)"])
    #expect(text(Sample(mode: .shifted(1, nil)))[3] == "mode: shifted(1, none)")
  }

  /// A result of an extent that depends on data, of too many axes.
  private struct Deep: PlannedOperator {
    static let contract = OperatorContract([], accuracy: .exact)
    var rank: Int
    var name: String { "deep" }
    func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
      [.bounded(TensorType(.uint8, [Int](repeating: 1, count: rank)), dynamicAxes: [0])]
    }
    func plan(_ node: NodePlan) throws(OperatorError) {
      let slot = node.outputSlots[0]
      node.emit(name) { $0.set(slot: slot, .int(1)) }
    }
  }

  @Test func resultsHaveAtMostSixteenAxesAlsoWhereAnExtentDependsOnData() throws {
    #expect(try runTensorOperator(Deep(rank: 16), []).shape.count == 16)
    #expect(throws: (any Error).self) { try runTensorOperator(Deep(rank: 17), []) }
  }

  @Test func theStepOfASliceOfOneElementMayBeAnything() {
    let view = TensorView(buffer: BufferID(0), dtype: .float32, shape: [4, 5], strides: [5, 1])
    let slice = view.sliced(axis: 0, start: 3, count: 1, step: .max)
    #expect(slice.offset == 15 && slice.shape == [1, 5])
    #expect(view.sliced(axis: 0, start: 9, count: 0, step: .max).shape == [0, 5])
    #expect(view.sliced(axis: 1, start: 1, count: 2, step: 3).strides == [5, 3])
  }

  @Test func stepsThatNoAxisHasRoomForAreRefusedWhenTheStartIsKnownAtLast() throws {
    let x = HostTensor(.float32, [4, 5], [Float](repeating: 0, count: 20))
    let y = HostTensor(.float32, [2, 5], [Float](repeating: 1, count: 10))
    let op = SliceScatter(axis: 0, range: SliceRange(start: .operand(2), end: .source, step: 1 << 62))
    #expect(throws: (any Error).self) {
      try runTensorOperator(op, [.tensor(x), .tensor(y), .runtimeNumber(.int(0))])
    }
  }
}
