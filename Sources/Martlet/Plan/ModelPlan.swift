/// What a method's operations are computed with and what they cost, as the planner estimates it.
///
/// An estimate says how the operations of a method compare; it promises no time.
public struct ModelPlan: Sendable, Hashable {
  /// An operation of the model file.
  public struct Operation: Sendable, Hashable {
    /// The operator's name in the file, e.g. `conv` or `aten::convolution.out`.
    public let op: String
    /// What tells the operation from others of the same operator: the name of its result, or its position in the file.
    public let name: String
    /// Where the operation is computed.
    public let device: String
    /// The kernels that compute it. A kernel that computes several operations is listed with each; nothing is listed for an operation
    /// that is done when planning, or that only looks at memory in another way.
    public let kernels: [String]
    /// Seconds of a run, as estimated.
    public let estimatedSeconds: Double
    /// Part of the estimated time of all operations, from 0 to 1.
    public let share: Double
    /// Seconds of a run, as measured; nil if nothing was.
    public let measuredSeconds: Double?
    /// Position in the file's order among all operations of the method.
    package let number: Int
  }

  public let method: String
  /// Types of the inputs that the plan is for, in the notation of `float32[1, 8]`.
  public let inputs: [String]
  /// Threads that share the work of a kernel.
  public let threads: Int
  /// In the order of the file.
  public let operations: [Operation]
  /// Kernels of a run.
  public let kernelCount: Int
  /// Whether the rest of the method could not be planned, because it depends on data with which it fails.
  public let isPartial: Bool

  /// Seconds of a run, as estimated.
  public var estimatedSeconds: Double { operations.reduce(0) { $0 + $1.estimatedSeconds } }
}
