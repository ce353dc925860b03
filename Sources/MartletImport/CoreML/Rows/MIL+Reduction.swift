import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Reductions along axes, running sums, and class labels.
let milReductionRows: MILCallTable = [
  "reduce_sum": reduction(.sum),
  "reduce_mean": reduction(.mean),
  "reduce_prod": reduction(.prod),
  "reduce_max": reduction(.max),
  "reduce_min": reduction(.min),
  "reduce_l1_norm": reduction(.sumAbs),
  "reduce_sum_square": reduction(.sumSquares),
  "reduce_l2_norm": { try $0.reduce(.sumSquares, then: .sqrt) },
  "reduce_log_sum": { try $0.reduce(.sum, then: .log) },
  "reduce_log_sum_exp": { call in
    let (axes, keeps) = try call.reducedAxes()
    let result = try call.converted(try call.logSumExp(try call.tensor("x"), axes: axes), to: try call.outputDType())
    if keeps { return try call.set(result) }
    try call.emit(Squeeze(axes: axes ?? Array(0..<(try call.rank("x")))), [result])
  },
  "reduce_argmax": { try $0.position(ofMaximum: true) },
  "reduce_argmin": { try $0.position(ofMaximum: false) },
  // x, axis, exclusive, reverse
  "cumsum": { call in
    let op = CumulativeSum(
      axis: try call.normalized(try call.int("axis", default: 0), rank: try call.rank("x")), dtype: try call.outputDType(),
      isExclusive: try call.bool("exclusive", default: false), isReversed: try call.bool("reverse", default: false))
    try call.emit(op, [try call.tensor("x")])
  },
  // probabilities, classes: the first result, the label, is represented by the index of its class; the second result is the probabilities.
  "classify": { call in
    let probabilities = try call.tensor("probabilities")
    let label = call.intermediate(
      ArgReduce(wantsMaximum: true, axis: nil, keepsAxes: false), [probabilities], TensorSignature(TensorType(.int64, [])))
    try call.set(label)
    if call.outputCount > 1 { try call.set(probabilities, output: 1) }
  },
]

private func reduction(_ function: Reduce.Function) -> MILCallImporter {
  { call in
    let (axes, keeps) = try call.reducedAxes()
    try call.emit(Reduce(function, axes: axes, keepsAxes: keeps, dtype: try call.outputDType()), [try call.tensor("x")])
  }
}

extension MILCall {
  fileprivate func reducedAxes() throws -> (axes: [Int]?, keeps: Bool) {
    let rank = try rank("x")
    let axes = try optionalInts("axes").map { list in try list.map { try normalized($0, rank: rank) } }
    return (axes.flatMap { $0.isEmpty ? nil : $0 }, try bool("keep_dims", default: false))
  }

  /// A function of the reduction, computed in float32 or wider.
  fileprivate mutating func reduce(_ function: Reduce.Function, then last: UnaryFunction) throws {
    let (axes, keeps) = try reducedAxes()
    let out = try outputSignature()
    let compute: DType = out.dtype == .float64 ? .float64 : .float32
    let value = intermediate(Reduce(function, axes: axes, keepsAxes: keeps, dtype: compute), [try tensor("x")], out.with(compute))
    try set(try pointwise(last.name, values: [value], in: compute, out) { build, x in build.unary(last, x[0]) })
  }

  fileprivate mutating func position(ofMaximum isMaximum: Bool) throws {
    let axis = try normalized(try int("axis", default: -1), rank: try rank("x"))
    let op = ArgReduce(wantsMaximum: isMaximum, axis: axis, keepsAxes: try bool("keep_dims", default: false))
    try emit(op, [try tensor("x")], dtypes: [.int64])
  }
}
