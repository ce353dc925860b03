package import MartletGraph
import MartletKernels
package import MartletTensor

/// A slice of the operand along one axis.
/// - Shapes: any of rank at least 1. With a run-time start and a known extent the elements are copied, otherwise the result is a view.
/// - DTypes: all.
/// - Sources: ATen `slice_copy.Tensor_out`, `narrow_copy.out`, `split_copy.Tensor_out`, `split_with_sizes_copy.out`;
///   MIL `slice_by_index`, `split`.
package struct Slice: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  package var axis: Int
  package var range: SliceRange
  package var name: String { "slice" }

  package init(axis: Int, range: SliceRange) {
    self.axis = axis
    self.range = range
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    var x = try operands.tensor(0)
    if x.rank == 0 { throw .invalid("a tensor of rank 0 cannot be sliced") }
    let axis = try normalAxis(axis, rank: x.rank)
    x.shape[axis] = try range.count(operands, extent: x.shape[axis])
    return [.tensor(x)]
  }

  package var traits: OperatorTraits { range.step == 1 ? .movesElements.union(.isIdentityForEqualShapes) : .movesElements }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    var count: SymbolicExtent?
    if range.step == 1, case .count(let argument) = range.end { count = operands.extent(argument) }
    if range.step == 1, case .position(.constant(let end)) = range.end, case .constant(let start) = range.start, start >= 0, end >= 0,
      let rank = operands.shape(0)?.count, let axis = Shape.normalizedAxis(axis, rank: rank),
      case .fixed(let extent)? = operands.extent(0, axis: axis)
    {
      // In range: positions on the axis.
      count = .fixed(max(min(end, extent) - min(start, extent), 0))
    }
    return operands.shape(0, replacing: axis, by: count)
  }

  package func alias(_ node: NodePlan) -> TensorView? {
    let x = node.input(0)
    guard let axis = Shape.normalizedAxis(axis, rank: x.rank) else { return nil }
    return (try? range.view(of: x, axis: axis, count: node.outputType(0).shape[axis], node: node)) ?? nil
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.input(0)
    let axis = try normalAxis(axis, rank: x.rank)
    let output = node.outputs[0]
    let (source, offset) = range.runtimeView(of: x, axis: axis, count: output.shape[axis], node: node)
    node.emit(
      "slice \(output.shape)", bytes: Double(2 * output.byteCount), evenIfEmpty: true,
      StridedCopy.kernel(from: source, sourceMovedBy: offset, to: output))
  }
}
