import MartletGraph
import MartletOps
import MartletTensor

/// Reductions, scans and selections along axes.
let reductionRows: CallTable = [
  "aten::sum.IntList_out(self, dim, keepdim, dtype, out)": reduction(.sum),
  "aten::mean.out(self, dim, keepdim, dtype, out)": reduction(.mean),
  "aten::mean.dtype_out(self, dtype, out)": { call in try call.reduceAll(.mean) },
  "aten::prod.out(self, dtype, out)": { call in try call.reduceAll(.prod) },
  "aten::prod.int_out(self, dim, keepdim, dtype, out)": reduction(.prod),
  "aten::amax.out(self, dim, keepdim, out)": reduction(.max),
  "aten::amin.out(self, dim, keepdim, out)": reduction(.min),
  "aten::max.unary_out(self, out)": { call in try call.reduceAll(.max) },
  "aten::min.unary_out(self, out)": { call in try call.reduceAll(.min) },
  "aten::any.out(self, dim, keepdim, out)": reduction(.any),
  "aten::any.all_out(self, out)": { call in try call.reduceAll(.any) },
  // Here, an empty list of axes reduces nothing; for the other operators it means all axes.
  "aten::any.dims_out(self, dim, keepdim, out)": { call in
    let op = Reduce(.any, axes: try call.optionalIntList("dim"), keepsAxes: try call.bool("keepdim"), dtype: try call.dtype("out"))
    try call.emit(op, [try call.tensor("self")], out: "out")
  },
  "aten::max.dim_max(self, dim, keepdim, max, max_values)": { call in
    try call.extremumWithPosition(isMaximum: true, outs: "max", "max_values")
  },
  "aten::min.dim_min(self, dim, keepdim, min, min_indices)": { call in
    try call.extremumWithPosition(isMaximum: false, outs: "min", "min_indices")
  },
  "aten::argmax.out(self, dim, keepdim, out)": { call in try call.position(ofMaximum: true) },
  "aten::argmin.out(self, dim, keepdim, out)": { call in try call.position(ofMaximum: false) },
  "aten::cumsum.out(self, dim, dtype, out)": { call in
    try call.emit(CumulativeSum(axis: try call.int("dim"), dtype: try call.dtype("out")), [try call.tensor("self")], out: "out")
  },
  "aten::var.out(self, dim, unbiased, keepdim, out)": { call in
    try call.variance(correction: try call.bool("unbiased") ? 1 : 0, outs: ["out"])
  },
  "aten::var.correction_out(self, dim, correction, keepdim, out)": { call in
    try call.variance(correction: try call.optionalScalar("correction")?.doubleValue ?? 1, outs: ["out"])
  },
  "aten::var_mean.correction_out(self, dim, correction, keepdim, out0, out1)": { call in
    try call.variance(correction: try call.optionalScalar("correction")?.doubleValue ?? 1, outs: ["out0", "out1"])
  },
]

/// A reduction along the axes `dim`, which stay with extent 1 if `keepdim`. No list or an empty one means all axes.
private func reduction(_ function: Reduce.Function) -> CallImporter {
  { call in
    let list = try call.optionalIntList("dim") ?? []
    let op = Reduce(function, axes: list.isEmpty ? nil : list, keepsAxes: try call.bool("keepdim"), dtype: try call.dtype("out"))
    try call.emit(op, [try call.tensor("self")], out: "out")
  }
}

extension OperatorCall {
  fileprivate mutating func reduceAll(_ function: Reduce.Function) throws {
    try emit(Reduce(function, axes: nil, keepsAxes: false, dtype: try dtype("out")), [try tensor("self")], out: "out")
  }

  fileprivate mutating func extremumWithPosition(isMaximum: Bool, outs value: ArgumentName, _ position: ArgumentName) throws {
    let x = try tensor("self")
    let axis = try int("dim")
    let keeps = try bool("keepdim")
    try emit(Reduce(isMaximum ? .max : .min, axes: [axis], keepsAxes: keeps, dtype: try dtype(value)), [x], out: value)
    try emit(ArgReduce(wantsMaximum: isMaximum, axis: axis, keepsAxes: keeps), [x], out: position)
  }

  fileprivate mutating func position(ofMaximum isMaximum: Bool) throws {
    try emit(
      ArgReduce(wantsMaximum: isMaximum, axis: try optionalInt("dim"), keepsAxes: try bool("keepdim")), [try tensor("self")], out: "out")
  }

  fileprivate mutating func variance(correction: Double, outs: [ArgumentName]) throws {
    let list = try optionalIntList("dim") ?? []
    let op = Variance(
      axes: list.isEmpty ? nil : list, keepsAxes: try bool("keepdim"), correction: correction, hasMean: outs.count == 2,
      dtype: try dtype(outs[0]))
    try emit(op, [try tensor("self")], outs: outs)
  }
}
