import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Attention over caches of keys and values.
let attentionRows: CallTable = [
  "llama::custom_sdpa.out(query, key, value, start_pos, attn_mask, drpout_p, is_causal, scale, out)": { call in
    let operands = try (["query", "key", "value"] as [ArgumentName]).map { (try call.tensor($0), try call.signature($0)) }
    try call.attention(operands, areHeadsFirst: false)
  },
  // The same after both caches have been updated. seq_len is the extent of key and value.
  "llama::sdpa_with_kv_cache.out(query, key, value, key_cache, value_cache, start_pos, seq_len, attn_mask, drpout_p, "
    + "is_causal, scale, out)": { call in
      try call.updateCache("key_cache", with: "key")
      try call.updateCache("value_cache", with: "value")
      let operands = try (["query", "key_cache", "value_cache"] as [ArgumentName]).map { (try call.tensor($0), try call.signature($0)) }
      try call.attention(operands, areHeadsFirst: false)
    },
  // The arguments of custom_sdpa; q_zero_points, q_scales, k_zero_points, k_scales, v_zero_points, v_scales: [B, S, H, 1] each;
  // is_seq_at_dim_2: true if all are [B, H, S, …] instead
  "llama::custom_quantized_sdpa.out(query, key, value, start_pos, attn_mask, drpout_p, is_causal, scale, q_zero_points, "
    + "q_scales, k_zero_points, k_scales, v_zero_points, v_scales, is_seq_at_dim_2, out)": { call in
      let sources: [(ArgumentName, scales: ArgumentName, zeroPoints: ArgumentName)] = [
        ("query", "q_scales", "q_zero_points"), ("key", "k_scales", "k_zero_points"), ("value", "v_scales", "v_zero_points"),
      ]
      let operands = try sources.map { source in
        let stored = try call.signature(source.0)
        let real = TensorSignature(dtype: .float32, dimensions: stored.dimensions)
        let parameters = [try call.tensor(source.scales), try call.tensor(source.zeroPoints)]
        let op = Pointwise.dequantize(hasZeroPoints: true, from: stored.dtype, as: .float32)
        return (call.intermediate(op, [try call.tensor(source.0)] + parameters, real), real)
      }
      try call.attention(operands, areHeadsFirst: try call.bool("is_seq_at_dim_2"))
    },
  "llama::channelwise_gated_delta_rule.out(query, key, value, decay, beta, initial_state, out, final_state_out)": { call in
    try call.gatedDeltaRule(decay: try call.tensor("decay"), state: "initial_state", finalState: "final_state_out", out: "out")
  },
  // A later name; the decay is [B, H, S, K] or [B, H, S].
  "llama::gated_delta_rule.out(query, key, value, decay, beta, initial_state, out, final_state_out)": { call in
    try call.gatedDeltaRule(decay: try call.tensor("decay"), state: "initial_state", finalState: "final_state_out", out: "out")
  },
  // An earlier form: g [B, H, S] is the logarithm of the decay, and the state is replaced.
  "llama::recurrent_gated_delta_rule.out(query, key, value, g, beta, recurrent_state, out)": { call in
    let exp = Pointwise(.unary(.exp, as: .float32), dtype: .float32, label: "exp")
    let decay = call.intermediate(exp, [try call.tensor("g")], try call.signature("g"))
    try call.gatedDeltaRule(decay: decay, state: "recurrent_state", finalState: "recurrent_state", out: "out")
  },
]

extension OperatorCall {
  fileprivate mutating func gatedDeltaRule(
    decay: ValueID, state: ArgumentName, finalState: ArgumentName, out: ArgumentName
  ) throws {
    let operands = try ([state, "query", "key", "value"] as [ArgumentName]).map { try tensor($0) } + [decay, try tensor("beta")]
    try emit(GatedDeltaRule(), operands, outs: [finalState, out])
  }

  /// Attention of queries to keys and values.
  fileprivate mutating func attention(_ tensors: [(ValueID, TensorSignature)], areHeadsFirst: Bool) throws {
    var types = tensors.map(\.1)
    guard types.allSatisfy({ $0.rank == 4 }) else {
      throw CallError("\(types[0]), \(types[1]) and \(types[2]) are not all of rank 4")
    }
    // Batch and depth are equal, so an extent that one operand does not declare is taken from another.
    for axis in [0, 3] {
      guard let known = types.first(where: { $0.dimensions[axis].isFixed })?.dimensions[axis] else { continue }
      for position in types.indices where !types[position].dimensions[axis].isFixed { types[position].dimensions[axis] = known }
    }
    var operands: [ValueID?] = tensors.map(\.0)
    if !areHeadsFirst {
      for position in types.indices {
        types[position].dimensions.swapAt(1, 2)
        types[position].dimOrder = nil
        operands[position] = intermediate(Permute(axes: [0, 2, 1, 3]), [operands[position]], types[position])
      }
    }
    let mask = try optionalTensor("attn_mask")
    let isCausal = try bool("is_causal")
    guard mask == nil || !isCausal else { throw CallError("attn_mask and is_causal exclude one another") }
    operands.append(mask)
    operands += [ValueID?](repeating: nil, count: Attention.tensorCount - operands.count)
    // A mask covers every key of the cache, so the start is ignored.
    let start = mask == nil ? try int("start_pos", &operands) : nil
    let op = Attention(scale: try optionalDouble("scale"), isCausal: isCausal, start: start)
    if areHeadsFirst { return try emit(op, operands, out: "out") }
    try emit(Permute(axes: [0, 2, 1, 3]), [intermediate(op, operands, types[0])], out: "out")
  }
}
