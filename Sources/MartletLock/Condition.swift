import MartletSystem

/// A mutex on whose state threads can wait.
@safe
package final class Condition: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>

  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe changed = .allocate(capacity: 1)
    unsafe changed.initialize(to: pthread_cond_t())
    let isMade = unsafe pthread_mutex_init(mutex, nil) == 0 && pthread_cond_init(changed, nil) == 0
    precondition(isMade, "a condition variable cannot be created")
  }

  deinit {
    unsafe pthread_cond_destroy(changed)
    unsafe changed.deallocate()
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Calls `body` with the mutex held. Not reentrant.
  package func withLock<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Releases the mutex until the condition is signalled. Spurious returns are possible. The mutex must be held.
  package func wait() { unsafe _ = pthread_cond_wait(changed, mutex) }

  /// Wakes one waiting thread.
  package func signal() { unsafe _ = pthread_cond_signal(changed) }
}
