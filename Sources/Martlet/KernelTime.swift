import MartletOps
package import MartletRuntime

/// How long one kernel of a run took.
public struct KernelTime: Sendable {
  /// What the kernel is, e.g. `conv2d [1, 32, 112, 112]`.
  public let label: String
  /// The graph's operator and the source that it comes from.
  public let source: String
  /// Start, in seconds since an arbitrary moment.
  public let start: Double
  /// Duration in seconds.
  public let duration: Double
  /// Floating-point operations of the kernel.
  public let flops: Double
  /// Bytes that the kernel reads and writes at least once.
  public let bytes: Double

  package init(_ entry: Profile.Entry) {
    label = entry.step.label
    source = entry.step.source
    start = Double(entry.start) * 1e-9
    duration = Double(entry.duration) * 1e-9
    flops = entry.step.flops
    bytes = entry.step.bytes
  }
}
