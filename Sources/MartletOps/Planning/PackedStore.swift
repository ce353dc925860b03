package import MartletGraph
package import MartletKernels
package import MartletTensor
import MartletLock

/// Weights that have been packed before and kept, such as in a file.
package protocol PackedWeightSource: Sendable {
  /// What was packed of `sources` in `layout`; nil if it is not there or has another size than `byteCount`.
  ///
  /// Its content is as untrusted as that of the model: kernels read it as numbers, never as positions.
  func storage(for sources: [Constant], layout: String, parameters: [Int], byteCount: Int) -> TensorStorage?
}

/// Weights in the layouts that kernels want, made once and shared by all plans of a program.
package final class PackedStore: Sendable {
  /// What a packed weight is made of and how.
  fileprivate struct Key: Hashable {
    let sources: [Constant.Identity]
    let layout: String
    let parameters: [Int]
  }

  private struct Entry: Sendable {
    let key: Key
    /// Held so that the addresses in the key stay theirs.
    let sources: [Constant]
    let storage: TensorStorage
    let isLasting: Bool
  }

  /// A packed weight that can be kept.
  package struct PackedWeight: Sendable {
    package let sources: [Constant]
    package let layout: String
    package let parameters: [Int]
    package let storage: TensorStorage
  }

  private let kept: (any PackedWeightSource)?
  /// By the keys' hashes: a dictionary with keys of a type that no other has takes a search among all the process's conformances.
  private let entries = Guarded<[Int: [Entry]]>([:])
  private let memory = PackedMemory()

  /// - Parameter kept: weights that need not be packed.
  package init(kept: (any PackedWeightSource)? = nil) { self.kept = kept }

  /// The weights whose size follows from layout and parameters, in no particular order.
  package var lastingWeights: [PackedWeight] {
    entries.withLock { entries in
      entries.values.joined().filter(\.isLasting).map { entry in
        PackedWeight(sources: entry.sources, layout: entry.key.layout, parameters: entry.key.parameters, storage: entry.storage)
      }
    }
  }

  /// To be called when no weight is being packed any more for a while.
  package func releaseTemporaryMemory() { memory.releaseTemporary() }

  /// Total bytes held.
  package var byteCount: Int { entries.withLock { $0.values.joined().reduce(0) { $0 + $1.storage.byteCount } } }

  /// The weight for `sources` in `layout`, whose `byteCount` bytes `fill` makes when the queue is filled if they are not there.
  package func storage(
    _ sources: [Constant], layout: String, parameters: [Int], byteCount: Int, queue: PackingQueue,
    fill: @escaping @Sendable (TensorStorage) throws -> Void
  ) throws -> TensorStorage {
    let key = Key(sources: sources.map(\.identity), layout: layout, parameters: parameters)
    if let known = known(key) { return known }
    if let known = kept?.storage(for: sources, layout: layout, parameters: parameters, byteCount: byteCount) {
      return keep(Entry(key: key, sources: sources, storage: known, isLasting: true))
    }
    if let waiting = queue.jobs.first(where: { $0.storage.byteCount == byteCount && $0.key == key }) { return waiting.storage }
    let storage = try memory.reserve(byteCount)
    queue.jobs.append(PackingQueue.Job(key: key, sources: sources, storage: storage, fill: fill))
    return storage
  }

  /// Makes the weights that wait in the queue, several at the same time.
  package func fill(_ queue: PackingQueue, on pool: ThreadPool?) throws {
    guard !queue.jobs.isEmpty else { return }
    memory.prepare()
    // Pages that came with what planning has read.
    for job in queue.jobs { for source in job.sources { source.release() } }
    // The largest first, so that threads end at about the same time.
    let jobs = queue.jobs.sorted { $0.storage.byteCount > $1.storage.byteCount }
    queue.jobs.removeAll()
    let failure = Guarded<(any Error)?>(nil)
    func make(_ job: PackingQueue.Job) {
      do {
        try PackedMemory.$current.withValue(memory) { try job.fill(job.storage) }
        for source in job.sources { source.release() }
      } catch {
        failure.withLock { $0 = error }
      }
    }
    if let pool, pool.threads > 1, jobs.count > 1 {
      pool.run(jobs.count) { index, _ in make(jobs[index]) }
    } else {
      for job in jobs { make(job) }
    }
    if let error = failure.withLock({ $0 }) { throw error }
    for job in jobs { _ = keep(Entry(key: job.key, sources: job.sources, storage: job.storage, isLasting: true)) }
  }

  /// The storage of the entry, or of one that another thread was faster to make.
  private func keep(_ entry: Entry) -> TensorStorage {
    let hash = entry.key.hashValue
    return entries.withLock { entries in
      if let other = entries[hash]?.first(where: { $0.key == entry.key }) { return other.storage }
      entries[hash, default: []].append(entry)
      return entry.storage
    }
  }

  /// Whether the weight for `sources` in `layout` is there.
  package func holds(_ sources: [Constant], layout: String, parameters: [Int]) -> Bool {
    known(Key(sources: sources.map(\.identity), layout: layout, parameters: parameters)) != nil
  }

  /// What is held for a key.
  private func known(_ key: Key) -> TensorStorage? {
    entries.withLock { $0[key.hashValue]?.first { $0.key == key }?.storage }
  }

  /// The weight for `sources` in `layout`, made by `build` if it is not there.
  /// - Parameter byteCount: the size that it must have; nil for a weight that is always built.
  package func storage(
    _ sources: [Constant], layout: String, parameters: [Int], byteCount: Int? = nil, build: () throws -> TensorStorage
  ) throws -> TensorStorage {
    let key = Key(sources: sources.map(\.identity), layout: layout, parameters: parameters)
    if let known = known(key) { return known }
    let storage: TensorStorage
    if let byteCount, let known = kept?.storage(for: sources, layout: layout, parameters: parameters, byteCount: byteCount) {
      storage = known
    } else {
      storage = try PackedMemory.$current.withValue(memory, operation: build)
      for source in sources { source.release() }
    }
    return keep(Entry(key: key, sources: sources, storage: storage, isLasting: byteCount == storage.byteCount))
  }
}

/// Weights of a plan under construction that have their memory but not their content yet.
package final class PackingQueue {
  fileprivate struct Job: Sendable {
    let key: PackedStore.Key
    let sources: [Constant]
    let storage: TensorStorage
    let fill: @Sendable (TensorStorage) throws -> Void
  }

  fileprivate var jobs: [Job] = []

  package init() {}
}
