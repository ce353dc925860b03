import MartletGraph
package import MartletTensor
import MartletVocabulary

// Elementwise functions of operands that broadcast. `computing` is the type of the arithmetic: the widest type of its kind. Results are
// rounded to the type `result` at the end.

extension TensorExpression {
  /// A function of one element.
  package enum UnaryFunction: Sendable {
    case abs, acos, acosh, asin, asinh, atan, atanh, ceil, cos, cosh, exp, exp2, floor, log, neg, reciprocal, round, rsqrt, sign, sin, sinh
    case sqrt, square, tan, tanh
    case logicalNot
  }

  /// A function of two elements.
  package enum BinaryFunction: Sendable {
    case add, sub, mul, div, pow
    /// Integer quotient, truncated towards zero.
    case divTrunc
    /// Remainder of floored division; it has the sign of the divisor.
    case remainder
    /// NaN if either operand is NaN.
    case maximum, minimum
    case eq, ne, lt, le, gt, ge
    case logicalAnd, logicalOr, logicalXor
  }

  /// The elements converted to `dtype`. Floating-point to integer conversion truncates towards zero.
  package func converted(to dtype: DType) throws(ExpressionError) -> TensorExpression {
    try Self.pointwise([self], computing: type.dtype, result: dtype) { _, _ in }
  }

  /// Applies a function to each element.
  package func unary(_ function: UnaryFunction, computing: DType, result: DType) throws(ExpressionError) -> TensorExpression {
    try Self.pointwise([self], computing: computing, result: result) { program, x in program.append(.unary(function.kernel, x[0])) }
  }

  /// Applies a function to corresponding elements of this tensor and another one, in this order.
  package func binary(
    _ function: BinaryFunction, _ other: TensorExpression, computing: DType, result: DType
  ) throws(ExpressionError) -> TensorExpression {
    try Self.pointwise([self, other], computing: computing, result: result) { program, x in
      program.append(.binary(function.kernel, x[0], x[1]))
    }
  }

  /// The elements clamped to the given bounds.
  package func clamped(
    from low: TensorExpression?, through high: TensorExpression?, computing: DType, result: DType
  ) throws(ExpressionError) -> TensorExpression {
    try Self.pointwise([self] + [low, high].compactMap { $0 }, computing: computing, result: result) { program, x in
      var last = x[0]
      if low != nil { last = program.append(.binary(.maximum, last, x[1])) }
      if high != nil { program.append(.binary(.minimum, last, x[x.count - 1])) }
    }
  }

  /// Selects `other` where the mask is true and this tensor elsewhere; the result has this tensor's type.
  package func replaced(by other: TensorExpression, where mask: TensorExpression) throws(ExpressionError) -> TensorExpression {
    // Masks are loaded in the type of the values that they select.
    try Self.pointwise([self, other, mask], computing: type.dtype, result: type.dtype) { program, x in
      program.append(.ternary(.select, x[2], x[1], x[0]))
    }
  }

  /// An elementwise function. `body` gets the registers of the operands and appends the computation. If it appends nothing, the result is
  /// the only operand.
  private static func pointwise(
    _ operands: [TensorExpression], computing: DType, result: DType, _ body: (inout PointwiseProgram, [Int]) -> Void
  ) throws(ExpressionError) -> TensorExpression {
    guard let type = ComputeType(for: computing) else { throw ExpressionError(.unsupported("computing in \(computing)")) }
    var program = PointwiseProgram()
    var inputs: [TensorStep.Operand] = []
    var registers: [Int] = []
    let contents = operands.map { $0.value.currentContent }
    // Scalars become immediates, all other operands are loaded. At least one operand must be loaded.
    let loadsFirst = contents.allSatisfy { if case .number = $0 { true } else { false } }
    for (index, operand) in operands.enumerated() {
      switch contents[index] {
      case .number(let number, let isLiteral) where index > 0 || !loadsFirst:
        let converted = number.converted(to: computing)
        if isLiteral {
          registers.append(program.append(.literal(converted, as: type)))
        } else {
          registers.append(program.append(.scalar(operand: inputs.count, as: type)))
          inputs.append(.number(converted))
        }
      default:
        registers.append(program.append(.load(operand: inputs.count, as: type)))
        inputs.append(operand.operand)
      }
    }
    body(&program, registers)
    return try Self.result(.pointwise(program, result), inputs)
  }
}

extension Scalar {
  /// The scalar in the type in which operands of `dtype` are computed.
  fileprivate func converted(to dtype: DType) -> Self {
    if dtype.isFloatingPoint { return .double(doubleValue) }
    return .int(intValue ?? 0)
  }
}

// MARK: Functions of the kernels

extension TensorExpression.UnaryFunction {
  fileprivate var kernel: MartletVocabulary.UnaryFunction {
    switch self {
    case .abs: .abs
    case .acos: .acos
    case .acosh: .acosh
    case .asin: .asin
    case .asinh: .asinh
    case .atan: .atan
    case .atanh: .atanh
    case .ceil: .ceil
    case .cos: .cos
    case .cosh: .cosh
    case .exp: .exp
    case .exp2: .exp2
    case .floor: .floor
    case .log: .log
    case .neg: .neg
    case .reciprocal: .reciprocal
    case .round: .round
    case .rsqrt: .rsqrt
    case .sign: .sign
    case .sin: .sin
    case .sinh: .sinh
    case .sqrt: .sqrt
    case .square: .square
    case .tan: .tan
    case .tanh: .tanh
    case .logicalNot: .logicalNot
    }
  }
}

extension TensorExpression.BinaryFunction {
  fileprivate var kernel: MartletVocabulary.BinaryFunction {
    switch self {
    case .add: .add
    case .sub: .sub
    case .mul: .mul
    case .div: .div
    case .pow: .pow
    case .divTrunc: .divTrunc
    case .remainder: .remainder
    case .maximum: .maximum
    case .minimum: .minimum
    case .eq: .eq
    case .ne: .ne
    case .lt: .lt
    case .le: .le
    case .gt: .gt
    case .ge: .ge
    case .logicalAnd: .logicalAnd
    case .logicalOr: .logicalOr
    case .logicalXor: .logicalXor
    }
  }
}
