package import MartletGraph
import MartletKernels
package import MartletTensor

/// Repeats each index as often as the operand says: `[2, 0, 3]` gives `[0, 0, 2, 2, 2]`.
/// - Shapes: rank 1. The extent of the result depends on the data unless it is given.
/// - DTypes: integers except uint64; the result has a dtype of its own, which holds the indices.
/// - Sources: ATen `repeat_interleave.Tensor_out`.
package struct RepeatInterleave: PlannedOperator {
  package static let contract = OperatorContract([.init("counts", .indices, .index)], accuracy: .exact)

  /// The extent of the result, if it is known in advance.
  package var count: IntArgument?
  /// Upper bound for an extent that depends on the data.
  package var bound: Int
  package var dtype: DType
  package var name: String { "repeat_interleave" }

  package init(count: IntArgument?, bound: Int, dtype: DType) {
    self.count = count
    self.bound = bound
    self.dtype = dtype
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let counts = try operands.tensor(0)
    guard counts.rank == 1, counts.dtype.isInteger, counts.dtype != .uint64, dtype.isInteger else {
      throw .invalid("repeat counts of \(counts)")
    }
    guard let count else { return [.bounded(TensorType(dtype, [max(bound, 0)]), dynamicAxes: [0])] }
    let extent = try operands.int(count)
    if extent < 0 { throw .invalid("the extent \(extent) of the result is negative") }
    return [.tensor(TensorType(dtype, [extent]))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    [count.flatMap { operands.extent($0) }]
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let counts = node.contiguous(0, as: .int64)
    let target = node.staging(0, as: .int64)
    node.emit(
      "repeat_interleave", evenIfEmpty: true,
      RepeatedIndices.kernel(counts: counts, to: target, slot: count == nil ? node.outputSlots[0] : nil))
    node.finish(0, from: target)
  }
}
