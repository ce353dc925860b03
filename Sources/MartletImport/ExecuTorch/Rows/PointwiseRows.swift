import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Unary functions: elementary functions, rounding, signs.
let pointwiseRows: CallTable = [
  "aten::abs.out(self, out)": keepingType(.abs, complex: .magnitude),
  "aten::acos.out(self, out)": floating(.acos),
  "aten::acosh.out(self, out)": floating(.acosh),
  "aten::asin.out(self, out)": floating(.asin),
  "aten::asinh.out(self, out)": floating(.asinh),
  "aten::atan.out(self, out)": floating(.atan),
  "aten::atanh.out(self, out)": floating(.atanh),
  "aten::bitwise_not.out(self, out)": { call in
    try call.pointwise("bitwise_not", ["self"], out: "out") { build, x in
      build.unary(build.dtype == .bool ? .logicalNot : .bitwiseNot, x[0])
    }
  },
  "aten::ceil.out(self, out)": keepingType(.ceil),
  "aten::cos.out(self, out)": floating(.cos),
  "aten::cosh.out(self, out)": floating(.cosh),
  "aten::erf.out(self, out)": floating(.erf),
  "aten::exp.out(self, out)": floating(.exp),
  "aten::expm1.out(self, out)": floating(.expm1),
  "aten::floor.out(self, out)": keepingType(.floor),
  "aten::log.out(self, out)": floating(.log),
  "aten::log10.out(self, out)": floating(.log10),
  "aten::log1p.out(self, out)": floating(.log1p),
  "aten::log2.out(self, out)": floating(.log2),
  "aten::logit.out(self, eps, out)": { call in
    let epsilon = try call.optionalDouble("eps")
    try call.pointwise("logit", ["self"], in: .floating, out: "out") { build, x in
      guard let epsilon else {
        build.unary(.logit, x[0])
        return
      }
      let low = build.literal(epsilon)
      let high = build.literal(1 - epsilon)
      build.unary(.logit, build.ternary(.clamp, x[0], low, high))
    }
  },
  "aten::neg.out(self, out)": keepingType(.neg, complex: .negate),
  "aten::reciprocal.out(self, out)": floating(.reciprocal),
  "aten::round.out(self, out)": keepingType(.round),
  "aten::rsqrt.out(self, out)": floating(.rsqrt),
  "aten::sign.out(self, out)": keepingType(.sign),
  "aten::sin.out(self, out)": floating(.sin),
  "aten::sinh.out(self, out)": floating(.sinh),
  "aten::sqrt.out(self, out)": floating(.sqrt),
  "aten::tan.out(self, out)": floating(.tan),
  "aten::trunc.out(self, out)": keepingType(.trunc),
]

/// A function of `self`, computed in a floating-point type for any operand type.
func floating(_ function: UnaryFunction) -> CallImporter {
  { call in
    try call.pointwise(function.name, ["self"], in: .floating, out: "out") { build, x in build.unary(function, x[0]) }
  }
}

/// A function of `self` that keeps its dtype.
func keepingType(_ function: UnaryFunction, complex: ComplexPointwise.Function? = nil) -> CallImporter {
  { call in
    try call.pointwise(function.name, ["self"], complex: complex, out: "out") { build, x in
      guard build.type == .uint64 else {
        build.unary(function, x[0])
        return
      }
      // The kernels treat uint64 as signed. Of the functions for which this matters, all except `sign` are the identity for non-negative
      // numbers.
      if function == .sign {
        build.binary(.minimum, x[0], build.program.append(.literal(.int(1), as: .uint64)))
      } else if function == .neg {
        build.unary(.neg, x[0])
      }
    }
  }
}
