import Martlet

// Operands broadcast. Where their types differ, the result has the wider one: a floating-point type before an integer type, that before
// Bool. Numbers of Swift, literals among them, take the tensor's type if that is of their kind.

extension MLTensor {
  /// The type that two operands have in common.
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

  /// A function of two scalars.
  private static func elements(
    _ function: TensorExpression.BinaryFunction, _ a: MLTensor, _ b: MLTensor, computing type: DType, result: DType, isWeak: Bool,
    _ name: String
  ) -> MLTensor {
    .result(name, isWeak: isWeak) { try a.expression.binary(function, b.expression, computing: type, result: result) }
  }

  /// Sums, products and the like, of truth values as of the integers 0 and 1.
  static func arithmetic(_ function: TensorExpression.BinaryFunction, _ a: MLTensor, _ b: MLTensor, _ name: String) -> MLTensor {
    let type = commonType(a, b, name).arithmeticType
    return elements(function, a, b, computing: type, result: type, isWeak: a.isWeak && b.isWeak, name)
  }

  /// The greater or smaller of two.
  static func extremum(_ function: TensorExpression.BinaryFunction, _ a: MLTensor, _ b: MLTensor, _ name: String) -> MLTensor {
    let type = commonType(a, b, name)
    return elements(function, a, b, computing: type, result: type, isWeak: a.isWeak && b.isWeak, name)
  }

  /// Quotients; those of integers are cut off towards zero.
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

  /// The remainder of a division whose quotient is rounded down: it has the sign of the divisor.
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

  /// - Precondition: both tensors are of Bool, as for the other operators of logic.
  public static func .& (lhs: MLTensor, rhs: MLTensor) -> MLTensor { logic(.logicalAnd, lhs, rhs, ".&") }
  public static func .| (lhs: MLTensor, rhs: MLTensor) -> MLTensor { logic(.logicalOr, lhs, rhs, ".|") }
  public static func .^ (lhs: MLTensor, rhs: MLTensor) -> MLTensor { logic(.logicalXor, lhs, rhs, ".^") }

  public static prefix func .! (rhs: MLTensor) -> MLTensor {
    require(rhs.dtype == .bool, "MLTensor..! of scalars of type \(rhs.scalarType), not Bool")
    return .result(".!", isWeak: rhs.isWeak) { try rhs.expression.unary(.logicalNot, computing: .bool, result: .bool) }
  }
}

// MARK: Extrema

/// The greater one of each two corresponding scalars; NaN if one of them is.
public func pointwiseMax(_ lhs: MLTensor, _ rhs: MLTensor) -> MLTensor { .extremum(.maximum, lhs, rhs, "pointwiseMax") }
/// The greater one of each scalar and a number; NaN if one of them is.
public func pointwiseMax(_ lhs: MLTensor, _ rhs: some MLTensorScalar & Numeric) -> MLTensor { pointwiseMax(lhs, MLTensor(operand: rhs)) }
/// The greater one of each scalar and a number; NaN if one of them is.
public func pointwiseMax(_ lhs: some MLTensorScalar & Numeric, _ rhs: MLTensor) -> MLTensor { pointwiseMax(MLTensor(operand: lhs), rhs) }

/// The smaller one of each two corresponding scalars; NaN if one of them is.
public func pointwiseMin(_ lhs: MLTensor, _ rhs: MLTensor) -> MLTensor { .extremum(.minimum, lhs, rhs, "pointwiseMin") }
/// The smaller one of each scalar and a number; NaN if one of them is.
public func pointwiseMin(_ lhs: MLTensor, _ rhs: some MLTensorScalar & Numeric) -> MLTensor { pointwiseMin(lhs, MLTensor(operand: rhs)) }
/// The smaller one of each scalar and a number; NaN if one of them is.
public func pointwiseMin(_ lhs: some MLTensorScalar & Numeric, _ rhs: MLTensor) -> MLTensor { pointwiseMin(MLTensor(operand: lhs), rhs) }
