import Foundation

/// What this process uses.
package enum ProcessUsage {
  /// Processor time in nanoseconds.
  package static var processorNanoseconds: UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Resident memory in bytes.
  package static var residentByteCount: UInt64 {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return (UInt64(text.split(separator: " ")[1]) ?? 0) * UInt64(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// The largest resident memory so far in bytes.
  package static var largestResidentByteCount: UInt64 {
    var usage = rusage()
    unsafe getrusage(__rusage_who_t(0), &usage)
    return UInt64(usage.ru_maxrss) << 10
  }
}
