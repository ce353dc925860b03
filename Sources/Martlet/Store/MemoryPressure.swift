import MartletSystem

/// Tells whether the system, or the process's control group, is short of memory. Always false on systems other than Linux.
package struct MemoryPressure: Sendable {
  /// Memory counts as short when tasks waited for it during at least this percentage of the last ten seconds.
  private static let waitingShare = 10.0
  /// Memory counts as short when a control group uses at least this fraction of its limit.
  private static let fullness = 0.9

  private let processes: String
  private let memory: SystemMemory

  /// - Parameters:
  ///   - processes: mount point of `procfs`.
  ///   - groups: mount point of the control group file systems.
  package init(processes: String = "/proc", groups: String = "/sys/fs/cgroup") {
    self.processes = processes
    memory = SystemMemory(processes: processes, groups: groups)
  }

  package var isHigh: Bool {
    guard let path = memory.path else { return isWaiting("\(processes)/pressure/memory") }
    // The control group's own figures take precedence.
    return isWaiting("\(path)/memory.pressure") ?? isWaiting("\(processes)/pressure/memory") || isNearlyFull(path)
  }

  private func isNearlyFull(_ path: String) -> Bool {
    guard let group = memory.group(path), let limit = group.limit else { return false }
    return Double(group.used) >= Double(limit) * Self.fullness
  }

  private func isWaiting(_ path: String) -> Bool { isWaiting(path) ?? false }

  /// Reads a "pressure stall information" file, which has lines like `some avg10=0.00 avg60=0.00 avg300=0.00 total=0`. Nil if the file
  /// cannot be read.
  private func isWaiting(_ path: String) -> Bool? {
    guard let line = SystemFile.text(path)?.split(separator: "\n").first(where: { $0.hasPrefix("some ") }),
      let field = line.split(separator: " ").first(where: { $0.hasPrefix("avg10=") }), let share = Double(field.dropFirst(6))
    else { return nil }
    return share >= Self.waitingShare
  }
}
