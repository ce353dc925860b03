import MartletGraph
import MartletOps
import MartletTensor

/// Numbers that are not tensors.
let scalarRows: CallTable = [
  "aten::_local_scalar_dense": { call in
    let dtype = try call.dtype(0)
    let kind: ScalarKind = dtype.isFloatingPoint ? .double : dtype == .bool ? .bool : .int
    try call.emit(ScalarFromTensor(kind: kind), [try call.tensor(0)], out: 1)
  },
  "aten::sym_numel": { try $0.emit(TensorExtent(axis: nil), [try $0.tensor(0)], out: 1) },
  "aten::sym_size.int": { try $0.emit(TensorExtent(axis: try $0.int(1)), [try $0.tensor(0)], out: 2) },

  "executorch_prim::add.Scalar": numbers(.add, count: 2),
  "executorch_prim::sub.Scalar": numbers(.sub, count: 2),
  "executorch_prim::mul.Scalar": numbers(.mul, count: 2),
  "executorch_prim::truediv.Scalar": numbers(.trueDivide, count: 2),
  "executorch_prim::floordiv.Scalar": numbers(.floorDivide, count: 2),
  "executorch_prim::floordiv.int": numbers(.floorDivide, count: 2),
  "executorch_prim::mod.Scalar": numbers(.modulo, count: 2),
  "executorch_prim::mod.int": numbers(.modulo, count: 2),
  "executorch_prim::sym_max.Scalar": numbers(.max, count: 2),
  "executorch_prim::sym_min.Scalar": numbers(.min, count: 2),

  "executorch_prim::eq.Scalar": numbers(.equal, count: 2),
  "executorch_prim::lt.Scalar": numbers(.less, count: 2),
  "executorch_prim::le.Scalar": numbers(.lessEqual, count: 2),
  "executorch_prim::gt.Scalar": numbers(.greater, count: 2),
  "executorch_prim::ge.Scalar": numbers(.greaterEqual, count: 2),

  "executorch_prim::neg.Scalar": numbers(.negate, count: 1),
  "executorch_prim::sym_not.Scalar": numbers(.not, count: 1),
  "executorch_prim::sym_float.Scalar": numbers(.toFloat, count: 1),
  "executorch_prim::sym_int.Scalar": numbers(.toInt, count: 1),
  "executorch_prim::ceil.Scalar": numbers(.ceil, count: 1),
  "executorch_prim::round.Scalar": numbers(.round, count: 1),
  "executorch_prim::trunc.Scalar": numbers(.trunc, count: 1),
  "executorch_prim::sym_ite.Scalar": numbers(.choose, count: 3),
]

/// A function of the first `count` arguments; the next argument is the result.
private func numbers(_ function: ScalarFunction.Function, count: Int) -> CallImporter {
  { call in
    var operands: [ValueID?] = []
    for position in 0..<count { operands.append(try call.scalarValue(position)) }
    try call.emit(ScalarFunction(function), operands, out: count)
  }
}
