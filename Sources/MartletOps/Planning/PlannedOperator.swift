package import MartletGraph
package import MartletTensor

/// An operator that can run: how its results lie in memory and which kernels compute them.
///
/// The planner calls, for a node whose operands have concrete shapes: `infer`; then `alias`, and if that gives a view,
/// nothing else; else it places the results (`outputOrder`, `inPlaceOperands`) and calls `plan`.
package protocol PlannedOperator: Operator {
  /// The result as a view of an operand's memory, for operators that only reinterpret it; nil when this cannot be
  /// expressed with strides or the operator computes.
  func alias(_ node: NodePlan) -> TensorView?

  /// Axes from outermost to innermost of the first result's memory; nil for row-major. Operators whose kernels work on
  /// any layout follow their operand, so that a chain stays in one layout.
  func outputOrder(_ node: NodePlan) -> [Int]?

  /// Operands whose memory the first result may take over when nobody needs them afterwards. The kernel must then be
  /// correct with result and operand at one address.
  var inPlaceOperands: [Int] { get }

  /// Whether the operator packs a constant operand itself (`NodePlan.packed`), so that its bytes need not be in memory
  /// while the plan runs. `NodePlan.input` must not be called for such an operand if it is a constant.
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
  /// The operator as one that can run; nil for the structural ones.
  package var planned: (any PlannedOperator)? { (refinement as? PlannedRefinement)?.op }
}
