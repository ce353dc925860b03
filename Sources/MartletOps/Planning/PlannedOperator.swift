package import MartletGraph
package import MartletTensor

/// An operator that can run: it determines the memory layout of its results and the kernels that compute them.
///
/// For a node whose operands have concrete shapes, the planner calls `infer`, then `alias`. If `alias` returns a view, that is all.
/// Otherwise it places the results (`outputOrder`, `inPlaceOperands`) and calls `plan`.
package protocol PlannedOperator: Operator {
  /// The result as a view of an operand's memory, for operators that only reinterpret it; nil if the result cannot be expressed with
  /// strides or must be computed.
  func alias(_ node: NodePlan) -> TensorView?

  /// The axes of the first result in memory, from outermost to innermost; nil for row-major. Operators whose kernels work on any layout use
  /// their operand's, so that a chain keeps its layout.
  func outputOrder(_ node: NodePlan) -> [Int]?

  /// Operands whose memory the first result may reuse if they are not needed afterwards. The kernel must be correct with result and operand
  /// at the same address.
  var inPlaceOperands: [Int] { get }

  /// True if the operator packs a constant operand itself (`NodePlan.packed`), so that the constant need not stay in memory while the plan
  /// runs. `NodePlan.input` must not be called for such a constant operand.
  func packs(operand: Int) -> Bool

  /// Emits the kernels that compute `node.outputs` from `node`'s operands.
  func plan(_ node: NodePlan) throws(OperatorError)
}

extension PlannedOperator {
  package func alias(_ node: NodePlan) -> TensorView? { nil }
  package func outputOrder(_ node: NodePlan) -> [Int]? { nil }
  package var inPlaceOperands: [Int] { [] }
  package var refinement: AnyObject? { PlannedRefinement(op: self) }
  package func packs(operand: Int) -> Bool { false }
}

private final class PlannedRefinement {
  let op: any PlannedOperator
  init(op: any PlannedOperator) { self.op = op }
}

extension Operator {
  /// The operator as a `PlannedOperator`; nil for structural operators.
  package var planned: (any PlannedOperator)? { (refinement as? PlannedRefinement)?.op }
}
