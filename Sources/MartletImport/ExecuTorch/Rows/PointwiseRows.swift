import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Unary functions: elementary functions, rounding, signs.
let pointwiseRows: CallTable = [
  "aten::abs.out": keepingType(.abs, complex: .magnitude),
  "aten::acos.out": floating(.acos),
  "aten::acosh.out": floating(.acosh),
  "aten::asin.out": floating(.asin),
  "aten::asinh.out": floating(.asinh),
  "aten::atan.out": floating(.atan),
  "aten::atanh.out": floating(.atanh),
  "aten::bitwise_not.out": { call in
    try call.pointwise("bitwise_not", [0], out: 1) { build, x in
      build.unary(build.dtype == .bool ? .logicalNot : .bitwiseNot, x[0])
    }
  },
  "aten::ceil.out": keepingType(.ceil),
  "aten::cos.out": floating(.cos),
  "aten::cosh.out": floating(.cosh),
  "aten::erf.out": floating(.erf),
  "aten::exp.out": floating(.exp),
  "aten::expm1.out": floating(.expm1),
  "aten::floor.out": keepingType(.floor),
  "aten::log.out": floating(.log),
  "aten::log10.out": floating(.log10),
  "aten::log1p.out": floating(.log1p),
  "aten::log2.out": floating(.log2),
  "aten::logit.out": { call in
    let epsilon = try call.optionalDouble(1)
    try call.pointwise("logit", [0], in: .floating, out: 2) { build, x in
      guard let epsilon else {
        build.unary(.logit, x[0])
        return
      }
      let low = build.literal(epsilon)
      let high = build.literal(1 - epsilon)
      build.unary(.logit, build.ternary(.clamp, x[0], low, high))
    }
  },
  "aten::neg.out": keepingType(.neg, complex: .negate),
  "aten::reciprocal.out": floating(.reciprocal),
  "aten::round.out": keepingType(.round),
  "aten::rsqrt.out": floating(.rsqrt),
  "aten::sign.out": keepingType(.sign),
  "aten::sin.out": floating(.sin),
  "aten::sinh.out": floating(.sinh),
  "aten::sqrt.out": floating(.sqrt),
  "aten::tan.out": floating(.tan),
  "aten::trunc.out": keepingType(.trunc),
]

/// A function of argument 0, computed in a floating-point type for any operand type.
func floating(_ function: UnaryFunction) -> CallImporter {
  { call in
    try call.pointwise(function.name, [0], in: .floating, out: 1) { build, x in build.unary(function, x[0]) }
  }
}

/// A function of argument 0 that keeps its dtype.
func keepingType(_ function: UnaryFunction, complex: ComplexPointwise.Function? = nil) -> CallImporter {
  { call in
    try call.pointwise(function.name, [0], complex: complex, out: 1) { build, x in
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
