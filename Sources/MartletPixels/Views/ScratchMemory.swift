import MartletLock

/// Memory for rows and stripes of pictures while they are converted. Blocks are used again by all threads, so that pictures of one size
/// allocate nothing once the first of them is done.
package enum ScratchMemory {
  @safe
  private struct Block: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let byteCount: Int
  }

  /// Blocks that are kept between uses, and their bytes.
  private static let blockLimit = 64
  private static let byteLimit = 32 << 20
  private static let alignment = 64
  /// Memory up to this size in bytes lies on the stack.
  private static let stackByteCount = 1 << 10
  private static let smallestByteCount = 4 << 10

  private struct Kept {
    var blocks: [Block] = []
    var byteCount = 0

    init() { blocks.reserveCapacity(blockLimit) }

    /// The smallest block that holds `byteCount` bytes; of several, the one that was used last, which caches may still hold.
    mutating func take(_ byteCount: Int) -> Block? {
      var best: Int?
      for index in blocks.indices where blocks[index].byteCount >= byteCount {
        if let found = best, blocks[found].byteCount < blocks[index].byteCount { continue }
        best = index
      }
      guard let best else { return nil }
      blocks.swapAt(best, blocks.count - 1)
      let block = blocks.removeLast()
      self.byteCount -= block.byteCount
      return block
    }

    /// - Returns: whether the block is kept.
    mutating func store(_ block: Block) -> Bool {
      guard blocks.count < blockLimit, block.byteCount <= byteLimit - byteCount else { return false }
      blocks.append(block)
      byteCount += block.byteCount
      return true
    }
  }

  private static let kept = Guarded(Kept())

  /// Calls `body` with uninitialised memory for `capacity` elements, which is valid during the call.
  /// - Precondition: the memory's size in bytes is an `Int`.
  package static func with<Element: BitwiseCopyable, R>(
    _ type: Element.Type, capacity: Int, _ body: (UnsafeMutablePointer<Element>) throws -> R
  ) rethrows -> R {
    let byteCount = capacity * MemoryLayout<Element>.stride
    guard byteCount > stackByteCount else {
      return try unsafe withUnsafeTemporaryAllocation(of: type, capacity: max(capacity, 1)) { try unsafe body($0.baseAddress!) }
    }
    let block = kept.withLock { $0.take(byteCount) } ?? made(byteCount)
    defer {
      if !kept.withLock({ $0.store(block) }) { unsafe block.base.deallocate() }
    }
    return try unsafe body(block.base.bindMemory(to: type, capacity: capacity))
  }

  /// A block of at least `byteCount` bytes; sizes are powers of two up to 1 MiB, so that similar rows share blocks.
  private static func made(_ byteCount: Int) -> Block {
    var size = smallestByteCount
    while size < byteCount, size < 1 << 20 { size *= 2 }
    let count = max(size, byteCount)
    return unsafe Block(base: .allocate(byteCount: count, alignment: alignment), byteCount: count)
  }
}
