import MartletLock
package import MartletOps

/// Times of every kernel of a call. Pass one to `CompiledMethod.run` to fill it.
package final class Profile: Sendable {
  package struct Entry: Sendable {
    /// The kernel that ran.
    package let step: PlannedStep
    /// Start time relative to an arbitrary origin, and duration, in nanoseconds.
    package let start: UInt64
    package let duration: UInt64
  }

  private let storage = Guarded<[Entry]>([])

  package init() {}

  package var entries: [Entry] { storage.withLock { $0 } }

  func record(_ entry: Entry) { storage.withLock { $0.append(entry) } }

  static func now() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
