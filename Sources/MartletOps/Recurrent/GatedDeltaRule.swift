package import MartletGraph
import MartletKernels
import MartletTensor

/// Linear attention with a state that decays and is corrected towards each value:
///
///     S ← decay_t S;  S ← S + k_t (beta_t (v_t - Sᵀ k_t))ᵀ;  y_t = Sᵀ q_t
///
/// - Operands: 0 the state S before the first position, [B, G, K, V]; 1 the queries q, [B, H, T, K]; 2 the keys k, [B, G, T, K]; 3 the values
///   v, [B, G, T, V]; 4 the decay, [B, G, T, K] for the rows of S, or [B, G, T] for all of S; 5 beta, [B, G, T]. H is a multiple of G, and
///   consecutive heads of queries share a state.
/// - Results: S after the last position; y, [B, H, T, V].
/// - DTypes: float32, float16 and bfloat16, each operand its own. S has the dtype of operand 0, y that of the queries. A call computes in float32
///   and rounds S once, after the last position.
/// - Accuracy: rounding of a sum over K for each position; errors of the state decay with it.
/// - Sources: `llama::channelwise_gated_delta_rule.out`, `llama::gated_delta_rule.out`, `llama::recurrent_gated_delta_rule.out`.
package struct GatedDeltaRule: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("state", .state, .half), .init("q", .data, .half), .init("k", .data, .half), .init("v", .data, .half),
      .init("decay", .parameter, .half), .init("beta", .parameter, .half),
    ], accuracy: .lengthScaled)

  package var name: String { "gated_delta_rule" }

  package init() {}

  package var inPlaceOperands: [Int] { [0] }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let (state, q, k) = (try operands.tensor(0), try operands.tensor(1), try operands.tensor(2))
    let (v, decay, beta) = (try operands.tensor(3), try operands.tensor(4), try operands.tensor(5))
    if let other = [state, q, k, v, decay, beta].first(where: { !OperatorContract.DTypes.half.contains($0.dtype) }) {
      throw .unsupported("\(name) of \(other.dtype)")
    }
    guard k.rank == 4, q.rank == 4, state.rank == 4, v.rank == 4 else {
      throw .invalid("state \(state), queries \(q), keys \(k) and values \(v) are not all of rank 4")
    }
    let positions = Array(k.shape.prefix(3))
    guard v.shape.prefix(3).elementsEqual(positions), beta.shape == positions, decay.shape == positions || decay.shape == k.shape,
      q.shape[0] == k.shape[0], q.shape[2] == k.shape[2], q.shape[3] == k.shape[3],
      k.shape[1] > 0 ? q.shape[1] % k.shape[1] == 0 : q.shape[1] == 0, state.shape == [k.shape[0], k.shape[1], k.shape[3], v.shape[3]]
    else {
      throw .invalid(
        "state \(state.shape), queries \(q.shape), keys \(k.shape), values \(v.shape), decay \(decay.shape) and beta \(beta.shape) do not fit"
      )
    }
    return [.tensor(state), .tensor(TensorType(q.dtype, [q.shape[0], q.shape[1], q.shape[2], v.shape[3]]))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? { operands.shape(0) }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    func apart(_ index: Int) -> TensorView { node.apart(node.contiguous(index, as: .float32)) }
    let (q, k, v, decay, beta) = (apart(1), apart(2), apart(3), apart(4), apart(5))
    let state = node.staging(0, as: .float32)
    if state == node.outputs[0] {
      node.beginUpdate()
    } else {
      node.builder.emitCopy(from: node.input(0), to: state, source: node.source)
    }
    let y = node.staging(1, as: .float32)
    let steps = GatedDeltaSteps(q: q, k: k, v: v, decay: decay, beta: beta, state: state, output: y)
    let scratch = node.workerScratch(byteCount: steps.scratchByteCount)
    node.emit("\(name) \(y.shape)", flops: steps.flops, work: .depthwise, steps.kernel(scratch: scratch))
    node.finish(0, from: state)
    node.finish(1, from: y)
  }
}
