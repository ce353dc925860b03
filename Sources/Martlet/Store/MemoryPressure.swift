import Foundation

/// Whether the system, or the control group that the process runs in, is short of memory. Nothing is known elsewhere than on Linux.
package struct MemoryPressure: Sendable {
  /// Part of the last ten seconds in which some task waited for memory, in per cent, from which on memory is short.
  private static let waitingShare = 10.0
  /// Part of a control group's limit that is in use from which on memory is short.
  private static let fullness = 0.9

  private let processes: String
  private let groups: String

  /// - Parameters:
  ///   - processes: where the system tells of processes.
  ///   - groups: where control groups (version 2) are.
  package init(processes: String = "/proc", groups: String = "/sys/fs/cgroup") {
    self.processes = processes
    self.groups = groups
  }

  package var isHigh: Bool {
    guard let group else { return isWaiting("\(processes)/pressure/memory") }
    // A group's own figures count where there are some.
    return isWaiting("\(group)/memory.pressure") ?? isWaiting("\(processes)/pressure/memory") || isNearlyFull(group)
  }

  private func isWaiting(_ path: String) -> Bool { isWaiting(path) ?? false }

  /// Whether tasks have been waiting for memory, as a file of "pressure stall information" tells: a line like
  /// `some avg10=0.00 avg60=0.00 avg300=0.00 total=0`.
  private func isWaiting(_ path: String) -> Bool? {
    guard let line = text(path)?.split(separator: "\n").first(where: { $0.hasPrefix("some ") }),
      let field = line.split(separator: " ").first(where: { $0.hasPrefix("avg10=") }), let share = Double(field.dropFirst(6))
    else { return nil }
    return share >= Self.waitingShare
  }

  /// The folder of the process's control group.
  private var group: String? {
    guard let line = text("\(processes)/self/cgroup")?.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else { return nil }
    let name = line.dropFirst(4)
    return name.isEmpty ? groups : "\(groups)/\(name)"
  }

  private func isNearlyFull(_ group: String) -> Bool {
    guard let used = number("\(group)/memory.current") else { return false }
    let limits = ["memory.max", "memory.high"].compactMap { number("\(group)/\($0)") }
    guard let limit = limits.min(), limit > 0 else { return false }
    // Pages of files that nobody has used lately are given up without harm.
    let idle =
      text("\(group)/memory.stat")?.split(separator: "\n").first { $0.hasPrefix("inactive_file ") }
      .flatMap { Double($0.dropFirst("inactive_file ".count)) } ?? 0
    return max(used - idle, 0) >= limit * Self.fullness
  }

  /// The number in a file; nil if there is none, as for no limit.
  private func number(_ path: String) -> Double? {
    text(path).flatMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) }.flatMap { $0.isFinite ? $0 : nil }
  }

  private func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}
