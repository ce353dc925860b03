package import MartletTensor

/// Dequantisation of int8 keys or values: `(element - zero point) * scale`.
package struct AttentionScaling: Sendable {
  /// float32 and int8, broadcast to [batch, key heads, keys, 1]. Without scales `scale` is that of all elements; without zero points they
  /// are 0.
  package var scales: TensorView?
  package var zeroPoints: TensorView?
  package var scale: Float

  package init(scales: TensorView? = nil, zeroPoints: TensorView? = nil, scale: Float = 1) {
    (self.scales, self.zeroPoints, self.scale) = (scales, zeroPoints, scale)
  }
}

/// Keys and values that stand for those of the cache from a position on.
package struct LatestKeys: Sendable {
  /// [batch, key heads, count, depth], float32, the last axis contiguous.
  package var k: TensorView
  package var v: TensorView
  package var start: @Sendable (KernelContext) -> Int

  package init(k: TensorView, v: TensorView, start: @escaping @Sendable (KernelContext) -> Int) {
    (self.k, self.v, self.start) = (k, v, start)
  }
}

/// Scaled dot-product attention over batches and heads, with sums and softmax in float32. The matrix of scores is never stored.
package struct AttentionKernel: Sendable {
  /// [batch, heads, queries, depth], depth contiguous: float32, float16 or bfloat16, as the output. K and V have a type in common, which may
  /// also be int8; arithmetic other than single needs that of Q.
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
  /// For int8 keys and values.
  package var keyScaling = AttentionScaling()
  package var valueScaling = AttentionScaling()
  package var latest: LatestKeys?
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
    var description = unsafe describe(anywhere, anywhere, anywhere, anywhere, queries: max(q.shape[2], 1), keys: k.shape[2])
    if readsInPlace { return unsafe mk_attention_stretch_scratch_count(&description) * 4 + 64 }
    if latest != nil { unsafe description.latest_keys = UnsafePointer(anywhere) }
    return unsafe mk_attention_scratch_count(&description) * 4 + 64
  }

  func describe(
    _ q: UnsafePointer<Float>, _ k: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, queries: Int,
    keys: Int
  ) -> mk_attention {
    unsafe mk_attention(
      q: q, q_row_stride: self.q.strides[2], k: k, k_row_stride: self.k.strides[2], v: v, v_row_stride: self.v.strides[2],
      output: output, output_row_stride: self.output.strides[2], mask: nil, mask_row_stride: 0, queries: queries, keys: keys,
      depth: self.q.shape[3], value_depth: self.v.shape[3], scale: scale, causal: isCausal ? 1 : 0, causal_offset: 0,
      hidden_is_zero: hiddenIsZero ? 1 : 0, terms: Int32(arithmetic.rawValue), portable: isPortable ? 1 : 0,
      query_dtype: Int32(self.q.dtype.rawValue), key_dtype: Int32(self.k.dtype.rawValue), output_dtype: Int32(self.output.dtype.rawValue),
      key_scaling: mk_attention_scaling(), value_scaling: mk_attention_scaling(), latest_keys: nil, latest_key_stride: 0,
      latest_values: nil, latest_value_stride: 0, latest_start: 0, latest_count: 0)
  }

  /// The description of a head, without mask and position.
  func describe(_ context: KernelContext, batch: Int, head: Int, keyHead: Int, queries: Int, keys: Int, latestStart: Int?) -> mk_attention {
    /// Address of a head's first row.
    func start(_ view: TensorView, _ head: Int) -> UnsafeMutableRawPointer {
      let offset = (batch * view.strides[0] + head * view.strides[1]) * view.dtype.byteCount
      return unsafe context.address(view) + offset
    }
    func floats(_ view: TensorView, _ head: Int) -> UnsafeMutablePointer<Float> {
      unsafe start(view, head).assumingMemoryBound(to: Float.self)
    }
    func scaling(_ scaling: AttentionScaling) -> mk_attention_scaling {
      unsafe mk_attention_scaling(
        scales: scaling.scales.map { unsafe UnsafePointer(floats($0, keyHead)) }, scale_stride: scaling.scales?.strides[2] ?? 0,
        scale: scaling.scale,
        zero_points: scaling.zeroPoints.map { unsafe UnsafePointer(start($0, keyHead).assumingMemoryBound(to: Int8.self)) },
        zero_point_stride: scaling.zeroPoints?.strides[2] ?? 0)
    }
    var attention = unsafe describe(
      floats(q, head), floats(k, keyHead), floats(v, keyHead), floats(output, head), queries: queries, keys: keys)
    if k.dtype == .int8 {
      unsafe attention.key_scaling = scaling(keyScaling)
      unsafe attention.value_scaling = scaling(valueScaling)
    }
    if let latest, let latestStart {
      unsafe attention.latest_keys = UnsafePointer(floats(latest.k, keyHead))
      unsafe attention.latest_key_stride = latest.k.strides[2]
      unsafe attention.latest_values = UnsafePointer(floats(latest.v, keyHead))
      unsafe attention.latest_value_stride = latest.v.strides[2]
      unsafe attention.latest_start = latestStart
      unsafe attention.latest_count = latest.k.shape[2]
    }
    return unsafe attention
  }

  /// The number of keys that are present, the causal offset, and where the latest keys begin.
  func positions(_ context: KernelContext) throws -> (keys: Int, offset: Int, latestStart: Int?) {
    let (queries, capacity) = (q.shape[2], k.shape[2])
    let position = start.map { $0(context) }
    guard position.map({ $0 >= 0 && $0 <= capacity - queries }) ?? true else {
      throw KernelError("position \(position!) with \(queries) queries is out of range for \(capacity) keys")
    }
    let latestStart = latest.map { $0.start(context) }
    if let latest, let latestStart, latestStart < 0 || latestStart > capacity - latest.k.shape[2] {
      throw KernelError("position \(latestStart) of \(latest.k.shape[2]) keys is out of range for \(capacity) keys")
    }
    return (position.map { $0 + queries } ?? capacity, position ?? 0, latestStart)
  }

  /// - Parameters:
  ///   - scratch: `scratchByteCount` bytes for every worker.
  ///   - partials: `partialCount` numbers.
  package func kernel(scratch: TensorView, partials: TensorView?) -> Kernel {
    if output.isEmpty { return { _ in } }
    if readsInPlace, let partials { return stretchKernel(scratch: scratch, partials: partials) }
    let (queries, heads) = (q.shape[2], q.shape[1])
    let group = max(heads / max(k.shape[1], 1), 1)
    let blocks = (queries + Self.block - 1) / Self.block
    // With few heads, threads share the queries of a head.
    let perHead = output.shape[0] * heads >= 8 ? 1 : blocks
    let rows = (queries + perHead - 1) / perHead
    let me = self
    return { context in
      let (keys, offset, latestStart) = try me.positions(context)
      let maskBase = unsafe me.mask.map { unsafe context.pointer($0, as: Float.self) }
      // Tasks with the same queries of all heads are adjacent, because the surrounding kernels split by rows.
      context.parallel(me.output.shape[0] * heads * perHead) { task, worker in
        let (part, row) = task.quotientAndRemainder(dividingBy: me.output.shape[0] * heads)
        let (batch, head) = row.quotientAndRemainder(dividingBy: heads)
        var attention = unsafe me.describe(
          context, batch: batch, head: head, keyHead: head / group, queries: queries, keys: keys, latestStart: latestStart)
        unsafe attention.causal_offset = offset
        if let mask = me.mask, let base = unsafe maskBase {
          unsafe attention.mask = UnsafePointer(base + batch * mask.strides[0] + head * mask.strides[1])
          unsafe attention.mask_row_stride = mask.strides[2]
        }
        let row0 = part * rows
        unsafe mk_attention_f32(
          &attention, min(row0, queries), min(row0 + rows, queries), context.scratch(scratch, worker: worker, as: Float.self))
      }
    }
  }
}
