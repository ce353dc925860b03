import MartletSystem

/// A mutex on whose state threads can wait.
@safe
package final class Condition: @unchecked Sendable {
  private let lock = Lock()
  private let changed: UnsafeMutablePointer<pthread_cond_t>

  package init() {
    unsafe changed = .allocate(capacity: 1)
    unsafe changed.initialize(to: pthread_cond_t())
    let status = unsafe pthread_cond_init(changed, nil)
    precondition(status == 0, "a condition variable cannot be created")
  }

  deinit {
    unsafe pthread_cond_destroy(changed)
    unsafe changed.deallocate()
  }

  /// Calls `body` with the mutex held. Not reentrant.
  package func withLock<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try lock.withLock(body)
  }

  /// Releases the mutex until the condition is signalled. Spurious returns are possible. The mutex must be held.
  package func wait() { unsafe _ = pthread_cond_wait(changed, lock.mutex) }

  /// Wakes one waiting thread.
  package func signal() { unsafe _ = pthread_cond_signal(changed) }
}
