package import MartletGraph
package import MartletTensor
import MartletLock

/// Weights in the layouts that kernels want, made once and shared by all plans of a program.
package final class PackedStore: Sendable {
  /// What a packed weight is made of and how.
  private struct Key: Hashable {
    let sources: [Constant.Identity]
    let layout: String
    let parameters: [Int]
  }

  private struct Entry: Sendable {
    /// Held so that the addresses in the key stay theirs.
    let sources: [Constant]
    let storage: AlignedStorage
  }

  private let entries = Guarded<[Key: Entry]>([:])
  private let memory = PackedMemory()

  package init() {}

  /// To be called when no weight is being packed any more for a while.
  package func releaseTemporaryMemory() { memory.releaseTemporary() }

  /// Total bytes held.
  package var byteCount: Int { entries.withLock { $0.values.reduce(0) { $0 + $1.storage.byteCount } } }

  /// The weight for `sources` in `layout`, made by `build` if it is not there.
  package func storage(
    _ sources: [Constant], layout: String, parameters: [Int], build: () throws -> AlignedStorage
  ) throws -> AlignedStorage {
    let key = Key(sources: sources.map(\.identity), layout: layout, parameters: parameters)
    if let entry = entries.withLock({ $0[key] }) { return entry.storage }
    let storage = try PackedMemory.$current.withValue(memory, operation: build)
    for source in sources { source.release() }
    return entries.withLock { entries in
      if let other = entries[key] { return other.storage }
      entries[key] = Entry(sources: sources, storage: storage)
      return storage
    }
  }
}
