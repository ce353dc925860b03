package import MartletGraph
import MartletKernels
package import MartletTensor

/// A tensor filled with the scalar in operand 0.
/// - Shapes: `shape`, or that of tensor operand 1.
/// - DTypes: all.
/// - Errors: with `isStrict`, a number that the element type cannot hold fails the call.
/// - Sources: ATen `full.out`, `zeros.out`, `ones.out`, `empty.out`, `scalar_tensor.out`, `fill.Scalar_out`, `full_like.out`;
///   `dim_order_ops::_empty_dim_order.out`; MIL `fill`.
package struct Full: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("value", .number, .any), .init("like", .data, .any, isOptional: true),
    ], accuracy: .exact)

  /// Nil to use the shape of operand 1.
  package var shape: [IntArgument]?
  package var dtype: DType
  /// An operand whose element count is the rank of the result; only the leading extents of `shape` are used then.
  package var axesOperand: Int?
  /// True if the number must fit the element type; otherwise it is converted as by `Cast`.
  package var isStrict: Bool
  package var name: String { "full" }

  package init(shape: [IntArgument]?, dtype: DType, axesOperand: Int? = nil, isStrict: Bool = false) {
    self.shape = shape
    self.dtype = dtype
    self.axesOperand = axesOperand
    self.isStrict = isStrict
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    _ = try operands.scalar(0)
    guard let shape else { return [.tensor(TensorType(dtype, try operands.tensor(1).shape))] }
    var extents = try operands.ints(shape)
    if let axesOperand {
      let count = try operands.tensor(axesOperand).elementCount
      guard count <= extents.count else { throw .invalid("the rank \(count) exceeds the \(extents.count) given extents") }
      extents.removeLast(extents.count - count)
    }
    guard Shape.elementCount(extents) != nil else { throw .invalid("\(extents) is not a valid shape") }
    return [.tensor(TensorType(dtype, extents))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard let shape else { return operands.shape(1) }
    return axesOperand == nil ? shape.map { operands.extent($0) } : nil
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    let value = node.scalar(0)
    let fill = Fill.kernel(output) { value.scalar($0) }
    guard isStrict else { return node.emit("full \(output.shape)", bytes: Double(output.byteCount), fill) }
    node.emit("full \(output.shape)", bytes: Double(output.byteCount), evenIfEmpty: true) { [dtype] context in
      let number = value.scalar(context)
      guard number.fits(dtype) else { throw KernelError("\(number) is out of range for \(dtype)") }
      try fill(context)
    }
  }
}
