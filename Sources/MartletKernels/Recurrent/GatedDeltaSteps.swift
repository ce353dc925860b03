package import MartletTensor

/// The positions of a gated delta rule, one after the other for each state. All tensors are float32 and row-major.
package struct GatedDeltaSteps: Sendable {
  /// `[batch, heads, positions, depth]`: the queries. Consecutive heads share a state.
  package var q: TensorView
  /// `[batch, states, positions, depth]`: the keys.
  package var k: TensorView
  /// `[batch, states, positions, width]`: the values.
  package var v: TensorView
  /// `[batch, states, positions, depth]` or `[batch, states, positions]`: factors of the state's rows, or of all of it.
  package var decay: TensorView
  /// `[batch, states, positions]`: how much of the error is corrected.
  package var beta: TensorView
  /// `[batch, states, depth, width]`: the states, replaced by those after the last position.
  package var state: TensorView
  /// `[batch, heads, positions, width]`.
  package var output: TensorView

  package init(q: TensorView, k: TensorView, v: TensorView, decay: TensorView, beta: TensorView, state: TensorView, output: TensorView) {
    self.q = q
    self.k = k
    self.v = v
    self.decay = decay
    self.beta = beta
    self.state = state
    self.output = output
  }

  /// Multiplications and additions.
  package var flops: Double { Double(state.elementCount) * Double(k.shape[2]) * 7 }

  /// Bytes of scratch memory that each worker needs.
  package var scratchByteCount: Int { max(v.shape[3], 1) * 4 }

  /// - Parameter scratch: `scratchByteCount` bytes for every worker.
  package func kernel(scratch: TensorView) -> Kernel {
    let (states, positions, depth, width) = (k.shape[1], k.shape[2], k.shape[3], v.shape[3])
    let group = states > 0 ? q.shape[1] / states : 0
    let hasRowDecay = decay.rank == 4
    let me = self
    return { context in
      context.parallel(me.k.shape[0] * states) { index, worker in
        let state = unsafe context.pointer(me.state, as: Float.self) + index * depth * width
        let error = unsafe context.scratch(scratch, worker: worker, as: Float.self)
        for position in 0..<positions {
          let row = index * positions + position
          let key = unsafe context.pointer(me.k, as: Float.self) + row * depth
          let value = unsafe context.pointer(me.v, as: Float.self) + row * width
          let factors = unsafe context.pointer(me.decay, as: Float.self) + (hasRowDecay ? row * depth : row)
          let beta = unsafe context.pointer(me.beta, as: Float.self)[row]
          for j in 0..<width { unsafe error[j] = 0 }
          for i in 0..<depth {
            let line = unsafe state + i * width
            let (factor, x) = unsafe (factors[hasRowDecay ? i : 0], key[i])
            for j in 0..<width {
              let kept = unsafe line[j] * factor
              unsafe line[j] = kept
              unsafe error[j] += kept * x
            }
          }
          for j in 0..<width { unsafe error[j] = (value[j] - error[j]) * beta }
          for i in 0..<depth {
            let line = unsafe state + i * width
            let x = unsafe key[i]
            for j in 0..<width { unsafe line[j] += x * error[j] }
          }
          for head in index * group..<(index + 1) * group {
            let place = head * positions + position
            let query = unsafe context.pointer(me.q, as: Float.self) + place * depth
            let y = unsafe context.pointer(me.output, as: Float.self) + place * width
            for j in 0..<width { unsafe y[j] = 0 }
            for i in 0..<depth {
              let line = unsafe state + i * width
              let x = unsafe query[i]
              for j in 0..<width { unsafe y[j] += x * line[j] }
            }
          }
        }
      }
    }
  }
}
