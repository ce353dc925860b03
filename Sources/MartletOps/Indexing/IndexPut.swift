package import MartletGraph
import MartletKernels
import MartletTensor

/// Replaces the elements of operand 0 that index tensors select by operand 1, or adds operand 1 to them. The index tensors are operands 2
/// and up, one for each indexed axis.
/// - Shapes: as for `Index`; operand 1 broadcasts to its result.
/// - DTypes: all; operand 1 is converted to operand 0's dtype. Sums are computed in operand 0's dtype, in order of the indices.
/// - Errors: an index out of range fails the call.
/// - Sources: ATen `index_put.out`, `index_put_`; `llama::update_cache_with_indices.out`; MIL `scatter`.
package struct IndexPut: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .any), .init("values", .data, .any), .init("indices", .indices, .index, repeats: true),
    ], accuracy: .ulp)

  /// The axis of each index operand.
  package var axes: [Int]
  package var accumulates: Bool
  /// Whether negative indices count from the end; otherwise they are out of range.
  package var allowsNegative: Bool
  package var name: String { "index_put" }

  package init(axes: [Int], accumulates: Bool, allowsNegative: Bool) {
    self.axes = axes
    self.accumulates = accumulates
    self.allowsNegative = allowsNegative
  }

  package var inPlaceOperands: [Int] { [0] }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let values = try operands.tensor(1)
    var indices: [TensorType] = []
    for operand in 2..<max(operands.count, 2) { indices.append(try operands.tensor(operand)) }
    let layout = try IndexLayout(x, axes: axes, indices: indices)
    guard HostTensor.byteCount(dtype: x.dtype, shape: layout.resultShape) != nil,
      Shape.broadcast(Self.trimmed(values.shape, to: layout.resultShape.count), layout.resultShape) == layout.resultShape
    else { throw .invalid("\(values.shape) does not fit the selected elements \(layout.resultShape)") }
    return [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  /// Drops leading axes of extent 1 beyond `rank`.
  private static func trimmed(_ shape: [Int], to rank: Int) -> [Int] {
    let extra = max(shape.count - rank, 0)
    return shape.prefix(extra).allSatisfy { $0 == 1 } ? Array(shape.dropFirst(extra)) : shape
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    let layout = try IndexLayout(output.type, axes: axes, indices: axes.indices.map { node.operandType(2 + $0) })
    var values = node.updateSource(1, as: output.dtype)
    let indices = axes.indices.map {
      node.apart(node.broadcastContiguous(2 + $0, to: layout.indexShape, as: .int64))
    }
    let extra = max(values.rank - layout.resultShape.count, 0)
    values.shape.removeFirst(extra)
    values.strides.removeFirst(extra)
    values = values.broadcast(to: layout.resultShape)
    let flat = try layout.flatShape(output.type)
    let source: TensorView
    if let view = values.reshaped(flat) {
      source = view
    } else {
      let order = Array(values.shape.indices)
      source = node.builder.materialize(values, order: order, dtype: values.dtype, source: node.source).reshaped(flat)!
    }
    node.beginUpdate()
    if output.isEmpty, source.isEmpty { return }
    let blocks = layout.blocks(output, source, axes: axes, indices: indices, node: node, allowsNegative: allowsNegative)
    node.emit(
      "\(accumulates ? "index_add" : "index_put") \(source.shape)", bytes: Double(2 * source.byteCount), evenIfEmpty: true,
      accumulates ? blocks.accumulate() : blocks.scatter())
  }
}
