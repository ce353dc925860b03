import MartletLock
package import MartletOps
import MartletTensor

/// Times of every kernel of a call. Pass one to `CompiledMethod.run` to fill it.
package final class Profile: Sendable {
  package struct Entry: Sendable {
    /// The kernel that ran.
    package let step: PlannedStep
    /// Start time relative to an arbitrary origin, and duration, in nanoseconds.
    package let start: UInt64
    package let duration: UInt64
  }

  private let storage = Guarded<(entries: [Entry], work: Int)>(([], 0))
  private let capacity: Int
  private let workLimit: Int

  /// - Parameters:
  ///   - byteCount: upper bound of the memory of the entries.
  ///   - workLimit: upper bound of the work of the kernels, in the units of `Allowance`.
  package init(byteCount: Int = .max, workLimit: Int = .max) {
    // A growing array is twice as large, and the old one is freed afterwards.
    capacity = byteCount / 3 / MemoryLayout<Entry>.stride
    self.workLimit = workLimit
  }

  package var entries: [Entry] { storage.withLock { $0.entries } }

  /// - Throws: `AllocationError` or `WorkError` if the call has more kernels than fit.
  func record(_ entry: Entry) throws {
    try storage.withLock { storage in
      guard storage.entries.count < capacity else {
        throw AllocationError(
          byteCount: ((Extent(capacity) + 1) * MemoryLayout<Entry>.stride).clamped,
          limit: (Extent(capacity) * MemoryLayout<Entry>.stride).clamped)
      }
      let work = Extent(storage.work) + entry.step.units
      guard work.fits(workLimit) else { throw WorkError(limit: workLimit) }
      storage.work = work.clamped
      storage.entries.append(entry)
    }
  }

  static func now() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    // In range: nanoseconds since the start of the machine.
    return UInt64(clamping: time.tv_sec) * 1_000_000_000 + UInt64(clamping: time.tv_nsec)
  }
}

import MartletSystem
