import MartletGraph
import MartletOps
import MartletTensor

/// Numbers that are not tensors.
let scalarRows: CallTable = [
  "aten::_local_scalar_dense(self) -> result": { call in
    let dtype = try call.dtype("self")
    let kind: ScalarKind = dtype.isFloatingPoint ? .double : dtype == .bool ? .bool : .int
    try call.emit(ScalarFromTensor(kind: kind), [try call.tensor("self")], out: "result")
  },
  "aten::sym_numel(self) -> result": { try $0.emit(TensorExtent(axis: nil), [try $0.tensor("self")], out: "result") },
  "aten::sym_size.int(self, dim) -> result": { try $0.emit(TensorExtent(axis: try $0.int("dim")), [try $0.tensor("self")], out: "result") },

  "executorch_prim::add.Scalar(a, b) -> result": numbers(.add, ["a", "b"]),
  "executorch_prim::sub.Scalar(a, b) -> result": numbers(.sub, ["a", "b"]),
  "executorch_prim::mul.Scalar(a, b) -> result": numbers(.mul, ["a", "b"]),
  "executorch_prim::truediv.Scalar(a, b) -> result": numbers(.trueDivide, ["a", "b"]),
  "executorch_prim::floordiv.Scalar(a, b) -> result": numbers(.floorDivide, ["a", "b"]),
  "executorch_prim::floordiv.int(a, b) -> result": numbers(.floorDivide, ["a", "b"]),
  "executorch_prim::mod.Scalar(a, b) -> result": numbers(.modulo, ["a", "b"]),
  "executorch_prim::mod.int(a, b) -> result": numbers(.modulo, ["a", "b"]),
  "executorch_prim::sym_max.Scalar(a, b) -> result": numbers(.max, ["a", "b"]),
  "executorch_prim::sym_min.Scalar(a, b) -> result": numbers(.min, ["a", "b"]),

  "executorch_prim::eq.Scalar(a, b) -> result": numbers(.equal, ["a", "b"]),
  "executorch_prim::lt.Scalar(a, b) -> result": numbers(.less, ["a", "b"]),
  "executorch_prim::le.Scalar(a, b) -> result": numbers(.lessEqual, ["a", "b"]),
  "executorch_prim::gt.Scalar(a, b) -> result": numbers(.greater, ["a", "b"]),
  "executorch_prim::ge.Scalar(a, b) -> result": numbers(.greaterEqual, ["a", "b"]),

  "executorch_prim::neg.Scalar(a) -> result": numbers(.negate, ["a"]),
  "executorch_prim::sym_not.Scalar(a) -> result": numbers(.not, ["a"]),
  "executorch_prim::sym_float.Scalar(a) -> result": numbers(.toFloat, ["a"]),
  "executorch_prim::sym_int.Scalar(a) -> result": numbers(.toInt, ["a"]),
  "executorch_prim::ceil.Scalar(a) -> result": numbers(.ceil, ["a"]),
  "executorch_prim::round.Scalar(a) -> result": numbers(.round, ["a"]),
  "executorch_prim::trunc.Scalar(a) -> result": numbers(.trunc, ["a"]),
  "executorch_prim::sym_ite.Scalar(b, t, f) -> result": numbers(.choose, ["b", "t", "f"]),
]

/// A function of these arguments, which are numbers.
private func numbers(_ function: ScalarFunction.Function, _ arguments: [ArgumentName]) -> CallImporter {
  { call in
    var operands: [ValueID?] = []
    for argument in arguments { operands.append(try call.scalarValue(argument)) }
    try call.emit(ScalarFunction(function), operands, out: "result")
  }
}
