package import MartletGraph
package import MartletKernels
package import MartletTensor
import MartletLock

/// A source of weights packed earlier, such as a file.
package protocol PackedWeightSource: Sendable {
  /// The weight packed from `sources` in `layout`; nil if it is missing or its size is not `byteCount`.
  ///
  /// Its content is as untrusted as the model's: kernels interpret it as numbers, never as positions.
  func storage(for sources: [Constant], layout: String, parameters: [Int], byteCount: Int) -> TensorStorage?
}

/// Weights in the layouts that kernels use, packed once and shared by all plans of a program.
package final class PackedStore: Sendable {
  /// Identity of a packed weight: its sources, layout and parameters.
  fileprivate struct Key: Hashable {
    let sources: [Constant.Identity]
    let layout: String
    let parameters: [Int]
  }

  private struct Entry: Sendable {
    let key: Key
    /// Retained so that the addresses in the key remain valid.
    let sources: [Constant]
    let storage: TensorStorage
    let isLasting: Bool
  }

  /// A packed weight that can be stored.
  package struct PackedWeight: Sendable {
    package let sources: [Constant]
    package let layout: String
    package let parameters: [Int]
    package let storage: TensorStorage
  }

  private let kept: (any PackedWeightSource)?
  /// By the keys' hashes: a dictionary with a key type of its own would search all protocol conformances of the process.
  private let entries = Guarded<[Int: [Entry]]>([:])
  private let memory = PackedMemory()

  /// Identifies the packed layouts: equal in processes that choose the same kernels.
  package static var layoutVariant: String { MachineProfile.current.kernelVariant }

  /// - Parameter kept: weights that were packed earlier.
  package init(kept: (any PackedWeightSource)? = nil) { self.kept = kept }

  /// The weights whose size follows from layout and parameters, in unspecified order.
  package var lastingWeights: [PackedWeight] {
    entries.withLock { entries in
      entries.values.joined().filter(\.isLasting).map { entry in
        PackedWeight(sources: entry.sources, layout: entry.key.layout, parameters: entry.key.parameters, storage: entry.storage)
      }
    }
  }

  /// Releases temporary memory. Call it when no packing is imminent.
  package func releaseTemporaryMemory() { memory.releaseTemporary() }

  /// Total bytes held.
  // In range: bytes in memory.
  package var byteCount: Int { entries.withLock { $0.values.joined().reduce(0) { $0 + $1.storage.byteCount } } }

  /// The weight for `sources` in `layout`. If it does not exist, it is queued: `fill` writes its `byteCount` bytes when the queue is
  /// processed.
  /// - Parameter isLasting: false for a weight that is never stored.
  package func storage(
    _ sources: [Constant], layout: String, parameters: [Int], byteCount: Int, isLasting: Bool = true, queue: PackingQueue,
    fill: @escaping @Sendable (TensorStorage) throws -> Void
  ) throws -> TensorStorage {
    let key = Key(sources: sources.map(\.identity), layout: layout, parameters: parameters)
    if let known = known(key) { return known }
    if isLasting, let known = kept?.storage(for: sources, layout: layout, parameters: parameters, byteCount: byteCount) {
      return keep(Entry(key: key, sources: sources, storage: known, isLasting: true))
    }
    if let waiting = queue.jobs.first(where: { $0.storage.byteCount == byteCount && $0.key == key }) { return waiting.storage }
    let storage = try memory.reserve(byteCount)
    queue.jobs.append(PackingQueue.Job(key: key, sources: sources, storage: storage, isLasting: isLasting, fill: fill))
    return storage
  }

  /// Packs the queued weights in parallel.
  package func fill(_ queue: PackingQueue, on pool: ThreadPool?) throws {
    guard !queue.jobs.isEmpty else { return }
    memory.prepare()
    // Release the pages that planning has read.
    ReadPlaces(queue.jobs.flatMap(\.sources)).release()
    let jobs = PackingQueue.Job.ordered(queue.jobs, for: pool?.limit ?? 1)
    queue.jobs.removeAll()
    let failure = Guarded<(any Error)?>(nil)
    let finished = Guarded(ReadPlaces())
    let allowance = Allowance.current
    func make(_ job: PackingQueue.Job) {
      do {
        try allowance?.spend(Allowance.units(operations: Double(job.storage.byteCount)))
        // The pool's threads do not inherit it.
        try Allowance.$current.withValue(allowance) {
          try PackedMemory.$current.withValue(memory) { try job.fill(job.storage) }
        }
        finished.withLock { $0.add(job.sources, packedByteCount: job.storage.byteCount) }?.release()
      } catch {
        failure.withLock { $0 = error }
      }
    }
    if let pool, pool.limit > 1, jobs.count > 1 {
      pool.run(jobs.count) { index, _ in make(jobs[index]) }
    } else {
      for job in jobs { make(job) }
    }
    finished.withLock(\.self).release()
    if let error = failure.withLock({ $0 }) { throw error }
    for job in jobs { _ = keep(Entry(key: job.key, sources: job.sources, storage: job.storage, isLasting: job.isLasting)) }
  }

  /// The storage of the entry, or that of an equal entry that another thread added first.
  private func keep(_ entry: Entry) -> TensorStorage {
    let hash = entry.key.hashValue
    return entries.withLock { entries in
      if let other = entries[hash]?.first(where: { $0.key == entry.key }) { return other.storage }
      entries[hash, default: []].append(entry)
      return entry.storage
    }
  }

  /// True if the weight for `sources` in `layout` exists.
  package func holds(_ sources: [Constant], layout: String, parameters: [Int]) -> Bool {
    known(Key(sources: sources.map(\.identity), layout: layout, parameters: parameters)) != nil
  }

  /// The storage for a key, if any.
  private func known(_ key: Key) -> TensorStorage? {
    entries.withLock { $0[key.hashValue]?.first { $0.key == key }?.storage }
  }

  /// The weight for `sources` in `layout`, built by `build` if it does not exist.
  /// - Parameter byteCount: its expected size; nil for a weight that is never loaded from a file.
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

/// Parts of files that packing has read. Those that lie near each other are released together: each release is a system call, which also
/// interrupts the other threads.
private struct ReadPlaces: Sendable {
  private var places: [any Constant.StoredPlace]
  private var packedByteCount = 0

  /// Bytes of packed weights whose sources are released together.
  private static let releasedByteCount = 256 << 10

  init(_ sources: [Constant] = []) { places = sources.flatMap(\.places) }

  /// Adds the sources of a packed weight.
  /// - Returns: the places so far, which are removed, once enough has been packed to release them; otherwise nil.
  mutating func add(_ sources: [Constant], packedByteCount byteCount: Int) -> ReadPlaces? {
    places += sources.flatMap(\.places)
    // In range: bytes in memory.
    packedByteCount += byteCount
    guard packedByteCount >= Self.releasedByteCount else { return nil }
    defer { self = ReadPlaces() }
    return self
  }

  func release() { for place in places.joinedPlaces { place.release() } }
}

/// Weights of a plan under construction whose memory is reserved but not filled yet.
package final class PackingQueue {
  fileprivate struct Job: Sendable {
    let key: PackedStore.Key
    let sources: [Constant]
    let storage: TensorStorage
    let isLasting: Bool
    let fill: @Sendable (TensorStorage) throws -> Void

    /// The jobs in the order in which their sources lie in the file, which is the order in which a disk reads them best. A job that the
    /// other threads would wait for in the end comes earlier.
    static func ordered(_ jobs: [Job], for threads: Int) -> [Job] {
      let addresses = jobs.map { job in job.sources.lazy.compactMap(\.firstAddress).min() ?? 0 }
      let positions = jobs.indices.sorted { addresses[$0] < addresses[$1] }
      guard threads > 1 else { return positions.map { jobs[$0] } }
      var late: [Job] = []
      var early: [Job] = []
      var rest = 0
      for position in positions.reversed() {
        // In range: bytes in memory.
        if jobs[position].storage.byteCount > rest / (threads - 1) + smallByteCount {
          early.append(jobs[position])
        } else {
          late.append(jobs[position])
        }
        // In range: bytes in memory.
        rest += jobs[position].storage.byteCount
      }
      return early.sorted { $0.storage.byteCount > $1.storage.byteCount } + late.reversed()
    }

    /// Size of a weight that is packed so soon that nobody waits for it.
    private static let smallByteCount = 64 << 10
  }

  fileprivate var jobs: [Job] = []

  /// Bytes of the weights that are not filled yet.
  // In range: bytes in memory.
  package var byteCount: Int { jobs.reduce(0) { $0 + $1.storage.byteCount } }

  package init() {}
}
