package import MartletGraph
package import MartletTensor

/// The operand itself: copies, and changes of memory layout, which the engine decides on its own.
/// - Shapes: any. - DTypes: all.
/// - Sources: ATen `clone.out`, `lift_fresh_copy.out`, `_to_copy.out` to the same dtype; `dim_order_ops::*_copy.out`;
///   `et_copy::*_copy.out`; MIL `identity`.
package struct Identity: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  package var name: String { "identity" }

  package init() {}

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    [.tensor(try operands.tensor(0))]
  }

  package var traits: OperatorTraits { .movesElements.union(.keepsElementOrder).union(.isIdentityForEqualShapes) }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package func alias(_ node: NodePlan) -> TensorView? { node.input(0) }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    throw .invalid("identity has no kernel")
  }
}
