extension PointwiseProgram {
  /// Operations per element, for time estimates: one for basic arithmetic; for functions such as the exponential, roughly the length of the
  /// kernels' polynomials.
  package var operationCount: Int { instructions.reduce(0) { $0 + $1.operationCount } }
}

extension PointwiseInstruction {
  fileprivate var operationCount: Int {
    switch self {
    case .load, .scalar, .literal: 0
    case .unary(let function, _): function.isTranscendental ? 16 : 1
    case .binary(let function, _, _): function.isTranscendental ? 40 : 1
    case .ternary, .shift, .convert, .narrow: 1
    }
  }
}

extension UnaryFunction {
  fileprivate var isTranscendental: Bool {
    switch self {
    case .exp, .expm1, .exp2, .log, .log2, .log10, .log1p, .sin, .cos, .tan, .asin, .acos, .atan, .sinh, .cosh, .tanh, .asinh, .acosh,
      .atanh, .erf, .erfc, .sigmoid, .logSigmoid, .logit, .silu, .geluErf, .geluTanh, .softplus, .mish:
      true
    default: false
    }
  }
}

extension BinaryFunction {
  fileprivate var isTranscendental: Bool {
    switch self {
    case .fmod, .remainder, .pow, .atan2, .hypot, .logaddexp: true
    default: false
    }
  }
}
