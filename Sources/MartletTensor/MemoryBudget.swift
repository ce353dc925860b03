import Synchronization

/// The memory that a model may hold: states, decoded and packed weights, folded constants, and what loading needs in between.
///
/// Memory whose size a file determines is charged before it is allocated and refunded when it is freed.
package final class MemoryBudget: Sendable {
  private let limitByteCount: Atomic<Int>
  private let heldByteCount = Atomic<Int>(0)

  package init(limit: Int = .max) { limitByteCount = Atomic(limit) }

  /// Upper bound of `held`, in bytes. Lowering it frees nothing.
  package var limit: Int { limitByteCount.load(ordering: .relaxed) }

  package func setLimit(_ byteCount: Int) { limitByteCount.store(byteCount, ordering: .relaxed) }

  /// Bytes charged and not refunded.
  package var held: Int { heldByteCount.load(ordering: .relaxed) }

  /// Bytes that can still be charged.
  package var left: Int { max(limit - held, 0) }

  /// - Throws: if fewer bytes are left.
  package func charge(_ byteCount: Int) throws(AllocationError) {
    var held = held
    while true {
      guard byteCount >= 0, (Extent(held) + byteCount).fits(limit) else { throw AllocationError(byteCount: byteCount, limit: limit) }
      // In range: at most the limit.
      let charged = held + byteCount
      let (exchanged, original) = heldByteCount.compareExchange(expected: held, desired: charged, ordering: .relaxed)
      if exchanged { return }
      held = original
    }
  }

  package func refund(_ byteCount: Int) { heldByteCount.subtract(byteCount, ordering: .relaxed) }
}
