import MartletGraph
import MartletKernels
package import MartletTensor

// Functions of corresponding elements of operands that broadcast. `computing` is the type in which they are computed: the widest type of
// its kind, with the rounding of `result`, the result's type, at the end.

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
    /// A quotient of integers, cut off towards zero.
    case divTrunc
    /// What a quotient that is rounded down leaves: it has the sign of the divisor.
    case remainder
    /// NaN if one of the elements is.
    case maximum, minimum
    case eq, ne, lt, le, gt, ge
    case logicalAnd, logicalOr, logicalXor
  }

  /// The elements converted; floating-point numbers are cut off towards zero where they become integers.
  package func converted(to dtype: DType) throws(ExpressionError) -> TensorExpression {
    try Self.pointwise([self], computing: type.dtype, result: dtype) { _, _ in }
  }

  /// A function of each element.
  package func unary(_ function: UnaryFunction, computing: DType, result: DType) throws(ExpressionError) -> TensorExpression {
    try Self.pointwise([self], computing: computing, result: result) { program, x in program.append(.unary(function.kernel, x[0])) }
  }

  /// A function of elements of this and another tensor, in this order.
  package func binary(
    _ function: BinaryFunction, _ other: TensorExpression, computing: DType, result: DType
  ) throws(ExpressionError) -> TensorExpression {
    try Self.pointwise([self, other], computing: computing, result: result) { program, x in
      program.append(.binary(function.kernel, x[0], x[1]))
    }
  }

  /// The elements, those outside the bounds replaced by the nearest bound.
  package func clamped(
    from low: TensorExpression?, through high: TensorExpression?, computing: DType, result: DType
  ) throws(ExpressionError) -> TensorExpression {
    try Self.pointwise([self] + [low, high].compactMap { $0 }, computing: computing, result: result) { program, x in
      var last = x[0]
      if low != nil { last = program.append(.binary(.maximum, last, x[1])) }
      if high != nil { program.append(.binary(.minimum, last, x[x.count - 1])) }
    }
  }

  /// The elements where the mask is false, and those of another tensor where it is true; all of this one's type.
  package func replaced(by other: TensorExpression, where mask: TensorExpression) throws(ExpressionError) -> TensorExpression {
    // Masks are loaded in the type of what they choose.
    try Self.pointwise([self, other, mask], computing: type.dtype, result: type.dtype) { program, x in
      program.append(.ternary(.select, x[2], x[1], x[0]))
    }
  }

  /// A function of corresponding elements. `body` appends the computation, for which it gets the registers of the operands; without any,
  /// the result is the only operand.
  private static func pointwise(
    _ operands: [TensorExpression], computing: DType, result: DType, _ body: (inout PointwiseProgram, [Int]) -> Void
  ) throws(ExpressionError) -> TensorExpression {
    guard let type = ComputeType(for: computing) else { throw ExpressionError(.unsupported("computing in \(computing)")) }
    var program = PointwiseProgram()
    var inputs: [TensorStep.Operand] = []
    var registers: [Int] = []
    let contents = operands.map { $0.value.currentContent }
    // What is not a number must be loaded, and something must be.
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
  /// The number as operands of `dtype` are computed.
  fileprivate func converted(to dtype: DType) -> Self {
    if dtype.isFloatingPoint { return .double(doubleValue) }
    return .int(intValue ?? 0)
  }
}

// MARK: Functions of the kernels

extension TensorExpression.UnaryFunction {
  fileprivate var kernel: MartletKernels.UnaryFunction {
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
  fileprivate var kernel: MartletKernels.BinaryFunction {
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
