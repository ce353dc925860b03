package import MartletGraph
import MartletKernels
package import MartletTensor

/// Selects elements of operand 0 by index tensors, the other operands, one for each indexed axis (NumPy's advanced indexing).
/// - Shapes: the indices broadcast against each other. Their axes replace the indexed axes if those are adjacent, and come first
///   otherwise.
/// - DTypes: all; indices are integers except uint64.
/// - Errors: an index out of range fails the call.
/// - Sources: ATen `index.Tensor_out`, `index_select.out`, `embedding.out`; MIL `gather`, `gather_nd`.
package struct Index: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .any), .init("indices", .indices, .index, repeats: true),
    ], accuracy: .exact)

  /// The axis of each index operand.
  package var axes: [Int]
  /// Whether negative indices count from the end; otherwise they are out of range.
  package var allowsNegative: Bool
  package var name: String { "index" }

  package init(axes: [Int], allowsNegative: Bool) {
    self.axes = axes
    self.allowsNegative = allowsNegative
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    var indices: [TensorType] = []
    for operand in 1..<max(operands.count, 1) { indices.append(try operands.tensor(operand)) }
    let layout = try IndexLayout(x, axes: axes, indices: indices)
    if HostTensor.byteCount(dtype: x.dtype, shape: layout.resultShape) != nil { _ = try layout.flatShape(x) }
    return [.tensor(TensorType(x.dtype, layout.resultShape))]
  }

  package var traits: OperatorTraits { .movesElements }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard axes.count == 1, let x = operands.shape(0), let indices = operands.shape(1),
      let axis = Shape.normalizedAxis(axes[0], rank: x.count), axis < x.count
    else { return nil }
    return Array(x[..<axis]) + indices + Array(x[(axis + 1)...])
  }

  package func alias(_ node: NodePlan) -> TensorView? { axes.isEmpty ? node.input(0) : nil }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.input(0)
    let output = node.outputs[0]
    let layout = try IndexLayout(x.type, axes: axes, indices: axes.indices.map { node.operandType(1 + $0) })
    guard let y = output.reshaped(try layout.flatShape(x.type)) else { throw .invalid("the result must be row-major") }
    let indices = axes.indices.map { node.broadcastContiguous(1 + $0, to: layout.indexShape, as: .int64) }
    let blocks = layout.blocks(x, y, axes: axes, indices: indices, node: node, allowsNegative: allowsNegative)
    node.emit("index \(output.shape)", bytes: Double(2 * output.byteCount), evenIfEmpty: true, blocks.gather())
  }
}
