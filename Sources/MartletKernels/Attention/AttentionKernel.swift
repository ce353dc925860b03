package import MartletTensor

/// Scaled dot-product attention over batches and heads, with sums and softmax in float32. The matrix of scores is never stored.
package struct AttentionKernel: Sendable {
  /// [batch, heads, queries, depth], depth contiguous. Q, K and V have the same type, and so have Q and the output: float32, float16 or
  /// bfloat16.
  package var q: TensorView
  /// [batch, key heads, keys, depth] and [batch, key heads, keys, value depth], the last axis contiguous. Consecutive query heads share a
  /// key head; the number of query heads is a multiple of the number of key heads.
  package var k: TensorView
  package var v: TensorView
  /// [batch, heads, queries, value depth], the last axis contiguous.
  package var output: TensorView
  /// Added to the scaled scores. The strides describe a [batch, heads, queries, keys] tensor with contiguous keys.
  package var mask: TensorView?
  package var scale: Float
  package var isCausal: Bool
  /// True if a query that sees no key, or only scores of -infinity, gives zeros instead of NaN.
  package var hiddenIsZero = false
  /// Arithmetic of both products.
  package var arithmetic = ProductArithmetic.single
  /// Uses portable C instead of AMX tiles.
  package var isPortable = false
  /// Number of keys before the first query. There are `start + queries` keys, and if causal, query i sees those up to `start + i`. If nil,
  /// all keys are present, and a causal query i sees keys up to i.
  package var start: (@Sendable (KernelContext) -> Int)?

  package init(q: TensorView, k: TensorView, v: TensorView, output: TensorView, scale: Float, isCausal: Bool) {
    self.q = q
    self.k = k
    self.v = v
    self.output = output
    self.scale = scale
    self.isCausal = isCausal
  }

  /// Queries per task.
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
    // With few heads, threads share the queries of a head.
    let perHead = output.shape[0] * heads >= 8 ? 1 : blocks
    let rows = (queries + perHead - 1) / perHead
    let me = self
    return { context in
      let position = me.start.map { $0(context) }
      guard position.map({ $0 >= 0 && $0 <= capacity - queries }) ?? true else {
        throw KernelError("position \(position!) with \(queries) queries is out of range for \(capacity) keys")
      }
      let keys = position.map { $0 + queries } ?? capacity
      /// Address of a head's first row.
      func start(_ view: TensorView, _ batch: Int, _ head: Int) -> UnsafeMutablePointer<Float> {
        let offset = (batch * view.strides[0] + head * view.strides[1]) * view.dtype.byteCount
        return unsafe (context.address(view) + offset).assumingMemoryBound(to: Float.self)
      }
      let maskBase = unsafe me.mask.map { unsafe context.pointer($0, as: Float.self) }
      // Tasks with the same queries of all heads are adjacent, because the surrounding kernels split by rows.
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
