package import MartletGraph
package import MartletTensor

/// An operator whose result is always a view of its only operand: `view(of:)` is both its shape rule and its plan.
package protocol ViewOperator: PlannedOperator {
  /// The result for an operand with any strides.
  func view(of x: TensorView) throws(OperatorError) -> TensorView
}

extension ViewOperator {
  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let flat = TensorView(buffer: BufferID(0), dtype: x.dtype, shape: x.shape, strides: x.shape.map { _ in 0 })
    return [.tensor(try view(of: flat).type)]
  }

  package func alias(_ node: NodePlan) -> TensorView? { try? view(of: node.input(0)) }

  package func plan(_ node: NodePlan) throws(OperatorError) { throw .invalid("\(name) is always a view") }
}
