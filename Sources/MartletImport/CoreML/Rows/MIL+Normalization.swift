import MartletGraph
import MartletOps
import MartletTensor

/// Softmax and normalisations.
let milNormalizationRows: MILCallTable = [
  "softmax": { call in
    let axis = try call.normalized(try call.int("axis", default: -1), rank: try call.rank("x"))
    try call.emit(Softmax(axis: axis, dtype: try call.outputDType()), [try call.tensor("x")])
  },
  "batch_norm": { call in
    let operands = [
      try call.converted(try call.tensor("x"), to: try call.outputDType()), try call.optionalTensor("gamma"),
      try call.optionalTensor("beta"), try call.tensor("mean"),
      try call.tensor("variance"),
    ]
    try call.emit(BatchNorm(epsilon: try call.double("epsilon", default: 1e-5)), operands)
  },
  "instance_norm": { call in
    let signature = try call.signature("x")
    guard signature.rank >= 3, case .fixed(let channels) = signature.dimensions[1] else {
      throw CallError("x, a \(signature), has no fixed number of channels")
    }
    try call.emit(
      GroupNorm(groups: channels, epsilon: try call.double("epsilon", default: 1e-5)),
      [
        try call.converted(try call.tensor("x"), to: try call.outputDType()), try call.optionalTensor("gamma"),
        try call.optionalTensor("beta"),
      ])
  },
  "layer_norm": { call in
    let x = try call.converted(try call.tensor("x"), to: try call.outputDType())
    let rank = try call.rank("x")
    let axes = try (try call.optionalInts("axes") ?? Array(0..<rank)).map { try call.normalized($0, rank: rank) }
    let op = LayerNorm(axisCount: axes.count, epsilon: try call.double("epsilon", default: 1e-5))
    let operands = [try call.optionalTensor("gamma"), try call.optionalTensor("beta")]
    guard Set(axes).count == axes.count else { throw CallError("parameter axes names an axis twice") }
    let order = (0..<rank).filter { !axes.contains($0) } + axes
    if order == Array(0..<rank) { return try call.emit(op, [x] + operands) }
    // Move the axes to the end, and back afterwards.
    let moved = try call.permuted(x, order)
    let normalized = call.intermediate(op, [moved] + operands, try call.signature(of: moved))
    try call.set(try call.permuted(normalized, (0..<rank).map { order.firstIndex(of: $0)! }))
  },
  "l2_norm": { call in
    guard try call.rank("x") >= 3 else { throw CallError("x has rank \(try call.rank("x")), less than 3") }
    let x = try call.converted(try call.tensor("x"), to: try call.outputDType())
    try call.emit(L2Norm(axes: [-3, -2, -1], epsilon: try call.double("epsilon", default: 1e-6)), [x])
  },
  // x / (k + alpha / size * sum of the squares of `size` neighbouring channels)^beta. Channels are axis 1, or axis 0 for rank 3.
  "local_response_norm": { call in
    let rank = try call.rank("x")
    guard rank >= 3 else { throw CallError("x has rank \(rank)") }
    // Without a batch axis, channels are the first axis.
    let op = LocalResponseNorm(
      axis: rank == 3 ? 0 : 1, size: try call.int("size"), alpha: try call.double("alpha", default: 1e-4),
      beta: try call.double("beta", default: 0.75), offset: try call.double("k", default: 1))
    try call.emit(op, [try call.tensor("x")])
  },
]
