import MartletLock
import MartletRuntime

/// The engine's background threads, for work that callers await: running, loading and compiling models. Such work may take long and wait
/// for locks, so it must not run on Swift's cooperative threads, whose number is that of the processors.
/// Threads are started if none is idle, up to a limit; further work is queued. Idle threads sleep. The child of a fork(2) has no background
/// threads and must use synchronous calls.
package final class BackgroundThreads: @unchecked Sendable {
  /// Calls divide the processors among them, so more than two for each processor gain nothing. Calls that wait for each other's states
  /// hold a thread; some more keep the others going.
  // In range: a number of processors.
  package static let shared = BackgroundThreads(limit: max(4, 2 * WorkerThreads.defaultLimit))

  private let limit: Int
  private let condition = Condition()
  // Guarded by `condition`. Work from `head` on has not begun.
  private var work: [(@Sendable () -> Void)?] = []
  private var head = 0
  private var threadCount = 0
  private var idleCount = 0

  package init(limit: Int) { self.limit = max(limit, 1) }

  /// Threads that have been started.
  package var count: Int { condition.withLock { threadCount } }

  /// Runs `body` on one of the threads.
  package func submit(_ body: @escaping @Sendable () -> Void) {
    let isNeeded = condition.withLock {
      work.append(body)
      // Threads that were woken and have not taken their work yet count as idle.
      let isNeeded = idleCount < work.count - head && threadCount < limit
      if isNeeded { threadCount += 1 }
      condition.signal()
      return isNeeded
    }
    guard isNeeded, !DetachedThread.start(name: "martlet call", { [self] in serve() }) else { return }
    // The system grants no further thread: another one serves the call, or this one.
    let isAlone = condition.withLock {
      threadCount -= 1
      return threadCount == 0
    }
    if isAlone { serveQueue() }
  }

  /// Runs `body` on one of the threads and returns its result.
  package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      submit { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  /// Runs `body` on one of the threads and returns its result. Cancelling the task cancels the argument of `body`.
  package func cancellable<Result: Sendable>(_ body: @escaping @Sendable (CallCancellation) throws -> Result) async throws -> Result {
    let cancellation = CallCancellation()
    return try await withTaskCancellationHandler {
      try await run {
        // The task may have been cancelled while it waited for a thread.
        if cancellation.isCancelled { throw CancellationError() }
        return try Cancellation.$current.withValue(cancellation.cancellation) { try body(cancellation) }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }

  private func serve() {
    while true { next()() }
  }

  /// Runs what is queued on the calling thread.
  private func serveQueue() {
    while let body = condition.withLock({ head < work.count ? takeFirst() : nil }) { body() }
  }

  private func next() -> @Sendable () -> Void {
    condition.withLock {
      idleCount += 1
      while head == work.count { condition.wait() }
      idleCount -= 1
      return takeFirst()
    }
  }

  /// Removes the first work, of which there must be some. The condition's mutex must be held.
  private func takeFirst() -> @Sendable () -> Void {
    let body = work[head]!
    work[head] = nil
    head += 1
    if head == work.count {
      work.removeAll(keepingCapacity: true)
      head = 0
    }
    return body
  }
}
