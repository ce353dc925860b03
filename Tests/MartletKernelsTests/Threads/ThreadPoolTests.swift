import Foundation
import MartletKernels
import Synchronization
import Testing

/// The process's one pool of threads. Tests that wait for a worker ask for more threads than other tests may have in use.
@Suite("Thread pool", .serialized)
struct ThreadPoolTests {
  private static let manyThreads = 12

  /// Runs `count` threads and returns when all have ended.
  private static func concurrently(_ count: Int, _ body: @escaping @Sendable (_ caller: Int) -> Void) {
    let group = DispatchGroup()
    for caller in 0..<count {
      group.enter()
      Thread {
        body(caller)
        group.leave()
      }.start()
    }
    group.wait()
  }

  /// Waits until `condition` holds; false after ten seconds.
  fileprivate static func eventually(_ condition: () -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(10)
    while !condition() {
      if ContinuousClock.now > end { return false }
      usleep(100)
    }
    return true
  }

  @Test("Every chunk runs once", arguments: [1, 2, 3, 12], [0, 1, 2, 7, 1000, 70_000])
  func chunks(limit: Int, count: Int) {
    let counts = (0..<count).map { _ in Counter() }
    ThreadPool(limit: limit).run(count) { chunk, _ in counts[chunk].add() }
    #expect(counts.allSatisfy { $0.value == 1 })
  }

  @Test("Eight callers at a time all finish, with worker numbers that are unique in a region and below its limit")
  func callers() {
    let failures = Counter()
    Self.concurrently(8) { caller in
      let limit = caller % 4 + 1
      let team = ThreadTeam(limit: limit)
      let isBusy = (0..<limit).map { _ in Counter() }
      for region in 0..<300 {
        let sum = Counter()
        team.run(region % 13) { chunk, worker in
          guard worker < limit else {
            failures.add()
            return
          }
          if isBusy[worker].add() != 1 { failures.add() }
          if region % 50 == 0 { usleep(50) }
          sum.add(chunk)
          isBusy[worker].add(-1)
        }
        let count = region % 13
        if sum.value != count * (count - 1) / 2 { failures.add() }
        if region % 20 == 0 { team.end() }
      }
    }
    #expect(failures.value == 0)
  }

  @Test("A region has workers, but never more threads than its limit")
  func limit() {
    _ = ThreadPool(limit: Self.manyThreads)
    let running = Counter()
    let most = Counter()
    ThreadPool(limit: 3).run(300) { _, _ in
      most.raise(to: running.add())
      usleep(200)
      running.add(-1)
    }
    #expect(most.value > 1 && most.value <= 3)
  }

  @Test("Regions inside a region run on its thread, as worker 0")
  func nested() {
    let pool = ThreadPool(limit: 4)
    let failures = Counter()
    pool.run(8) { _, _ in
      let thread = ObjectIdentifier(Thread.current)
      pool.run(5) { _, worker in
        if worker != 0 || ObjectIdentifier(Thread.current) != thread { failures.add() }
      }
    }
    #expect(failures.value == 0)
  }

  @Test("A call does not wait for another's long region, and gets a worker of its own where one is free")
  func independence() {
    let pool = ThreadPool(limit: Self.manyThreads)
    let mayEnd = DispatchSemaphore(value: 0)
    let begun = Counter()
    let isDone = DispatchSemaphore(value: 0)
    Thread {
      // Both of its threads wait for what comes below.
      ThreadPool(limit: 2).run(2) { _, _ in
        begun.add()
        mayEnd.wait()
      }
      isDone.signal()
    }.start()
    #expect(Self.eventually { begun.value == 2 })
    let workers = Counter()
    // Chunk 0 ends when a worker has begun another.
    pool.run(2) { _, worker in
      if worker != 0 { workers.add() }
      if worker == 0 { _ = Self.eventually { workers.value > 0 } }
    }
    #expect(workers.value > 0)
    mayEnd.signal()
    mayEnd.signal()
    #expect(isDone.wait(timeout: .now() + 10) == .success)
  }

  @Test("A team without workers gets one of a team that has several")
  func division() {
    _ = ThreadPool(limit: Self.manyThreads)
    let isOver = Counter()
    let isDone = DispatchSemaphore(value: 0)
    let begun = Counter()
    Thread {
      // Takes all that there are.
      ThreadPool(limit: Self.manyThreads).run(60_000) { _, _ in
        begun.add()
        if isOver.value == 0 { usleep(500) }
      }
      isDone.signal()
    }.start()
    #expect(Self.eventually { begun.value > 100 })
    let workers = Counter()
    ThreadPool(limit: 2).run(2) { _, worker in
      if worker != 0 { workers.add() }
      if worker == 0 { _ = Self.eventually { workers.value > 0 } }
    }
    #expect(workers.value > 0)
    isOver.add()
    #expect(isDone.wait(timeout: .now() + 30) == .success)
  }

  // Processes of their own, where no other test uses the pool.

  @Test("The pool has the default number of threads, or the largest that was asked for, and no more")
  func size() async {
    await #expect(processExitsWith: .success) {
      _ = ThreadPool()
      #expect(ThreadPool.census.size == ThreadPool.defaultLimit)
      _ = ThreadPool(limit: 1)
      #expect(ThreadPool.census.size == ThreadPool.defaultLimit)
      let many = ThreadPool.defaultLimit + 3
      _ = ThreadPool(limit: many)
      #expect(ThreadPool.census.size == many)
      #expect(ThreadPool(limit: -3).limit == 1)
    }
  }

  @Test("Workers start when a region needs them, and sleep when none does")
  func parking() async {
    await #expect(processExitsWith: .success) {
      let pool = ThreadPool(limit: 4)
      #expect(ThreadPool.census.started == 0)
      ThreadPool(limit: 2).run(100) { _, _ in usleep(100) }
      #expect(ThreadPool.census.started == 1)
      for _ in 0..<20 { pool.run(40) { _, _ in usleep(100) } }
      let started = ThreadPool.census.started
      #expect(started >= 3 && started < ThreadPool.census.size)
      #expect(ThreadPool.census.teams == 0)
      #expect(ThreadPoolTests.eventually { ThreadPool.census.parked == started })
    }
  }

  @Test("The child of a fork has a pool of its own")
  func fork() async {
    // Thread Sanitizer does not let the child of a process with threads start threads.
    if unsafe dlsym(nil, "__tsan_init") != nil { return }
    await #expect(processExitsWith: .success) {
      let pool = ThreadPool(limit: 4)
      pool.run(8) { _, _ in usleep(1000) }
      let child = forkProcess()
      if child == 0 {
        let sum = Counter()
        let most = Counter()
        for _ in 0..<20 {
          pool.run(100) { chunk, worker in
            sum.add(chunk)
            most.raise(to: worker)
            usleep(50)
          }
        }
        _exit(sum.value == 20 * 4950 && most.value > 0 ? 0 : 1)
      }
      var status: Int32 = -1
      let end = ContinuousClock.now + .seconds(20)
      while unsafe waitpid(child, &status, WNOHANG) == 0 {
        if ContinuousClock.now > end { kill(child, SIGKILL) }
        usleep(1000)
      }
      #expect(status == 0)
    }
  }
}

/// fork(2), which Swift's import leaves out.
@_silgen_name("fork")
private func forkProcess() -> Int32

/// A number that threads change.
private final class Counter: Sendable {
  private let number = Atomic<Int>(0)
  var value: Int { number.load(ordering: .acquiring) }

  /// Returns the number after.
  @discardableResult
  func add(_ amount: Int = 1) -> Int { number.wrappingAdd(amount, ordering: .acquiringAndReleasing).newValue }

  func raise(to other: Int) { _ = number.max(other, ordering: .acquiringAndReleasing) }
}
