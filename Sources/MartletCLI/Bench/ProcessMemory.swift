import Foundation

#if canImport(CMartletAllocationCount)
  import CMartletAllocationCount
#endif

/// What the operating system and the allocator say of this process.
enum ProcessMemory {
  /// Bytes of resident memory now; nil where the system does not tell.
  static var residentByteCount: Int? { status("VmRSS") }

  /// The most resident bytes since the last `forgetPeak`.
  static var peakResidentByteCount: Int? { status("VmHWM") }

  /// Makes the present size the peak.
  /// - Returns: whether the system could.
  static func forgetPeak() -> Bool {
    guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return false }
    defer { try? file.close() }
    return (try? file.write(contentsOf: Data("5".utf8))) != nil
  }

  /// Calls of the C allocator since the process started; nil in builds that do not count them.
  static var allocationCount: Int? {
    #if canImport(CMartletAllocationCount)
      let count = martlet_allocation_count()
      return count < 0 ? nil : Int(count)
    #else
      return nil
    #endif
  }

  /// Calls of the C allocator in one of several calls of `body`; nil in builds that do not count them.
  static func allocationsPerCall(_ body: () throws -> Void) rethrows -> Double? {
    guard let before = allocationCount else { return nil }
    let calls = 5
    for _ in 0..<calls { try body() }
    return allocationCount.map { Double($0 - before) / Double(calls) }
  }

  private static func status(_ field: String) -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix("\(field):") {
      return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }
    return nil
  }
}
