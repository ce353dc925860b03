import MartletKernels
import Testing

/// Quotas of processor time, read from the kernel's files as they look on different systems.
@Suite("Quotas of processor time")
struct CPUQuotaTests {
  private static let unifiedMount =
    "35 24 0:30 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n"

  private func quota(_ files: [String: String]) -> Double? { CPUQuota.ofProcess { files[$0] } }

  @Test("A version 2 group's quota is divided by its period")
  func unified() {
    #expect(CPUQuota.unified("150000 100000\n") == 1.5)
    #expect(CPUQuota.unified("400000 100000") == 4)
    #expect(CPUQuota.unified("max 100000\n") == nil)
  }

  @Test("A version 1 group's quota is divided by its period, and -1 is none")
  func legacy() {
    #expect(CPUQuota.legacy(quota: "50000\n", period: "100000\n") == 0.5)
    #expect(CPUQuota.legacy(quota: "-1\n", period: "100000\n") == nil)
  }

  @Test(
    "Text that is not a quota is none",
    arguments: ["", "\n", "100000", "x 100000", "100000 0", "0 100000", "-5 100000", "1 2 3", "99999999999999999999 100000"])
  func malformed(text: String) {
    #expect(CPUQuota.unified(text) == nil)
    #expect(CPUQuota.legacy(quota: text, period: "") == nil)
  }

  @Test("The least quota of the group and those above it counts")
  func hierarchy() {
    var files = [
      "/proc/self/cgroup": "0::/system.slice/app.service/worker\n", "/proc/self/mountinfo": Self.unifiedMount,
      "/sys/fs/cgroup/system.slice/cpu.max": "300000 100000\n",
      "/sys/fs/cgroup/system.slice/app.service/cpu.max": "250000 100000\n",
      "/sys/fs/cgroup/system.slice/app.service/worker/cpu.max": "max 100000\n",
    ]
    #expect(quota(files) == 2.5)
    files["/sys/fs/cgroup/system.slice/cpu.max"] = "100000 100000"
    #expect(quota(files) == 1)
    // A neighbour's.
    files["/sys/fs/cgroup/user.slice/cpu.max"] = "10000 100000"
    #expect(quota(files) == 1)
  }

  @Test("In a container the own group is the topmost that is mounted")
  func container() {
    #expect(
      quota([
        "/proc/self/cgroup": "0::/\n", "/proc/self/mountinfo": Self.unifiedMount, "/sys/fs/cgroup/cpu.max": "200000 100000\n",
      ]) == 2)
    // A group's folder mounted as the top, and the group's path as the host sees it.
    let mount = "700 690 0:26 /docker/4f1c /sys/fs/cgroup/cpu,cpuacct ro,nosuid - cgroup cgroup rw,cpu,cpuacct\n"
    var files = [
      "/proc/self/cgroup": "5:memory:/docker/4f1c\n4:cpu,cpuacct:/docker/4f1c\n", "/proc/self/mountinfo": mount,
      "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "350000\n", "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
    ]
    #expect(quota(files) == 3.5)
    // A group outside of the mount.
    files["/proc/self/cgroup"] = "4:cpu,cpuacct:/../other\n"
    #expect(quota(files) == 3.5)
  }

  @Test("Version 1 groups have quotas at every level, and hierarchies without the processor controller have none")
  func legacyHierarchy() {
    let mounts = """
      30 23 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
      31 23 0:27 / /sys/fs/cgroup/cpu\\040set rw shared:12 master:1 - cgroup cgroup rw,cpu,cpuacct
      32 23 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw

      """
    let files = [
      "/proc/self/cgroup": "9:memory:/jobs/one\n3:cpu,cpuacct:/jobs/one\n0::/jobs/one\n", "/proc/self/mountinfo": mounts,
      "/sys/fs/cgroup/memory/jobs/one/cpu.cfs_quota_us": "1000", "/sys/fs/cgroup/memory/jobs/one/cpu.cfs_period_us": "100000",
      "/sys/fs/cgroup/cpu set/jobs/cpu.cfs_quota_us": "600000", "/sys/fs/cgroup/cpu set/jobs/cpu.cfs_period_us": "100000",
      "/sys/fs/cgroup/cpu set/jobs/one/cpu.cfs_quota_us": "-1", "/sys/fs/cgroup/cpu set/jobs/one/cpu.cfs_period_us": "100000",
    ]
    #expect(quota(files) == 6)
  }

  @Test("Without the kernel's files there is no quota", arguments: ["", "garbage\n", "1 2 3 - cgroup2\n", "- cgroup2 a b\n"])
  func missing(mounts: String) {
    #expect(quota([:]) == nil)
    #expect(quota(["/proc/self/cgroup": "0::/\n", "/proc/self/mountinfo": mounts, "/cpu.max": "1 1"]) == nil)
  }

  @Test("Processors are those of the affinity mask, and no more than a quota pays for")
  func processors() {
    #expect(AvailableProcessors.count(affinity: 8, quota: nil) == 8)
    #expect(AvailableProcessors.count(affinity: 8, quota: 2) == 2)
    #expect(AvailableProcessors.count(affinity: 8, quota: 2.1) == 3)
    #expect(AvailableProcessors.count(affinity: 8, quota: 0.25) == 1)
    #expect(AvailableProcessors.count(affinity: 2, quota: 16) == 2)
    #expect(AvailableProcessors.count >= 1)
  }
}
