import Foundation

/// Tells whether the system, or the process's control group, is short of memory. Always false on systems other than Linux.
package struct MemoryPressure: Sendable {
  /// Memory counts as short when tasks waited for it during at least this percentage of the last ten seconds.
  private static let waitingShare = 10.0
  /// Memory counts as short when a control group uses at least this fraction of its limit.
  private static let fullness = 0.9

  private let processes: String
  private let groups: String

  /// - Parameters:
  /// - processes: mount point of `procfs`.
  ///   - groups: mount point of the control group file system (version 2).
  package init(processes: String = "/proc", groups: String = "/sys/fs/cgroup") {
    self.processes = processes
    self.groups = groups
  }

  package var isHigh: Bool {
    guard let group else { return isWaiting("\(processes)/pressure/memory") }
    // The control group's own figures take precedence.
    return isWaiting("\(group)/memory.pressure") ?? isWaiting("\(processes)/pressure/memory") || isNearlyFull(group)
  }

  private func isWaiting(_ path: String) -> Bool { isWaiting(path) ?? false }

  /// Reads a "pressure stall information" file, which has lines like `some avg10=0.00 avg60=0.00 avg300=0.00 total=0`. Nil if the file
  /// cannot be read.
  private func isWaiting(_ path: String) -> Bool? {
    guard let line = text(path)?.split(separator: "\n").first(where: { $0.hasPrefix("some ") }),
      let field = line.split(separator: " ").first(where: { $0.hasPrefix("avg10=") }), let share = Double(field.dropFirst(6))
    else { return nil }
    return share >= Self.waitingShare
  }

  /// Folder of the process's control group.
  private var group: String? {
    guard let line = text("\(processes)/self/cgroup")?.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else { return nil }
    let name = line.dropFirst(4)
    return name.isEmpty ? groups : "\(groups)/\(name)"
  }

  private func isNearlyFull(_ group: String) -> Bool {
    guard let used = number("\(group)/memory.current") else { return false }
    let limits = ["memory.max", "memory.high"].compactMap { number("\(group)/\($0)") }
    guard let limit = limits.min(), limit > 0 else { return false }
    // Inactive pages of mapped files can be reclaimed without harm.
    let idle =
      text("\(group)/memory.stat")?.split(separator: "\n").first { $0.hasPrefix("inactive_file ") }
      .flatMap { Double($0.dropFirst("inactive_file ".count)) } ?? 0
    return max(used - idle, 0) >= limit * Self.fullness
  }

  /// The number in a file; nil if there is none, which means no limit.
  private func number(_ path: String) -> Double? {
    text(path).flatMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) }.flatMap { $0.isFinite ? $0 : nil }
  }

  private func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}
