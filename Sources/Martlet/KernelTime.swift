import MartletOps
package import MartletRuntime

/// The execution time of one kernel in a run.
public struct KernelTime: Sendable {
  /// Kernel and output shape, e.g. `conv2d [1, 32, 112, 112]`.
  public let label: String
  /// The graph's operator and the source operator that it comes from.
  public let source: String
  /// Start time in seconds, relative to an arbitrary origin.
  public let start: Double
  /// Duration in seconds.
  public let duration: Double
  /// Number of floating-point operations.
  public let flops: Double
  /// Bytes read and written, each location counted once.
  public let bytes: Double
  /// The part of `bytes` that are weights of the file.
  package let weightBytes: Double

  package init(_ entry: Profile.Entry) {
    label = entry.step.label
    source = "\(entry.step.source)"
    start = Double(entry.start) * 1e-9
    duration = Double(entry.duration) * 1e-9
    flops = entry.step.flops
    bytes = entry.step.bytes
    weightBytes = entry.step.weightBytes
  }
}
