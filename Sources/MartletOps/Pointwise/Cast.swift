package import MartletGraph
package import MartletTensor

/// Converts the elements to another dtype, complex types included. Casts between real types are `Pointwise` nodes, which can be fused;
/// this operator handles all others.
/// - Shapes: any. - DTypes: all. Imaginary parts are dropped, or set to zero.
/// - Accuracy: rounded to nearest, ties to even.
/// - Sources: ATen `_to_copy.out`; `dim_order_ops::_to_dim_order_copy.out`.
package struct Cast: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .ulp)

  package var dtype: DType
  package var name: String { "cast" }

  package init(to dtype: DType) { self.dtype = dtype }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    [.tensor(TensorType(dtype, try operands.tensor(0).shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package func alias(_ node: NodePlan) -> TensorView? {
    let view = node.input(0)
    return view.dtype == dtype ? view : nil
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    node.builder.emitCopy(from: node.input(0), to: node.outputs[0], source: node.source)
  }
}
