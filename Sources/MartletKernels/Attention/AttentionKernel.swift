internal import CMartletKernels
package import MartletTensor

/// Scaled dot-product attention with sums and softmax in float32 over batches and heads, without a matrix of scores in memory.
package struct AttentionKernel: Sendable {
  /// [batch, heads, queries, depth], depth contiguous. Q, K and V are of one type and the output is of one, float32 or, with another
  /// arithmetic than `.single`, float16 or bfloat16.
  package var q: TensorView
  /// [batch, key heads, keys, depth] and [batch, key heads, keys, value depth], the last axis contiguous. Each key head serves
  /// as many query heads as there are more of these.
  package var k: TensorView
  package var v: TensorView
  /// [batch, heads, queries, value depth], the last axis contiguous.
  package var output: TensorView
  /// Added to the scaled scores; of shape [batch, heads, queries, keys] by strides, keys contiguous.
  package var mask: TensorView?
  package var scale: Float
  package var isCausal: Bool
  /// Whether queries that see nothing, or only scores of -infinity, give zeros instead of NaN.
  package var hiddenIsZero = false
  /// Of both products.
  package var arithmetic = ProductArithmetic.single
  /// Whether plain C takes the place of matrix tiles.
  package var isPortable = false
  /// Keys before the first query: query i sees keys up to `start + i` if causal, and there are `start + queries` keys.
  /// Nil: all keys are there, and a causal query i sees keys up to i.
  package var start: (@Sendable (KernelContext) -> Int)?

  package init(q: TensorView, k: TensorView, v: TensorView, output: TensorView, scale: Float, isCausal: Bool) {
    self.q = q
    self.k = k
    self.v = v
    self.output = output
    self.scale = scale
    self.isCausal = isCausal
  }

  /// Queries of one task.
  private static let block = 112

  /// Multiplications and additions of one run with all keys.
  package var flops: Double { 2 * Double(output.shape[0] * output.shape[1] * q.shape[2] * k.shape[2]) * Double(q.shape[3] + v.shape[3]) }

  /// Bytes of scratch memory that each worker needs.
  package var scratchByteCount: Int {
    let anywhere = unsafe UnsafeMutablePointer<Float>(bitPattern: 64)!
    var description = unsafe describe(anywhere, anywhere, anywhere, anywhere, keys: k.shape[2])
    return unsafe mk_attention_scratch_count(&description) * 4 + 64
  }

  private func describe(
    _ q: UnsafePointer<Float>, _ k: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, keys: Int
  ) -> mk_attention {
    unsafe mk_attention(
      q: q, q_row_stride: self.q.strides[2], k: k, k_row_stride: self.k.strides[2], v: v, v_row_stride: self.v.strides[2],
      output: output, output_row_stride: self.output.strides[2], mask: nil, mask_row_stride: 0, queries: self.q.shape[2], keys: keys,
      depth: self.q.shape[3], value_depth: self.v.shape[3], scale: scale, causal: isCausal ? 1 : 0, causal_offset: 0,
      hidden_is_zero: hiddenIsZero ? 1 : 0, terms: Int32(arithmetic.rawValue), portable: isPortable ? 1 : 0,
      input_dtype: Int32(self.q.dtype.rawValue), output_dtype: Int32(self.output.dtype.rawValue))
  }

  /// - Parameter scratch: `scratchByteCount` bytes for every worker.
  package func kernel(scratch: TensorView) -> Kernel {
    if output.isEmpty { return { _ in } }
    let (heads, queries, capacity) = (q.shape[1], q.shape[2], k.shape[2])
    let group = max(heads / max(k.shape[1], 1), 1)
    let blocks = (queries + Self.block - 1) / Self.block
    // Few heads: share the queries of a head between threads.
    let perHead = output.shape[0] * heads >= 8 ? 1 : blocks
    let rows = (queries + perHead - 1) / perHead
    let me = self
    return { context in
      let position = me.start.map { $0(context) }
      guard position.map({ $0 >= 0 && $0 <= capacity - queries }) ?? true else {
        throw KernelError("position \(position!) with \(queries) queries is out of range for \(capacity) keys")
      }
      let keys = position.map { $0 + queries } ?? capacity
      /// Where a head's rows begin.
      func start(_ view: TensorView, _ batch: Int, _ head: Int) -> UnsafeMutablePointer<Float> {
        let offset = (batch * view.strides[0] + head * view.strides[1]) * view.dtype.byteCount
        return unsafe (context.address(view) + offset).assumingMemoryBound(to: Float.self)
      }
      let maskBase = unsafe me.mask.map { unsafe context.pointer($0, as: Float.self) }
      // The same queries of all heads follow one another: the kernels around this one split by rows.
      context.parallel(me.output.shape[0] * heads * perHead) { task, worker in
        let (part, row) = task.quotientAndRemainder(dividingBy: me.output.shape[0] * heads)
        let (batch, head) = row.quotientAndRemainder(dividingBy: heads)
        let kv = head / group
        var attention = unsafe me.describe(
          start(me.q, batch, head), start(me.k, batch, kv), start(me.v, batch, kv), start(me.output, batch, head), keys: keys)
        unsafe attention.causal_offset = position ?? 0
        if let mask = me.mask, let base = unsafe maskBase {
          unsafe attention.mask = UnsafePointer(base + batch * mask.strides[0] + head * mask.strides[1])
          unsafe attention.mask_row_stride = mask.strides[2]
        }
        let first = part * rows
        unsafe mk_attention_f32(
          &attention, min(first, queries), min(first + rows, queries), context.scratch(scratch, worker: worker, as: Float.self))
      }
    }
  }
}
