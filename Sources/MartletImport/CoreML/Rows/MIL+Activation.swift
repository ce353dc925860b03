import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Activation functions.
let milActivationRows: MILCallTable = [
  "relu": activation(.relu),
  "relu6": activation(.relu6),
  "sigmoid": activation(.sigmoid),
  "silu": activation(.silu),
  "softplus": activation(.softplus),
  "softsign": activation(.softsign),
  "clamped_relu": { call in
    let (alpha, beta) = (try call.double("alpha"), try call.double("beta"))
    try call.pointwise("clamped_relu", ["x"]) { build, x in
      build.binary(.minimum, build.binary(.leakyRelu, x[0], build.literal(alpha)), build.literal(beta))
    }
  },
  "elu": { call in
    let alpha = try call.double("alpha", default: 1)
    try call.pointwise("elu", ["x"]) { build, x in build.ternary(.elu, x[0], build.literal(alpha), build.literal(1)) }
  },
  "gelu": { call in
    let mode = try call.string("mode", default: "EXACT")
    try call.pointwise("gelu", ["x"]) { build, x in
      switch mode {
      case "EXACT": build.unary(.geluErf, x[0])
      case "TANH_APPROXIMATION": build.unary(.geluTanh, x[0])
      case "SIGMOID_APPROXIMATION":
        build.binary(.mul, x[0], build.unary(.sigmoid, build.binary(.mul, x[0], build.literal(1.702))))
      default: throw CallError("mode \"\(mode)\" is not known")
      }
    }
  },
  "leaky_relu": { call in
    let alpha = try call.double("alpha", default: 0.01)
    try call.pointwise("leaky_relu", ["x"]) { build, x in build.binary(.leakyRelu, x[0], build.literal(alpha)) }
  },
  "linear_activation": { call in
    let (alpha, beta) = (try call.double("alpha"), try call.double("beta", default: 0))
    try call.pointwise("linear", ["x"]) { build, x in
      build.binary(.add, build.binary(.mul, x[0], build.literal(alpha)), build.literal(beta))
    }
  },
  "prelu": { call in
    let x = try call.tensor("x")
    let alpha = try call.perChannel("alpha")
    let signature = try call.outputSignature()
    try call.set(
      try call.pointwise("prelu", values: [x, alpha], in: signature.dtype, signature) { build, x in build.binary(.prelu, x[0], x[1]) })
  },
  "scaled_tanh": { call in
    let (alpha, beta) = (try call.double("alpha", default: 1), try call.double("beta", default: 1))
    try call.pointwise("scaled_tanh", ["x"]) { build, x in
      build.binary(.mul, build.unary(.tanh, build.binary(.mul, x[0], build.literal(beta))), build.literal(alpha))
    }
  },
  "sigmoid_hard": { call in
    let (alpha, beta) = (try call.double("alpha", default: 0.2), try call.double("beta", default: 0.5))
    try call.pointwise("sigmoid_hard", ["x"]) { build, x in
      let line = build.binary(.add, build.binary(.mul, x[0], build.literal(alpha)), build.literal(beta))
      build.ternary(.clamp, line, build.literal(0), build.literal(1))
    }
  },
  "softplus_parametric": { call in
    let x = try call.tensor("x")
    let (alpha, beta) = (try call.perChannel("alpha"), try call.perChannel("beta"))
    let signature = try call.outputSignature()
    try call.set(
      try call.pointwise("softplus", values: [x, alpha, beta], in: signature.dtype, signature) { build, x in
        build.binary(.mul, x[1], build.unary(.softplus, build.binary(.mul, x[0], x[2])))
      })
  },
  "thresholded_relu": { call in
    let alpha = try call.double("alpha", default: 1)
    try call.pointwise("thresholded_relu", ["x"]) { build, x in
      build.ternary(.select, build.binary(.ge, x[0], build.literal(alpha)), x[0], build.literal(0))
    }
  },
]

private func activation(_ function: UnaryFunction) -> MILCallImporter {
  { call in try call.pointwise(function.name, ["x"]) { build, x in build.unary(function, x[0]) } }
}

extension MILCall {
  /// A vector with one element per channel (axis 1 of x), as a tensor that broadcasts to x.
  fileprivate mutating func perChannel(_ parameter: String) throws -> ValueID {
    let vector = try tensor(parameter)
    guard try rank(parameter) == 1 else { return vector }
    return try unsqueezed(vector, trailing: try rank("x") - 2)
  }
}
