import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Comparisons, logic and choices between elements.
let comparisonRows: CallTable = [
  "aten::eq.Tensor_out": comparison(.eq),
  "aten::eq.Scalar_out": comparison(.eq),
  "aten::ne.Tensor_out": comparison(.ne),
  "aten::ne.Scalar_out": comparison(.ne),
  "aten::lt.Tensor_out": comparison(.lt),
  "aten::lt.Scalar_out": comparison(.lt),
  "aten::le.Tensor_out": comparison(.le),
  "aten::le.Scalar_out": comparison(.le),
  "aten::gt.Tensor_out": comparison(.gt),
  "aten::gt.Scalar_out": comparison(.gt),
  "aten::ge.Tensor_out": comparison(.ge),
  "aten::ge.Scalar_out": comparison(.ge),

  "aten::logical_and.out": logic(.logicalAnd),
  "aten::logical_or.out": logic(.logicalOr),
  "aten::logical_xor.out": logic(.logicalXor),
  "aten::logical_not.out": test(.logicalNot),
  "aten::isinf.out": test(.isinf),
  "aten::isnan.out": test(.isnan),

  "aten::masked_fill.Scalar_out": { call in
    try call.pointwise("masked_fill", [1, 2, 0], promoting: [0], out: 3) { build, x in build.ternary(.select, x[0], x[1], x[2]) }
  },
  "aten::where.self_out": { call in
    try call.pointwise("where", [0, 1, 2], promoting: [1, 2], out: 3) { build, x in build.ternary(.select, x[0], x[1], x[2]) }
  },
]

private func comparison(_ function: BinaryFunction) -> CallImporter {
  { call in
    try call.pointwise(function.name, [0, 1], result: .truth, isExact: true, out: 2) { build, x in
      build.binary(function, x[0], x[1])
    }
  }
}

private func logic(_ function: BinaryFunction) -> CallImporter {
  { call in
    try call.pointwise(function.name, [0, 1], result: .truth, out: 2) { build, x in build.binary(function, x[0], x[1]) }
  }
}

private func test(_ function: UnaryFunction) -> CallImporter {
  { call in
    try call.pointwise(function.name, [0], result: .truth, out: 1) { build, x in build.unary(function, x[0]) }
  }
}
