import MartletTensor

/// A function of one element. `MK_UNARY_OPS` in `martlet_pointwise.h` specifies semantics and accuracy, in the order of `Name`.
package struct UnaryFunction: Sendable, Hashable {
  private enum Name: String, CaseIterable {
    case abs, neg, sign, ceil, floor, round, trunc, frac, square, cube, sqrt, rsqrt, reciprocal, exp, expm1, exp2, log, log2
    case log10, log1p, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, erf, erfc, sigmoid
    case logSigmoid = "log_sigmoid", logit, relu, relu6, hardsigmoid, hardswish, silu, geluErf = "gelu_erf"
    case geluTanh = "gelu_tanh", softplus, mish, softsign, isnan, isinf, logicalNot = "logical_not", bitwiseNot = "bitwise_not"
  }

  /// The function's number in the kernels: its position in `Name`.
  package let code: Int32

  private init(_ name: Name) { code = Int32(clamping: Self.names.firstIndex(of: name)!) }

  private static let names = Name.allCases

  package var name: String { Self.names.indices.contains(Int(widening: code)) ? Self.names[Int(widening: code)].rawValue : "?" }

  package static var all: [UnaryFunction] { Name.allCases.map { UnaryFunction($0) } }

  package static let abs = UnaryFunction(.abs)
  package static let neg = UnaryFunction(.neg)
  package static let sign = UnaryFunction(.sign)
  package static let ceil = UnaryFunction(.ceil)
  package static let floor = UnaryFunction(.floor)
  package static let round = UnaryFunction(.round)
  package static let trunc = UnaryFunction(.trunc)
  package static let frac = UnaryFunction(.frac)
  package static let square = UnaryFunction(.square)
  package static let cube = UnaryFunction(.cube)
  package static let sqrt = UnaryFunction(.sqrt)
  package static let rsqrt = UnaryFunction(.rsqrt)
  package static let reciprocal = UnaryFunction(.reciprocal)
  package static let exp = UnaryFunction(.exp)
  package static let expm1 = UnaryFunction(.expm1)
  package static let exp2 = UnaryFunction(.exp2)
  package static let log = UnaryFunction(.log)
  package static let log2 = UnaryFunction(.log2)
  package static let log10 = UnaryFunction(.log10)
  package static let log1p = UnaryFunction(.log1p)
  package static let sin = UnaryFunction(.sin)
  package static let cos = UnaryFunction(.cos)
  package static let tan = UnaryFunction(.tan)
  package static let asin = UnaryFunction(.asin)
  package static let acos = UnaryFunction(.acos)
  package static let atan = UnaryFunction(.atan)
  package static let sinh = UnaryFunction(.sinh)
  package static let cosh = UnaryFunction(.cosh)
  package static let tanh = UnaryFunction(.tanh)
  package static let asinh = UnaryFunction(.asinh)
  package static let acosh = UnaryFunction(.acosh)
  package static let atanh = UnaryFunction(.atanh)
  package static let erf = UnaryFunction(.erf)
  package static let erfc = UnaryFunction(.erfc)
  package static let sigmoid = UnaryFunction(.sigmoid)
  package static let logSigmoid = UnaryFunction(.logSigmoid)
  package static let logit = UnaryFunction(.logit)
  package static let relu = UnaryFunction(.relu)
  package static let relu6 = UnaryFunction(.relu6)
  package static let hardsigmoid = UnaryFunction(.hardsigmoid)
  package static let hardswish = UnaryFunction(.hardswish)
  package static let silu = UnaryFunction(.silu)
  package static let geluErf = UnaryFunction(.geluErf)
  package static let geluTanh = UnaryFunction(.geluTanh)
  package static let softplus = UnaryFunction(.softplus)
  package static let mish = UnaryFunction(.mish)
  package static let softsign = UnaryFunction(.softsign)
  package static let isnan = UnaryFunction(.isnan)
  package static let isinf = UnaryFunction(.isinf)
  package static let logicalNot = UnaryFunction(.logicalNot)
  package static let bitwiseNot = UnaryFunction(.bitwiseNot)
}

/// A function of two elements (`MK_BINARY_OPS`).
package struct BinaryFunction: Sendable, Hashable {
  private enum Name: String, CaseIterable {
    case add, sub, mul, div, divTrunc = "div_trunc", divFloor = "div_floor", fmod, remainder, pow, atan2, hypot, copysign, ldexp
    case logaddexp, minimum, maximum, fmin, fmax, eq, ne, lt, le, gt, ge, logicalAnd = "logical_and", logicalOr = "logical_or"
    case logicalXor = "logical_xor", bitwiseAnd = "bitwise_and", bitwiseOr = "bitwise_or", bitwiseXor = "bitwise_xor"
    case shiftLeft = "shift_left", shiftRight = "shift_right", leakyRelu = "leaky_relu", prelu, hardshrink, softshrink
  }

  /// The function's number in the kernels: its position in `Name`.
  package let code: Int32

  private init(_ name: Name) { code = Int32(clamping: Self.names.firstIndex(of: name)!) }

  private static let names = Name.allCases

  package var name: String { Self.names.indices.contains(Int(widening: code)) ? Self.names[Int(widening: code)].rawValue : "?" }

  package static var all: [BinaryFunction] { Name.allCases.map { BinaryFunction($0) } }

  package static let add = BinaryFunction(.add)
  package static let sub = BinaryFunction(.sub)
  package static let mul = BinaryFunction(.mul)
  package static let div = BinaryFunction(.div)
  package static let divTrunc = BinaryFunction(.divTrunc)
  package static let divFloor = BinaryFunction(.divFloor)
  package static let fmod = BinaryFunction(.fmod)
  package static let remainder = BinaryFunction(.remainder)
  package static let pow = BinaryFunction(.pow)
  package static let atan2 = BinaryFunction(.atan2)
  package static let hypot = BinaryFunction(.hypot)
  package static let copysign = BinaryFunction(.copysign)
  package static let ldexp = BinaryFunction(.ldexp)
  package static let logaddexp = BinaryFunction(.logaddexp)
  package static let minimum = BinaryFunction(.minimum)
  package static let maximum = BinaryFunction(.maximum)
  package static let fmin = BinaryFunction(.fmin)
  package static let fmax = BinaryFunction(.fmax)
  package static let eq = BinaryFunction(.eq)
  package static let ne = BinaryFunction(.ne)
  package static let lt = BinaryFunction(.lt)
  package static let le = BinaryFunction(.le)
  package static let gt = BinaryFunction(.gt)
  package static let ge = BinaryFunction(.ge)
  package static let logicalAnd = BinaryFunction(.logicalAnd)
  package static let logicalOr = BinaryFunction(.logicalOr)
  package static let logicalXor = BinaryFunction(.logicalXor)
  package static let bitwiseAnd = BinaryFunction(.bitwiseAnd)
  package static let bitwiseOr = BinaryFunction(.bitwiseOr)
  package static let bitwiseXor = BinaryFunction(.bitwiseXor)
  package static let shiftLeft = BinaryFunction(.shiftLeft)
  package static let shiftRight = BinaryFunction(.shiftRight)
  package static let leakyRelu = BinaryFunction(.leakyRelu)
  package static let prelu = BinaryFunction(.prelu)
  package static let hardshrink = BinaryFunction(.hardshrink)
  package static let softshrink = BinaryFunction(.softshrink)
}

/// A function of three elements (`MK_TERNARY_OPS`).
package struct TernaryFunction: Sendable, Hashable {
  private enum Name: String, CaseIterable {
    case `where`, clamp, mulAdd = "mul_add", elu, softplusBeta = "softplus_beta", threshold
  }

  /// The function's number in the kernels: its position in `Name`.
  package let code: Int32

  private init(_ name: Name) { code = Int32(clamping: Self.names.firstIndex(of: name)!) }

  private static let names = Name.allCases

  package var name: String { Self.names.indices.contains(Int(widening: code)) ? Self.names[Int(widening: code)].rawValue : "?" }

  package static var all: [TernaryFunction] { Name.allCases.map { TernaryFunction($0) } }

  package static let select = TernaryFunction(.`where`)
  package static let clamp = TernaryFunction(.clamp)
  package static let mulAdd = TernaryFunction(.mulAdd)
  package static let elu = TernaryFunction(.elu)
  package static let softplusBeta = TernaryFunction(.softplusBeta)
  package static let threshold = TernaryFunction(.threshold)
}
