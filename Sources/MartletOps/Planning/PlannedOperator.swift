package import MartletGraph
package import MartletTensor
package import MartletVocabulary

/// An operator that can run: it determines the memory layout of its results and the kernels that compute them.
///
/// For a node whose operands have concrete shapes, the planner calls `infer`, then `alias`. If `alias` returns a view, that is all.
/// Otherwise it places the results (`outputOrder`, `inPlaceOperands`) and calls `plan`.
package protocol PlannedOperator: Operator {
  /// The operands' names, roles and element types, and the class of accuracy.
  static var contract: OperatorContract { get }

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

  /// This operator with `activation` applied to its results, after the addition of a residual if there is one; nil if its kernels cannot
  /// do that or already apply an activation.
  /// - Parameter dtype: the dtype of the results and of the activation.
  func fusing(_ activation: Activation, _ dtype: DType, hasResidual: Bool) -> (any PlannedOperator)?

  /// Tensors that the kernels can add to the results before that activation.
  var fusedAddends: FusedAddends { get }

  /// The operands and results that may be bfloat16 instead of float32; nil if kernels need float32 throughout.
  /// - Parameter operands: signatures of the operands; nil for those that are not tensors.
  func narrowForm(_ operands: [TensorSignature?]) -> NarrowForm?

  /// The compressed form of the result for constant operands, which its readers may use instead; nil if there is none.
  func compression(of operands: [Constant?]) -> Constant.Compression?

  /// This operator with its first result only; nil if it always has one result.
  var givingFirstResult: (any PlannedOperator)? { get }

  /// The derivative: appends nodes that compute the gradients of the operands from those of the results.
  /// - Returns: one for each operand; nil for an operand that is not wanted.
  /// - Throws: `OperatorError.unsupported` if the operator has no derivative, as most.
  func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?]

  /// Emits the kernels that compute `node.outputs` from `node`'s operands.
  func plan(_ node: NodePlan) throws(OperatorError)
}

extension PlannedOperator {
  package func alias(_ node: NodePlan) -> TensorView? { nil }
  package func outputOrder(_ node: NodePlan) -> [Int]? { nil }
  package var inPlaceOperands: [Int] { [] }
  package var refinement: AnyObject? { PlannedRefinement(op: self) }
  package func packs(operand: Int) -> Bool { false }
  package func fusing(_ activation: Activation, _ dtype: DType, hasResidual: Bool) -> (any PlannedOperator)? { nil }
  package var fusedAddends: FusedAddends { [] }
  package func narrowForm(_ operands: [TensorSignature?]) -> NarrowForm? { nil }
  package func compression(of operands: [Constant?]) -> Constant.Compression? { nil }
  package var givingFirstResult: (any PlannedOperator)? { nil }
  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] {
    throw .unsupported("the operator has no derivative")
  }
}

/// Tensors that an operator can add to its results.
package struct FusedAddends: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Operand 2: a constant with one element per index of the last axis.
  package static let bias = FusedAddends(rawValue: 1)
  /// Operand 3: a tensor of the result's shape and type.
  package static let residual = FusedAddends(rawValue: 2)
}

/// Which float32 operands and results of an operator may be bfloat16 instead.
package struct NarrowForm: Sendable {
  /// The operator with bfloat16 results; nil if results stay float32.
  package var narrowed: (any PlannedOperator)?
  /// Operands that kernels read as bfloat16.
  package var operands: Set<Int>
  /// Operands that are bfloat16 if and only if the results are.
  package var tied: Set<Int>

  package init(narrowed: (any PlannedOperator)?, operands: Set<Int>, tied: Set<Int> = []) {
    self.narrowed = narrowed
    self.operands = operands
    self.tied = tied
  }
}

private final class PlannedRefinement {
  let op: any PlannedOperator
  init(op: any PlannedOperator) { self.op = op }
}

extension Operator {
  /// The operator as a `PlannedOperator`; nil for structural operators.
  package var planned: (any PlannedOperator)? { (refinement as? PlannedRefinement)?.op }
}
