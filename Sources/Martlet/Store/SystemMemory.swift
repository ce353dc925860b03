import Foundation
import MartletLock
import MartletTensor

/// Memory figures of the system and of the process's control groups, in bytes; nil if they are not reported.
///
/// Sources: proc(5) `meminfo`, `self/cgroup` and `self/statm`; the kernel's documentation of control groups, versions 1 and 2.
package struct SystemMemory: Sendable {
  private let processes: String
  private let groups: String

  /// - Parameters:
  ///   - processes: mount point of `procfs`.
  ///   - groups: mount point of the control group file systems.
  package init(processes: String = "/proc", groups: String = "/sys/fs/cgroup") {
    self.processes = processes
    self.groups = groups
  }

  private static let lastBudget = Guarded<(time: ContinuousClock.Instant, byteCount: Int)?>(nil)

  /// Default memory limit of a model: what is available, less a sixteenth for everything else in the process. Read again after 50 ms.
  package static var budget: Int {
    lastBudget.withLock { last in
      let now = ContinuousClock.now
      if let last, now - last.time < .milliseconds(50) { return last.byteCount }
      let available = SystemMemory().available ?? ResourceLimits.physicalMemory
      let budget = available - available / 16
      last = (now, budget)
      return budget
    }
  }

  /// A control group's memory, without inactive pages of mapped files, which the system can reclaim without harm.
  package struct Group: Sendable {
    package let used: Int
    /// The lowest of the group's limits; nil if it has none.
    package let limit: Int?
  }

  /// Bytes that the process can still allocate: the minimum of the machine's available memory and the remainders of its control groups'
  /// limits and of its address space limit.
  package var available: Int? {
    var amounts = ([own] + ancestors).compactMap { group in group.flatMap { group in group.limit.map { $0 - group.used } } }
    if let machine = machineAvailable { amounts.append(machine) }
    if let space = addressSpaceLeft { amounts.append(space) }
    return amounts.min().map { max($0, 0) }
  }

  /// Folder of the process's own control group.
  package var path: String? { paths.first }

  /// The process's own control group.
  package var own: Group? { paths.first.flatMap(group) }

  private var ancestors: [Group?] { paths.dropFirst().map(group) }

  /// Folders of the process's control group and those around it, innermost first.
  private var paths: [String] {
    guard let lines = text("\(processes)/self/cgroup")?.split(separator: "\n") else { return [] }
    for line in lines {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let isFirstVersion = fields[1].split(separator: ",").contains("memory")
      guard isFirstVersion || fields[0] == "0" && fields[1].isEmpty else { continue }
      let root = isFirstVersion ? "\(groups)/memory" : groups
      var parts = fields[2].split(separator: "/")
      var result: [String] = []
      while !parts.isEmpty {
        result.append(root + "/" + parts.joined(separator: "/"))
        parts.removeLast()
      }
      return result + [root]
    }
    return []
  }

  private func group(_ path: String) -> Group? {
    let statistics = text("\(path)/memory.stat")?.split(separator: "\n") ?? []
    func reclaimable(_ field: String) -> Int {
      statistics.first { $0.hasPrefix(field + " ") }.flatMap { Int($0.dropFirst(field.count + 1)) }.map { max($0, 0) } ?? 0
    }
    if let used = number("\(path)/memory.current") {
      let limit = ["memory.max", "memory.high"].compactMap { number("\(path)/\($0)") }.min()
      return Group(used: max(used - reclaimable("inactive_file"), 0), limit: limit)
    }
    guard let used = number("\(path)/memory.usage_in_bytes") else { return nil }
    // A group without a limit reports the largest multiple of a page.
    let limit = number("\(path)/memory.limit_in_bytes").flatMap { $0 < 1 << 60 ? $0 : nil }
    return Group(used: max(used - reclaimable("total_inactive_file"), 0), limit: limit)
  }

  private var machineAvailable: Int? {
    guard let line = text("\(processes)/meminfo")?.split(separator: "\n").first(where: { $0.hasPrefix("MemAvailable:") }),
      let kibibytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    let (bytes, overflow) = kibibytes.multipliedReportingOverflow(by: 1024)
    return overflow ? nil : bytes
  }

  private var addressSpaceLeft: Int? {
    // RLIMIT_AS
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(9), &limit) == 0, limit.rlim_cur < 1 << 60,
      let pages = text("\(processes)/self/statm")?.split(separator: " ").first.flatMap({ Int($0) })
    else { return nil }
    let (bytes, overflow) = pages.multipliedReportingOverflow(by: sysconf(Int32(_SC_PAGESIZE)))
    return overflow ? nil : Int(limit.rlim_cur) - bytes
  }

  /// The number in a file; nil if there is none, which means no limit.
  private func number(_ path: String) -> Int? {
    text(path).flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }.flatMap { $0 > 0 ? $0 : nil }
  }

  func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}
