import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Activation functions.
let activationRows: CallTable = [
  "aten::elu.out(self, alpha, scale, input_scale, out)": { call in
    let alpha = try call.double("alpha")
    let scale = try call.double("scale")
    let inputScale = try call.double("input_scale")
    try call.pointwise("elu", ["self"], out: "out") { build, x in
      // In range: floating-point numbers.
      let negative = build.literal(alpha * scale)
      let positive = build.literal(scale)
      if inputScale == 1 {
        build.ternary(.elu, x[0], negative, positive)
        return
      }
      let isPositive = build.binary(.gt, x[0], build.literal(0))
      let above = build.binary(.mul, x[0], positive)
      let decay = build.unary(.expm1, build.binary(.mul, x[0], build.literal(inputScale)))
      build.ternary(.select, isPositive, above, build.binary(.mul, decay, negative))
    }
  },
  "aten::gelu.out(self, approximate, out)": { call in
    let approximation = try call.optionalString("approximate") ?? "none"
    guard approximation == "none" || approximation == "tanh" else {
      throw CallError("argument 'approximate' is \"\(approximation)\", not \"none\" or \"tanh\"")
    }
    try call.pointwise("gelu", ["self"], out: "out") { build, x in build.unary(approximation == "tanh" ? .geluTanh : .geluErf, x[0]) }
  },
  "aten::glu.out(self, dim, out)": { call in
    try call.emit(GatedLinearUnit(axis: try call.int("dim"), dtype: try call.dtype("out")), [try call.tensor("self")], out: "out")
  },
  "aten::hardtanh.out(self, min_val, max_val, out)": { call in
    try call.pointwise("hardtanh", ["self", "min_val", "max_val"], promoting: ["self"], out: "out") { build, x in
      build.clamp(x[0], x[1], x[2])
    }
  },
  "aten::leaky_relu.out(self, negative_slope, out)": { call in
    try call.pointwise("leaky_relu", ["self", "negative_slope"], promoting: ["self"], out: "out") { build, x in
      build.binary(.leakyRelu, x[0], x[1])
    }
  },
  "aten::relu.out(self, out)": keepingType(.relu),
  "aten::sigmoid.out(self, out)": floating(.sigmoid),
  "aten::tanh.out(self, out)": floating(.tanh),
]
