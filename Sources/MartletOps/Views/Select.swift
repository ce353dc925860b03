package import MartletGraph
import MartletKernels
package import MartletTensor

/// Selects one index of an axis and removes the axis.
/// - Shapes: any of rank at least 1. With a run-time index the elements are copied, otherwise the result is a view.
/// - DTypes: all.
/// - Sources: ATen `select_copy.int_out`, `unbind_copy.int_out`.
package struct Select: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  package var axis: Int
  /// Negative indices count from the end.
  package var index: IntArgument
  package var name: String { "select" }

  package init(axis: Int, index: IntArgument) {
    self.axis = axis
    self.index = index
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    var x = try operands.tensor(0)
    if x.rank == 0 { throw .invalid("a tensor of rank 0 cannot be indexed") }
    let axis = try normalAxis(axis, rank: x.rank)
    let extent = x.shape.remove(at: axis)
    if let index = try operands.knownInt(index), index < -extent || index >= extent {
      throw .invalid("index \(index) is out of range for an axis of extent \(extent)")
    }
    return [.tensor(x)]
  }

  package var traits: OperatorTraits { .movesElements }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard var x = operands.shape(0), let axis = Shape.normalizedAxis(axis, rank: x.count), axis < x.count else { return nil }
    x.remove(at: axis)
    return x
  }

  package func alias(_ node: NodePlan) -> TensorView? {
    let x = node.input(0)
    guard let axis = Shape.normalizedAxis(axis, rank: x.rank), let index = node.int(index).known else { return nil }
    return x.selected(axis: axis, index: index < 0 ? index + x.shape[axis] : index)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.input(0)
    let axis = try normalAxis(axis, rank: x.rank)
    let output = node.outputs[0]
    var source = x
    source.shape.remove(at: axis)
    source.strides.remove(at: axis)
    node.emit(
      "select \(output.shape)", bytes: Double(2 * output.byteCount), evenIfEmpty: true,
      StridedCopy.kernel(
        from: source, sourceMovedBy: runtimeOffset(node.int(index), extent: x.shape[axis], stride: x.strides[axis]), to: output))
  }
}

/// Offset of a run-time index, in elements. The kernel fails if the index is out of range.
func runtimeOffset(_ index: RuntimeInt, extent: Int, stride: Int) -> @Sendable (KernelContext) throws -> Int {
  { context in
    let position = index.value(context)
    guard position >= -extent, position < extent else {
      throw KernelError("index \(position) is out of range for an axis of extent \(extent)")
    }
    // In range: a position on the axis.
    return (position < 0 ? position + extent : position) * stride
  }
}
