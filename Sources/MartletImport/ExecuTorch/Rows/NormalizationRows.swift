import MartletGraph
import MartletOps
import MartletTensor

/// Softmax and normalisations.
let normalizationRows: CallTable = [
  "aten::_softmax.out": { call in
    try call.emit(Softmax(axis: try call.int(1), dtype: try call.dtype(3)), [try call.tensor(0)], out: 3)
  },
  "aten::_log_softmax.out": { call in
    try call.emit(
      Softmax(axis: try call.int(1), isLogarithm: true, dtype: try call.dtype(3)), [try call.tensor(0)], out: 3)
  },
  "aten::native_layer_norm.out": { call in
    var scalars: [ValueID?] = []
    let axisCount = try call.intList(1, &scalars).count
    try call.emit(
      LayerNorm(axisCount: axisCount, epsilon: try call.double(4), hasStatistics: true),
      [try call.tensor(0), try call.optionalTensor(2), try call.optionalTensor(3)], outs: [5, 6, 7])
  },
  "aten::native_group_norm.out": { call in
    try call.emit(
      GroupNorm(groups: try call.int(6), epsilon: try call.double(7), hasStatistics: true),
      [try call.tensor(0), try call.optionalTensor(1), try call.optionalTensor(2)], outs: [8, 9, 10])
  },
  "aten::_native_batch_norm_legit_no_training.out": { call in
    try call.batchNorm(epsilon: 6, outs: [7, 8, 9])
  },
  "aten::_native_batch_norm_legit.out": { call in
    guard try call.bool(5) else { return try call.batchNorm(epsilon: 7, outs: [8, 9, 10]) }
    try call.batchStatisticsNorm(epsilon: 7, outs: [8, 9, 10])
    // The running statistics are updated with the batch's mean and unbiased variance.
    let x = try call.tensor(0)
    let axes = (0..<(try call.rank(0))).filter { $0 != 1 }
    let variance = call.intermediate(
      Variance(axes: axes, keepsAxes: false, correction: 1, hasMean: false, dtype: try call.dtype(4)), [x], try call.signature(4))
    let momentum = try call.double(6)
    try call.move(3, towards: try call.tensor(9), by: momentum)
    try call.move(4, towards: variance, by: momentum)
  },
  "aten::_native_batch_norm_legit.no_stats_out": { call in
    try call.batchStatisticsNorm(epsilon: 5, outs: [6, 7, 8])
  },
]

extension OperatorCall {
  /// Normalisation with the running statistics. The saved statistics have no elements.
  fileprivate mutating func batchNorm(epsilon: Int, outs: [Int]) throws {
    try emit(
      BatchNorm(epsilon: try double(epsilon)),
      [try tensor(0), try optionalTensor(1), try optionalTensor(2), try tensor(3), try tensor(4)], out: outs[0])
    for out in outs.dropFirst() { try set(out, constant(HostTensor(zeros: try dtype(out), shape: [0]))) }
  }

  /// Normalisation with the batch's statistics.
  fileprivate mutating func batchStatisticsNorm(epsilon: Int, outs: [Int]) throws {
    try emit(
      BatchStatisticsNorm(epsilon: try double(epsilon)), [try tensor(0), try optionalTensor(1), try optionalTensor(2)],
      outs: outs)
  }

  /// Replaces the statistics in argument `position` by `(1 - momentum) * old + momentum * batch`.
  fileprivate mutating func move(_ position: Int, towards batch: ValueID, by momentum: Double) throws {
    let old = try tensor(position)
    let type = try signature(position)
    try set(position, intermediate(Pointwise.movingAverage(momentum: momentum, dtype: type.dtype), [old, batch], type))
  }
}
