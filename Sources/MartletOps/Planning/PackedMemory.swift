package import MartletTensor
import MartletLock

/// Memory for the packed weights of a program, cut from a few large blocks: it comes into being in large pages instead of thousands of
/// small ones, which takes as long as the packing itself.
///
/// Weights of small programs get memory of their own.
package final class PackedMemory: Sendable {
  /// The memory of the store that a weight is being packed for.
  @TaskLocal static var current: PackedMemory?

  private struct State {
    /// Bytes given so far.
    var total = 0
    var block: TensorStorage?
    /// Bytes of `block` that are taken.
    var used = 0
    /// Parts of blocks that are taken but not filled yet.
    var untouched: [(block: TensorStorage, part: Range<Int>)] = []
    /// For what is computed on the way to a packed weight: as many blocks as weights are packed at the same time.
    var scratch: [TensorStorage] = []
  }

  private static let blockByteCount = 4 << 20
  /// What the blocks are multiples of: a large page.
  private static let blockStep = 2 << 20
  /// Programs whose weights need less get no blocks.
  private static let smallProgram = 256 << 10
  /// What is only needed for a while and smaller, such as scales, is not worth a large page of its own.
  private static let smallTemporary = 256 << 10

  private let state = Guarded(State())

  /// Uninitialised memory for what is only needed until a weight is packed. The next one gets the same memory if this one is free.
  package static func temporary(_ byteCount: Int) throws(AllocationError) -> TensorStorage {
    guard let current, byteCount >= Self.smallTemporary else { return try TensorStorage(allocating: byteCount) }
    return try current.state.withLock { (state) throws(AllocationError) in
      // Whoever has a part holds the whole.
      if let free = state.scratch.indices.first(where: { isKnownUniquelyReferenced(&state.scratch[$0]) }) {
        if state.scratch[free].byteCount >= byteCount { return TensorStorage(byteCount, of: state.scratch[free], at: 0) }
        state.scratch.remove(at: free)
      }
      let blocks = byteCount / blockByteCount + 1
      let (rounded, overflow) = blocks.multipliedReportingOverflow(by: blockByteCount)
      let block = try TensorStorage(allocating: overflow ? byteCount : rounded, inLargePages: true)
      state.scratch.append(block)
      return TensorStorage(byteCount, of: block, at: 0)
    }
  }

  /// Lets go of the memory that `temporary` gives.
  func releaseTemporary() { state.withLock { $0.scratch.removeAll() } }

  /// Uninitialised memory for a weight that is filled after the next call of `prepare`.
  func reserve(_ byteCount: Int) throws(AllocationError) -> TensorStorage {
    try state.withLock { (state) throws(AllocationError) in
      state.total = state.total.addingReportingOverflow(byteCount).partialValue
      let step = TensorStorage.alignment
      guard byteCount > 0, byteCount < Int.max / 2, state.total >= Self.smallProgram else {
        return try TensorStorage(allocating: byteCount, inLargePages: true)
      }
      let taken = (byteCount + step - 1) / step * step
      if let open = state.block, open.byteCount - state.used >= taken {
        let start = state.used
        state.used += taken
        if let last = state.untouched.lastIndex(where: { $0.block === open }) {
          state.untouched[last].part = state.untouched[last].part.lowerBound..<state.used
        } else {
          state.untouched.append((open, start..<state.used))
        }
        return TensorStorage(byteCount, of: open, at: start)
      }
      let size = max(Self.blockByteCount, (taken + Self.blockStep - 1) / Self.blockStep * Self.blockStep)
      let block = try TensorStorage(reserving: size)
      state.untouched.append((block, 0..<taken))
      // The block with the most left stays open.
      if size - taken >= (state.block.map { $0.byteCount - state.used } ?? 0) {
        (state.block, state.used) = (block, taken)
      }
      return TensorStorage(byteCount, of: block, at: 0)
    }
  }

  /// To be called before reserved memory is filled.
  func prepare() {
    state.withLock { state in
      for (block, part) in state.untouched { block.prepare(part) }
      state.untouched.removeAll()
    }
  }
}
