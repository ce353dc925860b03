import MartletGraph
import MartletOps
import MartletTensor

/// Softmax and normalisations.
let normalizationRows: CallTable = [
  "aten::_softmax.out(self, dim, half_to_float, out)": { call in
    try call.emit(Softmax(axis: try call.int("dim"), dtype: try call.dtype("out")), [try call.tensor("self")], out: "out")
  },
  "aten::_log_softmax.out(self, dim, half_to_float, out)": { call in
    try call.emit(
      Softmax(axis: try call.int("dim"), isLogarithm: true, dtype: try call.dtype("out")), [try call.tensor("self")], out: "out")
  },
  "aten::native_layer_norm.out(input, normalized_shape, weight, bias, eps, out0, out1, out2)": { call in
    var scalars: [ValueID?] = []
    let axisCount = try call.intList("normalized_shape", &scalars).count
    try call.emit(
      LayerNorm(axisCount: axisCount, epsilon: try call.double("eps"), hasStatistics: true),
      [try call.tensor("input"), try call.optionalTensor("weight"), try call.optionalTensor("bias")], outs: ["out0", "out1", "out2"])
  },
  "aten::native_group_norm.out(input, weight, bias, N, C, HxW, group, eps, out0, out1, out2)": { call in
    try call.emit(
      GroupNorm(groups: try call.int("group"), epsilon: try call.double("eps"), hasStatistics: true),
      [try call.tensor("input"), try call.optionalTensor("weight"), try call.optionalTensor("bias")], outs: ["out0", "out1", "out2"])
  },
  "aten::_native_batch_norm_legit_no_training.out(input, weight, bias, running_mean, running_var, momentum, eps, out0, "
    + "out1, out2)": { call in
      try call.batchNorm(outs: ["out0", "out1", "out2"])
    },
  "aten::_native_batch_norm_legit.out(input, weight, bias, running_mean, running_var, training, momentum, eps, out, "
    + "save_mean, save_invstd)": { call in
      guard try call.bool("training") else { return try call.batchNorm(outs: ["out", "save_mean", "save_invstd"]) }
      try call.batchStatisticsNorm(outs: ["out", "save_mean", "save_invstd"])
      // The running statistics are updated with the batch's mean and unbiased variance.
      let x = try call.tensor("input")
      let axes = (0..<(try call.rank("input"))).filter { $0 != 1 }
      let variance = call.intermediate(
        Variance(axes: axes, keepsAxes: false, correction: 1, hasMean: false, dtype: try call.dtype("running_var")), [x],
        try call.signature("running_var"))
      let momentum = try call.double("momentum")
      try call.move("running_mean", towards: try call.tensor("save_mean"), by: momentum)
      try call.move("running_var", towards: variance, by: momentum)
    },
  "aten::_native_batch_norm_legit.no_stats_out(input, weight, bias, training, momentum, eps, out, save_mean, "
    + "save_invstd)": { call in
      try call.batchStatisticsNorm(outs: ["out", "save_mean", "save_invstd"])
    },
]

extension OperatorCall {
  /// Normalisation with the running statistics. The saved statistics have no elements.
  fileprivate mutating func batchNorm(outs: [ArgumentName]) throws {
    try emit(
      BatchNorm(epsilon: try double("eps")),
      [
        try tensor("input"), try optionalTensor("weight"), try optionalTensor("bias"), try tensor("running_mean"),
        try tensor("running_var"),
      ], out: outs[0])
    for out in outs.dropFirst() { try set(out, constant(HostTensor(zeros: try dtype(out), shape: [0]))) }
  }

  /// Normalisation with the batch's statistics.
  fileprivate mutating func batchStatisticsNorm(outs: [ArgumentName]) throws {
    try emit(
      BatchStatisticsNorm(epsilon: try double("eps")), [try tensor("input"), try optionalTensor("weight"), try optionalTensor("bias")],
      outs: outs)
  }

  /// Replaces the statistics in an argument by `(1 - momentum) * old + momentum * batch`.
  fileprivate mutating func move(_ argument: ArgumentName, towards batch: ValueID, by momentum: Double) throws {
    let old = try tensor(argument)
    let type = try signature(argument)
    try set(argument, intermediate(Pointwise.movingAverage(momentum: momentum, dtype: type.dtype), [old, batch], type))
  }
}
