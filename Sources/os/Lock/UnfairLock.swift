#if canImport(Glibc)
  public import Glibc
#elseif canImport(Musl)
  public import Musl
#endif

// Packages that ask `canImport(os)` use these functions without depending on this package, so nothing here may need its object files:
// everything is emitted into the code that calls it.

/// A lock that its owner's memory holds. It is a mutex of the C library; `os_unfair_lock()` is an unlocked one.
public typealias os_unfair_lock = pthread_mutex_t
public typealias os_unfair_lock_s = pthread_mutex_t
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock>

/// Locks. A thread that holds the lock already waits for itself.
@_alwaysEmitIntoClient
public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) { unsafe pthread_mutex_lock(lock) }

/// Unlocks. The calling thread must hold the lock.
@_alwaysEmitIntoClient
public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) { unsafe pthread_mutex_unlock(lock) }

/// Locks, unless a thread holds the lock.
/// - Returns: True if the calling thread holds the lock now.
@_alwaysEmitIntoClient
public func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool { unsafe pthread_mutex_trylock(lock) == 0 }
