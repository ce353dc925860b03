import MartletSystem
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
    var amounts = paths.compactMap { path in limit(ofGroupAt: path).flatMap { limit in used(byGroupAt: path).map { limit - $0 } } }
    if let machine = machineAvailable { amounts.append(machine) }
    if let space = addressSpaceLeft { amounts.append(space) }
    return amounts.min().map { max($0, 0) }
  }

  /// Folder of the process's own control group.
  package var path: String? { paths.first }

  /// The control group in a folder; nil if its memory is not reported.
  package func group(_ path: String) -> Group? { used(byGroupAt: path).map { Group(used: $0, limit: limit(ofGroupAt: path)) } }

  /// Folders of the process's control group and those around it, innermost first.
  private var paths: [String] {
    guard let groups = SystemFile.text("\(processes)/self/cgroup") else { return [] }
    let first = ControlGroup.path(in: groups, controller: "memory")
    guard let path = first ?? ControlGroup.path(in: groups, controller: nil) else { return [] }
    let root = first == nil ? self.groups : "\(self.groups)/memory"
    var folders = [root]
    for name in path.parts(separatedBy: "/") { folders.append("\(folders[folders.count - 1])/\(name)") }
    return folders.reversed()
  }

  private func used(byGroupAt path: String) -> Int? {
    guard let used = number("\(path)/memory.current") ?? number("\(path)/memory.usage_in_bytes") else { return nil }
    // In range: both are not negative.
    return max(used - inactiveFileByteCount(ofGroupAt: path), 0)
  }

  private func limit(ofGroupAt path: String) -> Int? {
    if let limit = ["memory.max", "memory.high"].compactMap({ number("\(path)/\($0)") }).min() { return limit }
    // A group of version 1 without a limit reports the largest multiple of a page.
    return number("\(path)/memory.limit_in_bytes").flatMap { $0 < 1 << 60 ? $0 : nil }
  }

  /// Version 1 calls the sum over a group and its descendants `total_inactive_file`.
  private func inactiveFileByteCount(ofGroupAt path: String) -> Int {
    let statistics = SystemFile.text("\(path)/memory.stat")?.lines ?? []
    for field in ["total_inactive_file ", "inactive_file "] {
      if let line = statistics.first(where: { $0.hasPrefix(field) }) {
        return Int(line.dropFirst(field.count), radix: 10).map { max($0, 0) } ?? 0
      }
    }
    return 0
  }

  private var machineAvailable: Int? {
    guard let line = SystemFile.text("\(processes)/meminfo")?.lines.first(where: { $0.hasPrefix("MemAvailable:") }),
      let kibibytes = line.parts(separatedBy: " ").dropFirst().first.flatMap({ Int($0, radix: 10) })
    else { return nil }
    return (Extent(kibibytes) * 1024).value
  }

  private var addressSpaceLeft: Int? {
    // RLIMIT_AS
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(9), &limit) == 0, limit.rlim_cur < 1 << 60,
      let pages = SystemFile.text("\(processes)/self/statm")?.parts(separatedBy: " ").first.flatMap({ Int($0, radix: 10) })
    else { return nil }
    return (Extent(limit.rlim_cur) - Extent(pages) * MemoryPages.byteCount).value
  }

  /// The number in a file; nil if there is none, which means no limit.
  private func number(_ path: String) -> Int? {
    SystemFile.text(path)?.lines.first.flatMap { Int($0, radix: 10) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
