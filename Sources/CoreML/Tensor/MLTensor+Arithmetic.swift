import Martlet

// Operands broadcast. If their scalar types differ, the result has the wider one: floating point before integers, integers before Bool.
// A Swift number or literal takes the tensor's scalar type if it is of the same kind.

extension MLTensor {
  /// The common scalar type of two operands.
  private static func commonType(_ a: MLTensor, _ b: MLTensor, _ function: String) -> DType {
    func kind(_ dtype: DType) -> Int { dtype.isFloatingPoint ? 2 : dtype.isInteger ? 1 : 0 }
    if a.isWeak != b.isWeak {
      let (weak, strong) = a.isWeak ? (a.dtype, b.dtype) : (b.dtype, a.dtype)
      return kind(weak) > kind(strong) ? weak : strong
    }
    let common = TypePromotion.promote(a.dtype, b.dtype)
    require(
      common.isTensorScalar, "MLTensor.\(function): scalars of the types \(a.scalarType) and \(b.scalarType) have no common type; cast one")
    return common
  }

  /// An elementwise function of two tensors.
  private static func elements(
    _ function: TensorExpression.BinaryFunction, _ a: MLTensor, _ b: MLTensor, computing type: DType, result: DType, isWeak: Bool,
    _ name: String
  ) -> MLTensor {
    .result(name, isWeak: isWeak) { try a.expression.binary(function, b.expression, computing: type, result: result) }
  }

  /// Sums, products and similar functions. Bool operands count as the integers 0 and 1.
  static func arithmetic(_ function: TensorExpression.BinaryFunction, _ a: MLTensor, _ b: MLTensor, _ name: String) -> MLTensor {
    let type = commonType(a, b, name).arithmeticType
    return elements(function, a, b, computing: type, result: type, isWeak: a.isWeak && b.isWeak, name)
  }

  /// The greater or smaller of two scalars, elementwise.
  static func extremum(_ function: TensorExpression.BinaryFunction, _ a: MLTensor, _ b: MLTensor, _ name: String) -> MLTensor {
    let type = commonType(a, b, name)
    return elements(function, a, b, computing: type, result: type, isWeak: a.isWeak && b.isWeak, name)
  }

  /// Quotients. Those of integers are truncated toward zero.
  private static func quotient(_ a: MLTensor, _ b: MLTensor) -> MLTensor {
    arithmetic(commonType(a, b, "/").isFloatingPoint ? .div : .divTrunc, a, b, "/")
  }

  private static func comparison(_ function: TensorExpression.BinaryFunction, _ a: MLTensor, _ b: MLTensor, _ name: String) -> MLTensor {
    let type = commonType(a, b, name)
    return elements(function, a, b, computing: type, result: .bool, isWeak: false, name)
  }

  private static func logic(_ function: TensorExpression.BinaryFunction, _ a: MLTensor, _ b: MLTensor, _ name: String) -> MLTensor {
    require(a.dtype == .bool && b.dtype == .bool, "MLTensor.\(name) of scalars of types \(a.scalarType) and \(b.scalarType), not Bool")
    return elements(function, a, b, computing: .bool, result: .bool, isWeak: a.isWeak && b.isWeak, name)
  }

  // MARK: Arithmetic

  public static func + (lhs: MLTensor, rhs: MLTensor) -> MLTensor { arithmetic(.add, lhs, rhs, "+") }
  public static func + (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor { lhs + MLTensor(operand: rhs) }
  public static func + (lhs: some MLTensorScalar & Numeric, rhs: MLTensor) -> MLTensor { MLTensor(operand: lhs) + rhs }
  public static func += (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs + rhs }

  public static func - (lhs: MLTensor, rhs: MLTensor) -> MLTensor { arithmetic(.sub, lhs, rhs, "-") }
  public static func - (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor { lhs - MLTensor(operand: rhs) }
  public static func - (lhs: some MLTensorScalar & Numeric, rhs: MLTensor) -> MLTensor { MLTensor(operand: lhs) - rhs }
  public static func -= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs - rhs }

  public static func * (lhs: MLTensor, rhs: MLTensor) -> MLTensor { arithmetic(.mul, lhs, rhs, "*") }
  public static func * (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor { lhs * MLTensor(operand: rhs) }
  public static func * (lhs: some MLTensorScalar & Numeric, rhs: MLTensor) -> MLTensor { MLTensor(operand: lhs) * rhs }
  public static func *= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs * rhs }

  public static func / (lhs: MLTensor, rhs: MLTensor) -> MLTensor { quotient(lhs, rhs) }
  public static func / (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor { lhs / MLTensor(operand: rhs) }
  public static func / (lhs: some MLTensorScalar & Numeric, rhs: MLTensor) -> MLTensor { MLTensor(operand: lhs) / rhs }
  public static func /= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs / rhs }

  /// The remainder of division with the quotient rounded down. It has the sign of the divisor.
  public static func % (lhs: MLTensor, rhs: MLTensor) -> MLTensor { arithmetic(.remainder, lhs, rhs, "%") }
  public static func % (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor { lhs % MLTensor(operand: rhs) }
  public static func % (lhs: some MLTensorScalar & Numeric, rhs: MLTensor) -> MLTensor { MLTensor(operand: lhs) % rhs }
  public static func %= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs % rhs }

  public static prefix func - (rhs: MLTensor) -> MLTensor {
    let type = rhs.dtype.arithmeticType
    return .result("-", isWeak: rhs.isWeak) { try rhs.expression.unary(.neg, computing: type, result: type) }
  }

  // MARK: Comparisons

  public static func .== (lhs: MLTensor, rhs: MLTensor) -> MLTensor { comparison(.eq, lhs, rhs, ".==") }
  public static func .== (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor { lhs .== MLTensor(operand: rhs) }
  public static func .!= (lhs: MLTensor, rhs: MLTensor) -> MLTensor { comparison(.ne, lhs, rhs, ".!=") }
  public static func .!= (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor { lhs .!= MLTensor(operand: rhs) }
  public static func .< (lhs: MLTensor, rhs: MLTensor) -> MLTensor { comparison(.lt, lhs, rhs, ".<") }
  public static func .< (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor { lhs .< MLTensor(operand: rhs) }
  public static func .> (lhs: MLTensor, rhs: MLTensor) -> MLTensor { comparison(.gt, lhs, rhs, ".>") }
  public static func .> (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor { lhs .> MLTensor(operand: rhs) }
  public static func .<= (lhs: MLTensor, rhs: MLTensor) -> MLTensor { comparison(.le, lhs, rhs, ".<=") }
  public static func .<= (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor { lhs .<= MLTensor(operand: rhs) }
  public static func .>= (lhs: MLTensor, rhs: MLTensor) -> MLTensor { comparison(.ge, lhs, rhs, ".>=") }
  public static func .>= (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor { lhs .>= MLTensor(operand: rhs) }

  // MARK: Logic

  /// - Precondition: both tensors have scalars of type Bool, as for the other logical operators.
  public static func .& (lhs: MLTensor, rhs: MLTensor) -> MLTensor { logic(.logicalAnd, lhs, rhs, ".&") }
  public static func .| (lhs: MLTensor, rhs: MLTensor) -> MLTensor { logic(.logicalOr, lhs, rhs, ".|") }
  public static func .^ (lhs: MLTensor, rhs: MLTensor) -> MLTensor { logic(.logicalXor, lhs, rhs, ".^") }

  public static prefix func .! (rhs: MLTensor) -> MLTensor {
    require(rhs.dtype == .bool, "MLTensor..! of scalars of type \(rhs.scalarType), not Bool")
    return .result(".!", isWeak: rhs.isWeak) { try rhs.expression.unary(.logicalNot, computing: .bool, result: .bool) }
  }
}

// MARK: Extrema

/// The elementwise maximum; NaN where one of the scalars is NaN.
public func pointwiseMax(_ lhs: MLTensor, _ rhs: MLTensor) -> MLTensor { .extremum(.maximum, lhs, rhs, "pointwiseMax") }
/// The maximum of each scalar and a number; NaN where one of them is NaN.
public func pointwiseMax(_ lhs: MLTensor, _ rhs: some MLTensorScalar & Numeric) -> MLTensor { pointwiseMax(lhs, MLTensor(operand: rhs)) }
/// The maximum of each scalar and a number; NaN where one of them is NaN.
public func pointwiseMax(_ lhs: some MLTensorScalar & Numeric, _ rhs: MLTensor) -> MLTensor { pointwiseMax(MLTensor(operand: lhs), rhs) }

/// The elementwise minimum; NaN where one of the scalars is NaN.
public func pointwiseMin(_ lhs: MLTensor, _ rhs: MLTensor) -> MLTensor { .extremum(.minimum, lhs, rhs, "pointwiseMin") }
/// The minimum of each scalar and a number; NaN where one of them is NaN.
public func pointwiseMin(_ lhs: MLTensor, _ rhs: some MLTensorScalar & Numeric) -> MLTensor { pointwiseMin(lhs, MLTensor(operand: rhs)) }
/// The minimum of each scalar and a number; NaN where one of them is NaN.
public func pointwiseMin(_ lhs: some MLTensorScalar & Numeric, _ rhs: MLTensor) -> MLTensor { pointwiseMin(MLTensor(operand: lhs), rhs) }
