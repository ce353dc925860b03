import FoundationEssentials
import MartletBytes
import MartletSystem
import MartletTensor

#if canImport(CMartletAllocationCount)
  import CMartletAllocationCount
#endif

/// Memory of this process as reported by the operating system and the allocator.
enum ProcessMemory {
  /// Current resident memory in bytes; nil if the system does not report it.
  static var residentByteCount: Int? { status("VmRSS") }

  /// Peak resident memory in bytes since the last `forgetPeak`.
  static var peakResidentByteCount: Int? { status("VmHWM") }

  /// Resets the peak to the current size.
  /// - Returns: whether the system supports this.
  static func forgetPeak() -> Bool {
    let file = unsafe open("/proc/self/clear_refs", O_WRONLY)
    guard file >= 0 else { return false }
    defer { close(file) }
    return OutputDescriptor.write("5", to: file) == 0
  }

  /// Calls of the C allocator since the process started; nil in builds that do not count them.
  static var allocationCount: Int? {
    #if canImport(CMartletAllocationCount)
      let count = martlet_allocation_count()
      return count < 0 ? nil : Int(widening: count)
    #else
      return nil
    #endif
  }

  /// Mean number of C allocator calls per call of `body`; nil in builds that do not count them.
  static func allocationsPerCall(_ body: () throws -> Void) rethrows -> Double? {
    guard let before = allocationCount else { return nil }
    let calls = 5
    for _ in 0..<calls { try body() }
    // In range: counts of one process.
    return allocationCount.map { Double($0 - before) / Double(calls) }
  }

  private static func status(_ field: String) -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix("\(field):") {
      return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0, radix: 10) }.map { (Extent($0) * 1024).clamped }
    }
    return nil
  }
}
