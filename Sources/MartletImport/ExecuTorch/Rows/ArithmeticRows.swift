import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Arithmetic of two operands, bounds and bits.
let arithmeticRows: CallTable = [
  "aten::add.out(self, other, alpha, out)": { try $0.scaledSum(.add, complex: .add) },
  "aten::add.Scalar_out(self, other, alpha, out)": { try $0.scaledSum(.add, complex: .add) },
  "aten::sub.out(self, other, alpha, out)": { try $0.scaledSum(.sub, complex: .sub) },
  "aten::sub.Scalar_out(self, other, alpha, out)": { try $0.scaledSum(.sub, complex: .sub) },
  "aten::rsub.Scalar_out(self, other, alpha, out)": { call in
    try call.pointwise("rsub", ["self", "other", "alpha"], promoting: ["self", "other"], out: "out") { build, x in
      build.binary(.sub, x[1], build.binary(.mul, x[0], x[2]))
    }
  },
  "aten::mul.out(self, other, out)": binary(.mul, complex: .mul),
  "aten::mul.Scalar_out(self, other, out)": binary(.mul, complex: .mul),
  "aten::div.out(self, other, out)": binary(.div, in: .floating, complex: .div),
  "aten::div.Scalar_out(self, other, out)": binary(.div, in: .floating, complex: .div),
  "aten::div.out_mode(self, other, rounding_mode, out)": { try $0.division() },
  "aten::div.Scalar_mode_out(self, other, rounding_mode, out)": { try $0.division() },
  "aten::floor_divide.out(self, other, out)": binary(.divFloor),
  "aten::fmod.Tensor_out(self, other, out)": binary(.fmod),
  "aten::fmod.Scalar_out(self, other, out)": binary(.fmod),
  "aten::remainder.Tensor_out(self, other, out)": binary(.remainder),
  "aten::remainder.Scalar_out(self, other, out)": binary(.remainder),
  "aten::atan2.out(self, other, out)": binary(.atan2, in: .floating),
  "aten::maximum.out(self, other, out)": binary(.maximum),
  "aten::minimum.out(self, other, out)": binary(.minimum),

  "aten::pow.Tensor_Tensor_out(self, exponent, out)": binary(.pow, "exponent"),
  "aten::pow.Scalar_out(self, exponent, out)": binary(.pow, "exponent"),
  "aten::pow.Tensor_Scalar_out(self, exponent, out)": { call in
    let exponent = call.knownNumber("exponent")?.doubleValue
    try call.pointwise("pow", ["self", "exponent"], out: "out") { build, x in
      build.power(x[0], x[1], exponent: exponent)
    }
  },

  "aten::clamp.out(self, min, max, out)": { try $0.clamp() },
  "aten::clamp.Tensor_out(self, min, max, out)": { try $0.clamp() },

  "aten::bitwise_and.Tensor_out(self, other, out)": binary(.bitwiseAnd),
  "aten::bitwise_and.Scalar_out(self, other, out)": binary(.bitwiseAnd),
  "aten::bitwise_or.Tensor_out(self, other, out)": binary(.bitwiseOr),
  "aten::bitwise_or.Scalar_out(self, other, out)": binary(.bitwiseOr),
  "aten::bitwise_xor.Tensor_out(self, other, out)": binary(.bitwiseXor),
  "aten::bitwise_xor.Scalar_out(self, other, out)": binary(.bitwiseXor),
  "aten::bitwise_left_shift.Tensor_out(self, other, out)": shift(left: true),
  "aten::bitwise_left_shift.Tensor_Scalar_out(self, other, out)": shift(left: true),
  "aten::bitwise_right_shift.Tensor_out(self, other, out)": shift(left: false),
  "aten::bitwise_right_shift.Tensor_Scalar_out(self, other, out)": shift(left: false),
]

/// `function` of `self` and `other`, each a tensor or a number.
private func binary(
  _ function: BinaryFunction, _ other: ArgumentName = "other", in policy: ComputePolicy = .promoted,
  complex: ComplexPointwise.Function? = nil
) -> CallImporter {
  { call in
    try call.pointwise(function.name, ["self", other], in: policy, complex: complex, out: "out") { build, x in
      if build.dtype.isFloatingPoint, !function.isFloatingPoint {
        throw CallError("is not supported for \(build.dtype)")
      }
      build.binary(function, x[0], x[1])
    }
  }
}

private func shift(left: Bool) -> CallImporter {
  { call in
    try call.pointwise(left ? "shift_left" : "shift_right", ["self", "other"], out: "out") { build, x in
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

  /// `x` to the power of `y`.
  /// - Parameter exponent: the value of `y`, if it is known.
  mutating func power(_ x: Int, _ y: Int, exponent: Double?) {
    let isFloat = dtype.isFloatingPoint
    switch exponent {
    case 2: unary(.square, x)
    case 3: unary(.cube, x)
    case 0.5 where isFloat: unary(.sqrt, x)
    case -0.5 where isFloat: unary(.rsqrt, x)
    case -1 where isFloat: unary(.reciprocal, x)
    default: binary(.pow, x, y)
    }
  }
}

extension OperatorCall {
  /// `function(self, alpha * other)`.
  fileprivate mutating func scaledSum(_ function: BinaryFunction, complex: ComplexPointwise.Function) throws {
    if knownNumber("alpha")?.doubleValue == 1 {
      try pointwise(function.name, ["self", "other"], complex: complex, out: "out") { build, x in build.binary(function, x[0], x[1]) }
    } else {
      try pointwise(function.name, ["self", "other", "alpha"], promoting: ["self", "other"], out: "out") { build, x in
        build.binary(function, x[0], build.binary(.mul, x[1], x[2]))
      }
    }
  }

  /// Division with a rounding mode.
  fileprivate mutating func division() throws {
    let function: BinaryFunction
    switch try optionalString("rounding_mode") {
    case nil: function = .div
    case "floor"?: function = .divFloor
    case "trunc"?: function = .divTrunc
    case let other?: throw CallError("argument 'rounding_mode' is \"\(other)\", not \"floor\" or \"trunc\"")
    }
    try pointwise(function.name, ["self", "other"], in: function == .div ? .floating : .promoted, out: "out") { build, x in
      build.binary(function, x[0], x[1])
    }
  }

  /// Clamps `self` to `min` and `max`, one of which may be absent.
  fileprivate mutating func clamp() throws {
    let hasLow = try !isNone("min")
    let hasHigh = try !isNone("max")
    guard hasLow || hasHigh else { throw CallError("has neither a lower nor an upper bound") }
    try pointwise("clamp", ["self"] + (hasLow ? ["min"] : []) + (hasHigh ? ["max"] : []), out: "out") { build, x in
      if hasLow, hasHigh {
        build.clamp(x[0], x[1], x[2])
      } else {
        build.binary(hasLow ? .maximum : .minimum, x[0], x[1])
      }
    }
  }
}
