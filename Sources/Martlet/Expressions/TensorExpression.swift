import MartletGraph
package import MartletTensor

/// A tensor as an expression: elements in memory, a number, or operations on other expressions that have been noted and run, those that
/// belong together at once, when somebody asks for the elements. Shape and element type are known at once.
///
/// Axes count from the front. Types do not give way to each other: whoever applies an operation names the types.
package struct TensorExpression: Sendable {
  private let handle: TensorHandle

  init(_ value: TensorValue) { handle = TensorHandle(value) }

  var value: TensorValue { handle.value }

  /// Type and shape of the elements.
  package var type: TensorType { value.type }

  // MARK: Leaves

  /// Elements that nobody changes: row-major, and aligned to their type.
  package init(_ storage: ArrayStorage, _ type: TensorType) { self.init(TensorValue(type, .stored(storage))) }

  /// A single number, of rank 0.
  /// - Parameter isLiteral: whether it is the same each time the expression is made. Literals are part of an expression's structure, for
  ///   which there is a plan; other numbers are data.
  package init(_ number: Scalar, _ dtype: DType, isLiteral: Bool) {
    self.init(TensorValue(TensorType(dtype, []), .number(number, isLiteral: isLiteral)))
  }

  // MARK: Elements

  /// The elements, row-major; computed if they have not been.
  /// - Throws: `ExecutionError` if data make it fail, such as an index that is out of range.
  package func storage() throws -> ArrayStorage { try TensorEvaluation.storage(of: value) }

  /// Computes expressions that have not been, what they share once.
  /// - Throws: `ExecutionError` if data make it fail, such as an index that is out of range.
  package static func compute(_ expressions: [TensorExpression]) throws { try TensorEvaluation.compute(expressions.map(\.value)) }

  /// The elements as an operand of a step.
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

  /// The result of an operation that has one.
  static func result(_ operation: TensorOperation, _ operands: [TensorStep.Operand]) throws(ExpressionError) -> TensorExpression {
    try results(operation, operands)[0]
  }

  /// This with an operation applied.
  func applying(_ operation: TensorOperation) throws(ExpressionError) -> TensorExpression { try Self.result(operation, [operand]) }
}

/// Operands that do not fit an operation. Its description says why.
package struct ExpressionError: Error, CustomStringConvertible {
  package let description: String

  init(_ error: OperatorError) {
    description =
      switch error {
      case .invalid(let reason): reason
      case .unsupported(let what): "\(what) is not supported"
      case .needsValue(let operand): "operand \(operand) must be known"
      }
  }
}
