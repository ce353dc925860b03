import MartletSystem

/// A mutual exclusion lock.
///
/// Based on the system's mutex instead of `Synchronization.Mutex`: on Linux, Thread Sanitizer does not know that the latter orders
/// accesses, and reports races in programs that have none.
@safe
package final class Lock: @unchecked Sendable {
  /// For conditions.
  let mutex: UnsafeMutablePointer<pthread_mutex_t>

  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let status = unsafe pthread_mutex_init(mutex, nil)
    precondition(status == 0, "a mutex cannot be created")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Calls `body` with the lock held. Not reentrant.
  /// - Parameter mayWait: called each millisecond while another thread holds the lock. If it throws, `body` is not called. With nil, the
  ///   thread sleeps until the lock is free.
  package func withLock<Result: ~Copyable>(whileWaiting mayWait: (() throws -> Void)?, _ body: () throws -> Result) throws -> Result {
    guard let mayWait else { return try withLock(body) }
    while unsafe pthread_mutex_trylock(mutex) != 0 {
      try mayWait()
      usleep(1000)
    }
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Calls `body` with the lock held. Not reentrant.
  package func withLock<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body()
  }
}
