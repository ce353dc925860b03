import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletTesting
import Synchronization
import Testing

@Suite struct PackedStoreTests {
  private struct Failure: Error {}

  private final class Counter: Sendable {
    let value = Atomic(0)
    var count: Int { value.load(ordering: .relaxed) }
  }

  private let constant = Constant(HostTensor(zeros: .float32, shape: [4]))

  @Test(arguments: [1, 3]) func waitingWeightsAreMadeOnceOnAnyThread(threads: Int) throws {
    let store = PackedStore()
    let queue = PackingQueue()
    let pool = ThreadPool(limit: threads)
    let counter = Counter()
    func storage(_ number: Int, _ queue: PackingQueue) throws -> TensorStorage {
      try store.storage([constant], layout: "test", parameters: [number], byteCount: 8 * (number + 1), queue: queue) { storage in
        counter.value.add(1, ordering: .relaxed)
        for index in 0...number { unsafe storage.pointer.storeBytes(of: number, toByteOffset: 8 * index, as: Int.self) }
      }
    }
    let all = try (0..<20).map { try storage($0, queue) }
    #expect(try storage(7, queue) === all[7])
    // Nobody else gets a weight that is not made yet.
    let other = PackingQueue()
    #expect(try storage(7, other) !== all[7])
    #expect(store.byteCount == 0 && counter.count == 0)
    #expect(!store.holds([constant], layout: "test", parameters: [7]))
    try store.fill(queue, on: pool)
    #expect(counter.count == 20)
    #expect(store.holds([constant], layout: "test", parameters: [7]))
    #expect(!store.holds([constant], layout: "test", parameters: [20]))
    for (number, storage) in all.enumerated() {
      for index in 0...number { #expect(unsafe storage.pointer.load(fromByteOffset: 8 * index, as: Int.self) == number) }
    }
    #expect(try storage(7, PackingQueue()) === all[7])
    #expect(store.lastingWeights.count == 20)
    try store.fill(queue, on: pool)
    #expect(counter.count == 20)
  }

  @Test func weightsThatCannotBeMadeAreNotKept() throws {
    let store = PackedStore()
    let queue = PackingQueue()
    _ = try store.storage([constant], layout: "good", parameters: [], byteCount: 64, queue: queue) { _ in }
    _ = try store.storage([constant], layout: "bad", parameters: [], byteCount: 64, queue: queue) { _ in throw Failure() }
    #expect(throws: Failure.self) { try store.fill(queue, on: nil) }
    #expect(store.byteCount == 0)
  }
}
