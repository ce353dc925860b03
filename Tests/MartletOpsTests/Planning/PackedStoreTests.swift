import Foundation
import MartletGraph
import MartletKernels
import MartletLock
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

  private struct File: Constant.StoredPlace {
    func joined(with next: any Constant.StoredPlace) -> (any Constant.StoredPlace)? { nil }
    func fetch() {}
    func expectParts() {}
    func release() {}
  }

  /// Constants of 64 bytes side by side.
  private func stored(_ count: Int) -> [Constant] {
    let storage = TensorStorage(zeroedByteCount: 64 * count)
    return (0..<count).map { number in
      let bytes = unsafe Constant.Bytes(pointer: storage.pointer + 64 * number, owner: storage)
      return Constant(type: TensorType(.float32, [16]), bytes: bytes, place: File())
    }
  }

  @Test func aThreadPacksInTheFilesOrder() throws {
    let sources = stored(12)
    let store = PackedStore()
    let queue = PackingQueue()
    let order = Guarded<[Int]>([])
    for number in [7, 3, 11, 0, 5, 1, 10, 2, 9, 4, 8, 6] {
      _ = try store.storage([sources[number]], layout: "test", parameters: [], byteCount: 64 + 4096 * (number % 3), queue: queue) { _ in
        order.withLock { $0.append(number) }
      }
    }
    try store.fill(queue, on: nil)
    #expect(order.withLock { $0 } == Array(0..<12))
  }

  /// With several threads, a large weight at the end of the file would keep one of them busy after the others.
  @Test func largeWeightsAtTheEndComeFirst() throws {
    let sources = stored(6)
    let store = PackedStore()
    let queue = PackingQueue()
    let order = Guarded<[Int]>([])
    let sizes = [1 << 20, 1 << 20, 1 << 20, 4096, 8 << 20, 4096]
    for number in sizes.indices {
      _ = try store.storage([sources[number]], layout: "test", parameters: [], byteCount: sizes[number], queue: queue) { _ in
        // The others wait for it, so that the order does not depend on how fast the threads are.
        for _ in 0..<2000 where number != 4 && !order.withLock({ $0.contains(4) }) { usleep(1000) }
        order.withLock { $0.append(number) }
      }
    }
    try store.fill(queue, on: ThreadPool(limit: 2))
    let found = order.withLock { $0 }
    #expect(found.sorted() == Array(0..<6))
    #expect(found.first == 4)
  }

  @Test func constantsReadAsAWholeComeInOrderAndWithoutTables() throws {
    let sources = stored(6)
    let type = ValueType.tensor(TensorSignature(TensorType(.float32, [16])))
    func graph(_ order: [Int]) -> Graph {
      var graph = Graph(name: "test")
      let x = graph.addInput(type)
      for number in order {
        let weight = graph.addConstant(sources[number])
        _ = graph.addNode(MatMul(dtype: .float32), [x, weight], type: type, source: "test")
      }
      return graph
    }
    var whole = graph([4, 1])
    // Of a table some rows are read, unless something else reads all of it. Regions count.
    let indices = whole.addInput(type)
    let table = whole.addConstant(sources[2])
    _ = whole.addNode(GatherSlices(SliceIndexing(axis: 0)), [table, indices], type: type, source: "test")
    let tied = whole.addConstant(sources[3])
    _ = whole.addNode(GatherSlices(SliceIndexing(axis: 0)), [tied, indices], type: type, source: "test")
    whole.addNode(Conditional(), [indices], types: [], regions: [graph([3]), graph([1])], source: "test")
    func numbers(_ constants: [Constant]) -> [Int?] { constants.map { constant in sources.firstIndex { $0 === constant } } }
    #expect(numbers(whole.storedConstants.whole) == [1, 3, 4])
    #expect(numbers(whole.storedConstants.tables) == [2])
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
