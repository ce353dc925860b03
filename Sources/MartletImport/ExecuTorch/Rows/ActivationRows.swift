import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Activation functions.
let activationRows: CallTable = [
  "aten::elu.out": { call in
    let alpha = try call.double(1)
    let scale = try call.double(2)
    let inputScale = try call.double(3)
    try call.pointwise("elu", [0], out: 4) { build, x in
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
  "aten::gelu.out": { call in
    let approximation = try call.optionalString(1) ?? "none"
    guard approximation == "none" || approximation == "tanh" else {
      throw CallError("argument 1 is \"\(approximation)\", not \"none\" or \"tanh\"")
    }
    try call.pointwise("gelu", [0], out: 2) { build, x in build.unary(approximation == "tanh" ? .geluTanh : .geluErf, x[0]) }
  },
  "aten::glu.out": { call in
    try call.emit(GatedLinearUnit(axis: try call.int(1), dtype: try call.dtype(2)), [try call.tensor(0)], out: 2)
  },
  "aten::hardtanh.out": { call in
    try call.pointwise("hardtanh", [0, 1, 2], promoting: [0], out: 3) { build, x in build.clamp(x[0], x[1], x[2]) }
  },
  "aten::leaky_relu.out": { call in
    try call.pointwise("leaky_relu", [0, 1], promoting: [0], out: 2) { build, x in build.binary(.leakyRelu, x[0], x[1]) }
  },
  "aten::relu.out": keepingType(.relu),
  "aten::sigmoid.out": floating(.sigmoid),
  "aten::tanh.out": floating(.tanh),
]
