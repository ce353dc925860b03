import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Arithmetic of two operands, bounds and bits.
let arithmeticRows: CallTable = [
  "aten::add.out": { try $0.scaledSum(.add, complex: .add, alpha: 2, out: 3) },
  "aten::add.Scalar_out": { try $0.scaledSum(.add, complex: .add, alpha: 2, out: 3) },
  "aten::sub.out": { try $0.scaledSum(.sub, complex: .sub, alpha: 2, out: 3) },
  "aten::sub.Scalar_out": { try $0.scaledSum(.sub, complex: .sub, alpha: 2, out: 3) },
  "aten::rsub.Scalar_out": { call in
    try call.pointwise("rsub", [0, 1, 2], promoting: [0, 1], out: 3) { build, x in
      build.binary(.sub, x[1], build.binary(.mul, x[0], x[2]))
    }
  },
  "aten::mul.out": binary(.mul, complex: .mul, out: 2),
  "aten::mul.Scalar_out": binary(.mul, complex: .mul, out: 2),
  "aten::div.out": binary(.div, in: .floating, complex: .div, out: 2),
  "aten::div.Scalar_out": binary(.div, in: .floating, complex: .div, out: 2),
  "aten::div.out_mode": { try $0.division(mode: 2, out: 3) },
  "aten::div.Scalar_mode_out": { try $0.division(mode: 2, out: 3) },
  "aten::floor_divide.out": binary(.divFloor, out: 2),
  "aten::fmod.Tensor_out": binary(.fmod, out: 2),
  "aten::fmod.Scalar_out": binary(.fmod, out: 2),
  "aten::remainder.Tensor_out": binary(.remainder, out: 2),
  "aten::remainder.Scalar_out": binary(.remainder, out: 2),
  "aten::atan2.out": binary(.atan2, in: .floating, out: 2),
  "aten::maximum.out": binary(.maximum, out: 2),
  "aten::minimum.out": binary(.minimum, out: 2),

  "aten::pow.Tensor_Tensor_out": binary(.pow, out: 2),
  "aten::pow.Scalar_out": binary(.pow, out: 2),
  "aten::pow.Tensor_Scalar_out": { call in
    let exponent = call.knownNumber(1)?.doubleValue
    try call.pointwise("pow", [0, 1], out: 2) { build, x in
      let isFloat = build.dtype.isFloatingPoint
      switch exponent {
      case 2: build.unary(.square, x[0])
      case 3: build.unary(.cube, x[0])
      case 0.5 where isFloat: build.unary(.sqrt, x[0])
      case -0.5 where isFloat: build.unary(.rsqrt, x[0])
      case -1 where isFloat: build.unary(.reciprocal, x[0])
      default: build.binary(.pow, x[0], x[1])
      }
    }
  },

  "aten::clamp.out": { try $0.clamp(out: 3) },
  "aten::clamp.Tensor_out": { try $0.clamp(out: 3) },

  "aten::bitwise_and.Tensor_out": binary(.bitwiseAnd, out: 2),
  "aten::bitwise_and.Scalar_out": binary(.bitwiseAnd, out: 2),
  "aten::bitwise_or.Tensor_out": binary(.bitwiseOr, out: 2),
  "aten::bitwise_or.Scalar_out": binary(.bitwiseOr, out: 2),
  "aten::bitwise_xor.Tensor_out": binary(.bitwiseXor, out: 2),
  "aten::bitwise_xor.Scalar_out": binary(.bitwiseXor, out: 2),
  "aten::bitwise_left_shift.Tensor_out": shift(left: true),
  "aten::bitwise_left_shift.Tensor_Scalar_out": shift(left: true),
  "aten::bitwise_right_shift.Tensor_out": shift(left: false),
  "aten::bitwise_right_shift.Tensor_Scalar_out": shift(left: false),
]

/// `function` of arguments 0 and 1, each a tensor or a number.
private func binary(
  _ function: BinaryFunction, in policy: ComputePolicy = .promoted, complex: ComplexPointwise.Function? = nil, out: Int
) -> CallImporter {
  { call in
    try call.pointwise(function.name, [0, 1], in: policy, complex: complex, out: out) { build, x in
      if build.dtype.isFloatingPoint, !function.isFloatingPoint {
        throw CallError("is not supported for \(build.dtype)")
      }
      build.binary(function, x[0], x[1])
    }
  }
}

private func shift(left: Bool) -> CallImporter {
  { call in
    try call.pointwise(left ? "shift_left" : "shift_right", [0, 1], out: 2) { build, x in
      guard build.dtype.isInteger || build.dtype == .bool else { throw CallError("is not supported for \(build.dtype)") }
      // Booleans are shifted as numbers. ExecuTorch's runtime allows this, torch does not.
      build.program.append(.shift(left: left, build.dtype == .bool ? .int32 : build.dtype, x[0], x[1]))
    }
  }
}

extension BinaryFunction {
  /// True if the function supports floating-point operands.
  fileprivate var isFloatingPoint: Bool { ![.bitwiseAnd, .bitwiseOr, .bitwiseXor].contains(self) }
}

extension PointwiseBuilder {
  /// `min(max(x, low), high)`; NaN if any operand is NaN.
  mutating func clamp(_ x: Int, _ low: Int, _ high: Int) {
    if type == .uint64 {
      binary(.minimum, binary(.maximum, x, low), high)
    } else {
      ternary(.clamp, x, low, high)
    }
  }
}

extension OperatorCall {
  /// `function(a, alpha * b)` of arguments 0 and 1.
  fileprivate mutating func scaledSum(
    _ function: BinaryFunction, complex: ComplexPointwise.Function, alpha: Int, out: Int
  ) throws {
    if knownNumber(alpha)?.doubleValue == 1 {
      try pointwise(function.name, [0, 1], complex: complex, out: out) { build, x in build.binary(function, x[0], x[1]) }
    } else {
      try pointwise(function.name, [0, 1, alpha], promoting: [0, 1], out: out) { build, x in
        build.binary(function, x[0], build.binary(.mul, x[1], x[2]))
      }
    }
  }

  /// Division of arguments 0 and 1 with a rounding mode.
  fileprivate mutating func division(mode: Int, out: Int) throws {
    let function: BinaryFunction
    switch try optionalString(mode) {
    case nil: function = .div
    case "floor"?: function = .divFloor
    case "trunc"?: function = .divTrunc
    case let other?: throw CallError("argument \(mode) is \"\(other)\", not \"floor\" or \"trunc\"")
    }
    try pointwise(function.name, [0, 1], in: function == .div ? .floating : .promoted, out: out) { build, x in
      build.binary(function, x[0], x[1])
    }
  }

  /// Clamps argument 0 to the bounds in arguments 1 and 2, one of which may be absent.
  fileprivate mutating func clamp(out: Int) throws {
    let hasLow = try !isNone(1)
    let hasHigh = try !isNone(2)
    guard hasLow || hasHigh else { throw CallError("has neither a lower nor an upper bound") }
    try pointwise("clamp", [0] + (hasLow ? [1] : []) + (hasHigh ? [2] : []), out: out) { build, x in
      if hasLow, hasHigh {
        build.clamp(x[0], x[1], x[2])
      } else {
        build.binary(hasLow ? .maximum : .minimum, x[0], x[1])
      }
    }
  }
}
