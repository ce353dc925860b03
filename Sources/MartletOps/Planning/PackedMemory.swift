package import MartletTensor
import MartletLock

/// Memory for the packed weights of a program, allocated from a few large blocks. Large pages avoid thousands of page faults, which would
/// take as long as the packing itself.
///
/// The weights of small programs are allocated separately.
package final class PackedMemory: Sendable {
  /// The memory of the store for which a weight is being packed.
  @TaskLocal static var current: PackedMemory?

  private struct State {
    /// Bytes handed out so far.
    var total = 0
    var block: TensorStorage?
    /// Bytes of `block` in use.
    var used = 0
    /// Parts of blocks that are reserved but not filled yet.
    var untouched: [(block: TensorStorage, part: Range<Int>)] = []
    /// Blocks for intermediate results of packing, one per concurrent packing job.
    var scratch: [TensorStorage] = []
  }

  private static let blockByteCount = 4 << 20
  /// Granularity of block sizes.
  private static let blockStep = MemoryPages.pieceByteCount
  /// Minimum total size of the weights for which blocks are used.
  private static let smallProgram = 256 << 10
  /// Minimum size of temporary memory worth a large page; smaller temporaries, such as scales, are allocated separately.
  private static let smallTemporary = 256 << 10

  private let state = Guarded(State())

  /// Uninitialised memory that is only needed until a weight is packed. It is reused once it is free.
  package static func temporary(_ byteCount: Int) throws(AllocationError) -> TensorStorage {
    guard let current, byteCount >= Self.smallTemporary else { return try TensorStorage(allocating: byteCount) }
    return try current.state.withLock { (state) throws(AllocationError) in
      // A part keeps its whole block alive.
      if let free = state.scratch.indices.first(where: { isKnownUniquelyReferenced(&state.scratch[$0]) }) {
        if state.scratch[free].byteCount >= byteCount { return TensorStorage(byteCount, of: state.scratch[free], at: 0) }
        state.scratch.remove(at: free)
      }
      let rounded = (Extent(byteCount / blockByteCount) + 1) * blockByteCount
      let block = try TensorStorage(allocating: rounded.value ?? byteCount, inLargePages: true)
      state.scratch.append(block)
      return TensorStorage(byteCount, of: block, at: 0)
    }
  }

  /// Releases the memory kept for `temporary`.
  func releaseTemporary() { state.withLock { $0.scratch.removeAll() } }

  /// Uninitialised memory for a weight that is filled after the next call to `prepare`.
  func reserve(_ byteCount: Int) throws(AllocationError) -> TensorStorage {
    try state.withLock { (state) throws(AllocationError) in
      state.total = (Extent(state.total) + byteCount).clamped
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
      // Keep the block with the most space left.
      if size - taken >= (state.block.map { $0.byteCount - state.used } ?? 0) {
        (state.block, state.used) = (block, taken)
      }
      return TensorStorage(byteCount, of: block, at: 0)
    }
  }

  /// Must be called before reserved memory is filled.
  func prepare() {
    state.withLock { state in
      for (block, part) in state.untouched { block.prepare(part) }
      state.untouched.removeAll()
    }
  }
}
