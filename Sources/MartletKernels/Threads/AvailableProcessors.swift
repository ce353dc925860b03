internal import CMartletKernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The processors available to this process.
package enum AvailableProcessors {
  /// The number of processors in the affinity mask, limited by the CPU quotas of the control groups. At least 1; constant during the
  /// process.
  package static let count = count(affinity: Int(mk_processor_count()), quota: CPUQuota.ofProcess(reading: contents))

  /// - Parameter quota: number of processors that the quota allows. A fraction is rounded up, since it would be lost otherwise.
  package static func count(affinity: Int, quota: Double?) -> Int {
    guard let quota, quota < Double(affinity) else { return max(affinity, 1) }
    return max(Int(quota.rounded(.up)), 1)
  }

  /// The text of a file in `/proc` or `/sys`; nil if it cannot be read.
  private static func contents(of path: String) -> String? {
    guard let file = unsafe fopen(path, "r") else { return nil }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, file)
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
