package import MartletGraph
import MartletKernels
import MartletTensor

/// The elements of operand 0 where the mask (operand 1) is true, in row-major order.
/// - Shapes: the operands broadcast against each other. The result has rank 1 and an extent that depends on the data.
/// - DTypes: all; the mask is bool.
/// - Sources: ATen `masked_select.out`.
package struct MaskedSelect: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any), .init("mask", .mask, .bool)], accuracy: .exact)

  package var name: String { "masked_select" }

  package init() {}

  private func shape(_ x: TensorType, _ mask: TensorType) throws(OperatorError) -> [Int] {
    guard let shape = Shape.broadcast(x.shape, mask.shape), HostTensor.byteCount(dtype: x.dtype, shape: shape) != nil else {
      throw .invalid("\(x.shape) and a mask \(mask.shape) do not broadcast")
    }
    return shape
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let shape = try shape(x, try operands.tensor(1))
    return [.bounded(TensorType(x.dtype, [Extent.product(shape).clamped]), dynamicAxes: [0])]
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let type = node.operandType(0)
    let shape = try shape(type, node.operandType(1))
    let x = node.broadcastContiguous(0, to: shape, as: type.dtype)
    let mask = node.broadcastContiguous(1, to: shape, as: .bool)
    node.emit("masked_select \(shape)", evenIfEmpty: true, Masking.select(x, mask, to: node.outputs[0], slot: node.outputSlots[0]))
  }
}

/// Replaces the elements of operand 0 where the mask (operand 1) is true by those of operand 2, in order.
/// - Shapes: operand 0 and the mask broadcast against each other; the source has any shape.
/// - DTypes: all; the mask is bool.
/// - Errors: a source with too few elements fails the call.
/// - Sources: ATen `masked_scatter.out`.
package struct MaskedScatter: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .any), .init("mask", .mask, .bool), .init("source", .data, .any),
    ], accuracy: .exact)

  package var name: String { "masked_scatter" }

  package init() {}

  package var inPlaceOperands: [Int] { [0] }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let mask = try operands.tensor(1)
    _ = try operands.tensor(2)
    guard let shape = Shape.broadcast(x.shape, mask.shape) else { throw .invalid("\(x.shape) and a mask \(mask.shape) do not broadcast") }
    return [.tensor(TensorType(x.dtype, shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.broadcast(0..<2)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    if output.isEmpty { return }
    let mask = node.apart(node.broadcastContiguous(1, to: output.shape, as: .bool))
    let source = node.apart(node.contiguous(2, as: output.dtype))
    let x = node.input(0)
    if x != output { node.builder.emitCopy(from: x.broadcast(to: output.shape), to: output, source: node.source) }
    node.emit("masked_scatter \(output.shape)", Masking.scatter(source, mask, to: output))
  }
}
