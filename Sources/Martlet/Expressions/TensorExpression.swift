import MartletGraph
package import MartletTensor

/// A lazily evaluated tensor: stored elements, a scalar, or operations on other expressions. Pending operations run, fused where
/// possible, when the elements are requested. Shape and element type are known immediately.
///
/// Axes count from the front. Types are not promoted implicitly: the caller of an operation names them.
package struct TensorExpression: Sendable {
  private let handle: TensorHandle

  init(_ value: TensorValue) { handle = TensorHandle(value) }

  var value: TensorValue { handle.value }

  /// Type and shape of the elements.
  package var type: TensorType { value.type }

  // MARK: Leaves

  /// An expression for stored elements, which must not change: row-major and aligned to their type.
  package init(_ storage: TensorStorage, _ type: TensorType) { self.init(TensorValue(type, .stored(storage))) }

  /// A rank-0 tensor that holds one value.
  /// - Parameter isLiteral: true if the value is the same each time the expression is built. Literals are part of the structure for which a
  ///   plan is made; other scalars are inputs of the plan.
  package init(_ number: Scalar, _ dtype: DType, isLiteral: Bool) {
    self.init(TensorValue(TensorType(dtype, []), .number(number, isLiteral: isLiteral)))
  }

  // MARK: Elements

  /// The elements in row-major order, computed first if necessary.
  /// - Throws: `ExecutionError` if the data make a step fail, such as an index out of range.
  package func storage() throws -> TensorStorage { try TensorEvaluation.storage(of: value) }

  /// The same, computed on one of the engine's background threads if necessary.
  package func computedStorage() async throws -> TensorStorage {
    guard case .pending = value.currentContent else { return try storage() }
    let plans = TensorPlans.current
    return try await BackgroundThreads.shared.run { try TensorPlans.$current.withValue(plans) { try storage() } }
  }

  /// Computes those expressions that are still pending. Shared subexpressions are computed once.
  /// - Throws: `ExecutionError` if the data make a step fail, such as an index out of range.
  package static func compute(_ expressions: [TensorExpression]) throws { try TensorEvaluation.compute(expressions.map(\.value)) }

  /// The expression as the operand of a step.
  var operand: TensorStep.Operand { .tensor(value.withMemory) }

  // MARK: Steps

  /// The results of an operation.
  static func results(_ operation: TensorOperation, _ operands: [TensorStep.Operand]) throws(ExpressionError) -> [TensorExpression] {
    let types: [TensorType]
    do throws(OperatorError) {
      types = try operation.types(operands)
    } catch {
      throw ExpressionError(error)
    }
    return TensorStep(operation, operands, types: types).makeValues().map { TensorExpression($0) }
  }

  /// The result of an operation with exactly one result.
  static func result(_ operation: TensorOperation, _ operands: [TensorStep.Operand]) throws(ExpressionError) -> TensorExpression {
    try results(operation, operands)[0]
  }

  /// Applies an operation to this tensor.
  func applying(_ operation: TensorOperation) throws(ExpressionError) -> TensorExpression { try Self.result(operation, [operand]) }
}

/// Operands that an operation does not accept. The description gives the reason.
package struct ExpressionError: Error, CustomStringConvertible {
  package let description: String

  init(_ error: OperatorError) {
    description =
      switch error {
      case .invalid(let reason), .overBudget(let reason): reason
      case .unsupported(let what): "\(what) is not supported"
      case .needsValue(let operand): "operand \(operand) must be known"
      }
  }
}
