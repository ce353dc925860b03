import MartletTensor

/// CPU quotas of Linux control groups (cgroups(7)).
package enum CPUQuota {
  /// The number of processors that the quotas allow: the minimum over the process's group and all its visible ancestors. Nil without a
  /// quota.
  /// - Parameter read: the text of a file, or nil.
  package static func ofProcess(reading read: (_ path: String) -> String?) -> Double? {
    guard let groups = read("/proc/self/cgroup"), let mounts = read("/proc/self/mountinfo") else { return nil }
    var least: Double?
    for mount in mounts.lines.compactMap({ Mount($0) }) {
      guard let group = ControlGroup.path(in: groups, controller: mount.isUnified ? nil : "cpu") else { continue }
      for folder in mount.folders(of: group) {
        let quota =
          mount.isUnified
          ? read(folder + "/cpu.max").flatMap { unified($0) }
          : read(folder + "/cpu.cfs_quota_us").flatMap { quota in
            read(folder + "/cpu.cfs_period_us").flatMap { legacy(quota: quota, period: $0) }
          }
        if let quota { least = min(least ?? quota, quota) }
      }
    }
    return least
  }

  /// Number of processors from a version 2 group's `cpu.max`: `QUOTA PERIOD` or `max PERIOD`.
  package static func unified(_ text: String) -> Double? {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count == 2 else { return nil }
    return processors(quota: words[0], period: words[1])
  }

  /// Number of processors from a version 1 group's `cpu.cfs_quota_us` and `cpu.cfs_period_us`. A quota of -1 means none.
  package static func legacy(quota: String, period: String) -> Double? {
    let words = (quota + " " + period).split(whereSeparator: \.isWhitespace)
    guard words.count == 2 else { return nil }
    return processors(quota: words[0], period: words[1])
  }

  private static func processors(quota: Substring, period: Substring) -> Double? {
    guard let quota = Int64(quota), let period = Int64(period), quota > 0, period > 0 else { return nil }
    return Double(quota) / Double(period)
  }

  /// A mounted cgroup hierarchy with CPU quotas: a line of `/proc/self/mountinfo` (proc_pid_mountinfo(5)).
  private struct Mount {
    /// Version 2.
    let isUnified: Bool
    /// The group at the root of the mount.
    let root: String
    let point: String

    init?(_ line: Substring) {
      let words = line.parts(separatedBy: " ")
      guard let separator = words.firstIndex(of: "-"), separator >= 6, words.count > separator + 3 else { return nil }
      switch words[separator + 1] {
      case "cgroup2": isUnified = true
      case "cgroup" where words[separator + 3].split(separator: ",").contains("cpu"): isUnified = false
      default: return nil
      }
      root = Self.unescaped(words[3])
      point = Self.unescaped(words[4])
    }

    /// Folders of the group and its ancestors inside the mount.
    func folders(of group: String) -> [String] {
      let top = root == "/" ? "" : root
      var folders = [point]
      // In some containers the group's path lies outside the mounted root; the mount point then shows the group itself.
      guard group.hasPrefix(top + "/"), !group.parts(separatedBy: "/").contains("..") else { return folders }
      for name in group.dropFirst(top.count).split(separator: "/") { folders.append(folders[folders.count - 1] + "/" + name) }
      return folders
    }

    /// Decodes octal escapes (a backslash and three digits), which stand for white space and backslashes.
    private static func unescaped(_ word: Substring) -> String {
      var bytes: [UInt8] = []
      var rest = Array(word.utf8)[...]
      while let byte = rest.popFirst() {
        let digits = rest.prefix(3)
        if byte == UInt8(ascii: "\\"), digits.count == 3, let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8) {
          bytes.append(code)
          rest = rest.dropFirst(3)
        } else {
          bytes.append(byte)
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
}
