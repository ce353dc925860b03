import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Comparisons, logic and choices between elements.
let comparisonRows: CallTable = [
  "aten::eq.Tensor_out(self, other, out)": comparison(.eq),
  "aten::eq.Scalar_out(self, other, out)": comparison(.eq),
  "aten::ne.Tensor_out(self, other, out)": comparison(.ne),
  "aten::ne.Scalar_out(self, other, out)": comparison(.ne),
  "aten::lt.Tensor_out(self, other, out)": comparison(.lt),
  "aten::lt.Scalar_out(self, other, out)": comparison(.lt),
  "aten::le.Tensor_out(self, other, out)": comparison(.le),
  "aten::le.Scalar_out(self, other, out)": comparison(.le),
  "aten::gt.Tensor_out(self, other, out)": comparison(.gt),
  "aten::gt.Scalar_out(self, other, out)": comparison(.gt),
  "aten::ge.Tensor_out(self, other, out)": comparison(.ge),
  "aten::ge.Scalar_out(self, other, out)": comparison(.ge),

  "aten::logical_and.out(self, other, out)": logic(.logicalAnd),
  "aten::logical_or.out(self, other, out)": logic(.logicalOr),
  "aten::logical_xor.out(self, other, out)": logic(.logicalXor),
  "aten::logical_not.out(self, out)": test(.logicalNot),
  "aten::isinf.out(self, out)": test(.isinf),
  "aten::isnan.out(self, out)": test(.isnan),

  "aten::masked_fill.Scalar_out(self, mask, value, out)": { call in
    try call.pointwise("masked_fill", ["mask", "value", "self"], promoting: ["self"], out: "out") { build, x in
      build.ternary(.select, x[0], x[1], x[2])
    }
  },
  "aten::where.self_out(condition, self, other, out)": { call in
    try call.pointwise("where", ["condition", "self", "other"], promoting: ["self", "other"], out: "out") { build, x in
      build.ternary(.select, x[0], x[1], x[2])
    }
  },
]

private func comparison(_ function: BinaryFunction) -> CallImporter {
  { call in
    try call.pointwise(function.name, ["self", "other"], result: .truth, isExact: true, out: "out") { build, x in
      build.binary(function, x[0], x[1])
    }
  }
}

private func logic(_ function: BinaryFunction) -> CallImporter {
  { call in
    try call.pointwise(function.name, ["self", "other"], result: .truth, out: "out") { build, x in build.binary(function, x[0], x[1]) }
  }
}

private func test(_ function: UnaryFunction) -> CallImporter {
  { call in
    try call.pointwise(function.name, ["self"], result: .truth, out: "out") { build, x in build.unary(function, x[0]) }
  }
}
