import MartletTensor

/// Attention of few queries to keys and values that are read where they lie, in the type of the cache.
///
/// A task computes the queries that share a key head over one stretch of keys, so that a cache is read once, and by several threads even
/// with few heads. Stretches depend on the cache's capacity alone, and their results are joined in order: results depend neither on the
/// number of threads nor on timing.
extension AttentionKernel {
  /// True if keys and values are not packed first.
  package var readsInPlace: Bool { q.shape[2] <= Int(MK_ATTENTION_ROWS) }

  /// Minimum number of keys in a stretch. Fewer would not pay for a task and for joining its result.
  private static let shortestStretch = 256

  private struct Division {
    /// Query heads of a task, at most; their tasks for a key head.
    let sharing: Int
    let parts: Int
    /// Query heads that share a key head.
    let group: Int
    /// Keys of a stretch, and the stretches of all keys.
    let length: Int
    let stretches: Int
    /// Numbers of a task's result.
    let partialCount: Int

    init(_ kernel: AttentionKernel) {
      group = max(kernel.q.shape[1] / max(kernel.k.shape[1], 1), 1)
      let most = kernel.q.shape[2] == 1 ? Int(MK_ATTENTION_ROWS) : 1
      parts = (group + most - 1) / most
      sharing = (group + parts - 1) / parts
      let capacity = kernel.k.shape[2]
      let evenLength = (capacity + Int(MK_ATTENTION_STRETCHES) - 1) / Int(MK_ATTENTION_STRETCHES)
      length = max(AttentionKernel.shortestStretch, (evenLength + 63) & ~63)
      stretches = max((capacity + length - 1) / length, 1)
      let anywhere = unsafe UnsafeMutablePointer<Float>(bitPattern: 64)!
      var description = unsafe kernel.describe(anywhere, anywhere, anywhere, anywhere, queries: 1, keys: capacity)
      partialCount = (unsafe mk_attention_partial_count(&description) + 15) & ~15
    }

    func rows(_ part: Int) -> Range<Int> { part * group / parts..<(part + 1) * group / parts }
  }

  /// Numbers of the memory for results of stretches; 0 if keys are packed.
  package var partialCount: Int {
    guard readsInPlace, !output.isEmpty else { return 0 }
    let division = Division(self)
    let tasks = Extent(output.shape[0]) * k.shape[1] * division.parts * division.stretches
    return (tasks * division.partialCount).clamped
  }

  func stretchKernel(scratch: TensorView, partials: TensorView) -> Kernel {
    let division = Division(self)
    let (queries, keyHeads) = (q.shape[2], k.shape[1])
    let units = output.shape[0] * keyHeads * division.parts
    let me = self
    /// The task's description, with rows that are queries of one head, or a query each of heads that share a key head.
    @Sendable func attention(_ context: KernelContext, _ unit: Int, _ positions: (keys: Int, offset: Int, latestStart: Int?))
      -> mk_attention
    {
      let (row, part) = unit.quotientAndRemainder(dividingBy: division.parts)
      let (batch, keyHead) = row.quotientAndRemainder(dividingBy: keyHeads)
      let heads = division.rows(part)
      let first = keyHead * division.group + heads.lowerBound
      var attention = unsafe me.describe(
        context, batch: batch, head: first, keyHead: keyHead, queries: queries == 1 ? heads.count : queries, keys: positions.keys,
        latestStart: positions.latestStart)
      unsafe attention.causal_offset = positions.offset
      if let mask = me.mask {
        unsafe attention.mask = UnsafePointer(context.pointer(mask, as: Float.self) + batch * mask.strides[0] + first * mask.strides[1])
        unsafe attention.mask_row_stride = queries == 1 ? mask.strides[1] : mask.strides[2]
      }
      if queries == 1 {
        // A single query sees all keys up to its own; without a start, only the first.
        if me.isCausal, me.start == nil { unsafe attention.keys = min(attention.keys, 1) }
        unsafe attention.causal = 0
        unsafe attention.q_row_stride = me.q.strides[1]
        unsafe attention.output_row_stride = me.output.strides[1]
      }
      return unsafe attention
    }
    return { context in
      let positions = try me.positions(context)
      let stretches = (positions.keys + division.length - 1) / division.length
      let base = unsafe context.pointer(partials, as: Float.self)
      // Tasks of the same keys are adjacent: the rows of a cache's heads alternate in memory.
      context.parallel(units * stretches) { task, worker in
        let (stretch, unit) = task.quotientAndRemainder(dividingBy: units)
        var attention = unsafe attention(context, unit, positions)
        let keys = unsafe attention.keys
        unsafe mk_attention_stretch(
          &attention, min(stretch * division.length, keys), min((stretch + 1) * division.length, keys),
          base + (unit * division.stretches + stretch) * division.partialCount,
          context.scratch(scratch, worker: worker, as: Float.self))
      }
      func join(_ unit: Int) {
        var attention = unsafe attention(context, unit, positions)
        unsafe mk_attention_merge(&attention, base + unit * division.stretches * division.partialCount, stretches, division.partialCount)
      }
      if units * stretches * division.partialCount > 1 << 16 {
        context.parallel(units) { unit, _ in join(unit) }
      } else {
        for unit in 0..<units { join(unit) }
      }
    }
  }
}
