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
    var description = unsafe describe(anywhere, anywhere, anywhere, anywhere, queries: max(q.shape[2], sharing), keys: k.shape[2])
    return unsafe mk_attention_scratch_count(&description) * 4 + 64
  }

  private func describe(
    _ q: UnsafePointer<Float>, _ k: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, queries: Int,
    keys: Int
  ) -> mk_attention {
    unsafe mk_attention(
      q: q, q_row_stride: self.q.strides[2], k: k, k_row_stride: self.k.strides[2], v: v, v_row_stride: self.v.strides[2],
      output: output, output_row_stride: self.output.strides[2], mask: nil, mask_row_stride: 0, queries: queries, keys: keys,
      depth: self.q.shape[3], value_depth: self.v.shape[3], scale: scale, causal: isCausal ? 1 : 0, causal_offset: 0,
      hidden_is_zero: hiddenIsZero ? 1 : 0, terms: Int32(arithmetic.rawValue), portable: isPortable ? 1 : 0,
      input_dtype: Int32(self.q.dtype.rawValue), output_dtype: Int32(self.output.dtype.rawValue))
  }

  /// Number of query heads that a task computes together, as if they were queries of one head: those that share a key head, where each has
  /// a single query. Keys and values are then read once.
  private var sharing: Int {
    guard q.shape[2] == 1, k.shape[1] > 0, !isCausal || start != nil else { return 1 }
    let group = q.shape[1] / k.shape[1]
    return (1...4).last { group % $0 == 0 } ?? 1
  }

  /// - Parameter scratch: `scratchByteCount` bytes for every worker.
  package func kernel(scratch: TensorView) -> Kernel {
    if output.isEmpty { return { _ in } }
    let (queries, capacity, sharing) = (q.shape[2], k.shape[2], sharing)
    let heads = q.shape[1] / sharing
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
        let first = head * sharing
        var attention = unsafe me.describe(
          start(me.q, batch, first), start(me.k, batch, kv), start(me.v, batch, kv), start(me.output, batch, first),
          queries: sharing > 1 ? sharing : queries, keys: keys)
        unsafe attention.causal_offset = position ?? 0
        if let mask = me.mask, let base = unsafe maskBase {
          unsafe attention.mask = UnsafePointer(base + batch * mask.strides[0] + first * mask.strides[1])
          unsafe attention.mask_row_stride = mask.strides[2]
        }
        if sharing > 1 {
          // A single query sees all keys up to its own.
          unsafe attention.causal = 0
          unsafe attention.q_row_stride = me.q.strides[1]
          unsafe attention.output_row_stride = me.output.strides[1]
          unsafe attention.mask_row_stride = me.mask?.strides[1] ?? 0
          unsafe mk_attention_f32(&attention, 0, sharing, context.scratch(scratch, worker: worker, as: Float.self))
          return
        }
        let row0 = part * rows
        unsafe mk_attention_f32(
          &attention, min(row0, queries), min(row0 + rows, queries), context.scratch(scratch, worker: worker, as: Float.self))
      }
    }
  }
}
