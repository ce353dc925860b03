import MartletGraph
import MartletOps
import MartletTensor

/// Reductions, scans and selections along axes.
let reductionRows: CallTable = [
  "aten::sum.IntList_out": reduction(.sum, axes: 1, keeps: 2, out: 4),
  "aten::mean.out": reduction(.mean, axes: 1, keeps: 2, out: 4),
  "aten::mean.dtype_out": { call in try call.reduceAll(.mean, out: 2) },
  "aten::prod.out": { call in try call.reduceAll(.prod, out: 2) },
  "aten::prod.int_out": reduction(.prod, axes: 1, keeps: 2, out: 4),
  "aten::amax.out": reduction(.max, axes: 1, keeps: 2, out: 3),
  "aten::amin.out": reduction(.min, axes: 1, keeps: 2, out: 3),
  "aten::max.unary_out": { call in try call.reduceAll(.max, out: 1) },
  "aten::min.unary_out": { call in try call.reduceAll(.min, out: 1) },
  "aten::any.out": reduction(.any, axes: 1, keeps: 2, out: 3),
  "aten::any.all_out": { call in try call.reduceAll(.any, out: 1) },
  // Here, an empty list of axes reduces nothing; for the other operators it means all axes.
  "aten::any.dims_out": { call in
    let op = Reduce(.any, axes: try call.optionalIntList(1), keepsAxes: try call.bool(2), dtype: try call.dtype(3))
    try call.emit(op, [try call.tensor(0)], out: 3)
  },
  "aten::max.dim_max": { call in try call.extremumWithPosition(isMaximum: true) },
  "aten::min.dim_min": { call in try call.extremumWithPosition(isMaximum: false) },
  "aten::argmax.out": { call in try call.position(ofMaximum: true) },
  "aten::argmin.out": { call in try call.position(ofMaximum: false) },
  "aten::cumsum.out": { call in
    try call.emit(CumulativeSum(axis: try call.int(1), dtype: try call.dtype(3)), [try call.tensor(0)], out: 3)
  },
  "aten::var.out": { call in
    try call.variance(axes: 1, keeps: 3, correction: try call.bool(2) ? 1 : 0, outs: [4])
  },
  "aten::var.correction_out": { call in
    try call.variance(axes: 1, keeps: 3, correction: try call.optionalScalar(2)?.doubleValue ?? 1, outs: [4])
  },
  "aten::var_mean.correction_out": { call in
    try call.variance(axes: 1, keeps: 3, correction: try call.optionalScalar(2)?.doubleValue ?? 1, outs: [4, 5])
  },
]

/// A row whose argument `axes` lists the reduced axes and `keeps` whether they stay with extent 1. No list or an empty one means all axes.
private func reduction(_ function: Reduce.Function, axes: Int, keeps: Int, out: Int) -> CallImporter {
  { call in
    let list = try call.optionalIntList(axes) ?? []
    let op = Reduce(function, axes: list.isEmpty ? nil : list, keepsAxes: try call.bool(keeps), dtype: try call.dtype(out))
    try call.emit(op, [try call.tensor(0)], out: out)
  }
}

extension OperatorCall {
  fileprivate mutating func reduceAll(_ function: Reduce.Function, out: Int) throws {
    try emit(Reduce(function, axes: nil, keepsAxes: false, dtype: try dtype(out)), [try tensor(0)], out: out)
  }

  fileprivate mutating func extremumWithPosition(isMaximum: Bool) throws {
    let x = try tensor(0)
    let axis = try int(1)
    let keeps = try bool(2)
    try emit(Reduce(isMaximum ? .max : .min, axes: [axis], keepsAxes: keeps, dtype: try dtype(3)), [x], out: 3)
    try emit(ArgReduce(wantsMaximum: isMaximum, axis: axis, keepsAxes: keeps), [x], out: 4)
  }

  fileprivate mutating func position(ofMaximum isMaximum: Bool) throws {
    try emit(
      ArgReduce(wantsMaximum: isMaximum, axis: try optionalInt(1), keepsAxes: try bool(2)), [try tensor(0)], out: 3)
  }

  fileprivate mutating func variance(axes: Int, keeps: Int, correction: Double, outs: [Int]) throws {
    let list = try optionalIntList(axes) ?? []
    let op = Variance(
      axes: list.isEmpty ? nil : list, keepsAxes: try bool(keeps), correction: correction, hasMean: outs.count == 2,
      dtype: try dtype(outs[0]))
    try emit(op, [try tensor(0)], outs: outs)
  }
}
