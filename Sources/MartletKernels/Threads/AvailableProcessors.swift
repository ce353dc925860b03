import MartletTensor

/// The processors available to this process.
package enum AvailableProcessors {
  /// The number of processors in the affinity mask, limited by the CPU quotas of the control groups. At least 1; constant during the
  /// process.
  package static let count = count(affinity: Int(mk_processor_count()), quota: CPUQuota.ofProcess(reading: SystemFile.text))

  /// - Parameter quota: number of processors that the quota allows. A fraction is rounded up, since it would be lost otherwise.
  package static func count(affinity: Int, quota: Double?) -> Int {
    guard let quota, quota < Double(affinity) else { return max(affinity, 1) }
    return max(Int(quota.rounded(.up)), 1)
  }
}
