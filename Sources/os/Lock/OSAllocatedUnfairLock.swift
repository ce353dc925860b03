#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif
private import Synchronization

/// A lock with the state that it protects. Copies share both.
///
/// Locking twice from one thread, and unlocking from a thread that does not hold the lock, stop the program.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
  /// Who is expected to hold the lock.
  public enum Ownership: Hashable, Sendable {
    case owner
    case notOwner
  }

  private let storage: Storage

  /// - Parameter uncheckedState: The state, which need not be sendable. The caller makes sure that it is used under the lock only.
  public init(uncheckedState: State) { storage = Storage(uncheckedState) }

  /// Runs a closure under the lock, which may capture and return what is not sendable.
  public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
    storage.lock()
    defer { storage.unlock() }
    return try body(&storage.state)
  }

  /// Runs a closure under the lock.
  public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R { try withLockUnchecked(body) }

  /// Runs a closure under the lock, unless a thread holds it.
  /// - Returns: What the closure returned; nil if the lock was held.
  public func withLockIfAvailableUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R? {
    guard storage.lockIfAvailable() else { return nil }
    defer { storage.unlock() }
    return try body(&storage.state)
  }

  /// Runs a closure under the lock, unless a thread holds it.
  /// - Returns: What the closure returned; nil if the lock was held.
  public func withLockIfAvailable<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R? {
    try withLockIfAvailableUnchecked(body)
  }

  /// Stops the program unless the calling thread holds the lock, or does not hold it.
  public func precondition(_ condition: Ownership) {
    Swift.precondition(storage.isOwned == (condition == .owner), "the lock is \(storage.isOwned ? "" : "not ")held by this thread")
  }
}

extension OSAllocatedUnfairLock where State: Sendable {
  public init(initialState: State) { storage = Storage(initialState) }
}

extension OSAllocatedUnfairLock where State == Void {
  public init() { storage = Storage(()) }

  public func lock() { storage.lock() }

  public func unlock() { storage.unlock() }

  /// - Returns: True if the calling thread holds the lock now.
  public func lockIfAvailable() -> Bool { storage.lockIfAvailable() }

  public func withLockUnchecked<R>(_ body: () throws -> R) rethrows -> R { try withLockUnchecked { _ in try body() } }

  public func withLock<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R { try withLockUnchecked(body) }

  public func withLockIfAvailableUnchecked<R>(_ body: () throws -> R) rethrows -> R? {
    try withLockIfAvailableUnchecked { _ in try body() }
  }

  public func withLockIfAvailable<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R? {
    try withLockIfAvailableUnchecked(body)
  }
}

extension OSAllocatedUnfairLock {
  @safe private final class Storage {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// The thread that holds the lock; 0 if none does.
    private let owner = Atomic<UInt>(0)
    var state: State

    init(_ state: State) {
      self.state = state
      unsafe mutex = .allocate(capacity: 1)
      unsafe mutex.initialize(to: pthread_mutex_t())
      var attributes = pthread_mutexattr_t()
      unsafe pthread_mutexattr_init(&attributes)
      unsafe pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
      unsafe pthread_mutex_init(mutex, &attributes)
      unsafe pthread_mutexattr_destroy(&attributes)
    }

    deinit {
      unsafe pthread_mutex_destroy(mutex)
      unsafe mutex.deallocate()
    }

    func lock() {
      let code = unsafe pthread_mutex_lock(mutex)
      Swift.precondition(code == 0, "the lock is held by this thread")
      owner.store(Self.thread, ordering: .relaxed)
    }

    func unlock() {
      if isOwned { owner.store(0, ordering: .relaxed) }
      let code = unsafe pthread_mutex_unlock(mutex)
      Swift.precondition(code == 0, "the lock is not held by this thread")
    }

    func lockIfAvailable() -> Bool {
      guard unsafe pthread_mutex_trylock(mutex) == 0 else { return false }
      owner.store(Self.thread, ordering: .relaxed)
      return true
    }

    /// True if the calling thread holds the lock.
    var isOwned: Bool { owner.load(ordering: .relaxed) == Self.thread }

    private static var thread: UInt { UInt(pthread_self()) }
  }
}
