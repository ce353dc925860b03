/// The kernels that compute each operation of a method, with the planner's cost estimates.
///
/// Estimates are meant for comparing operations with each other; they do not predict absolute times.
public struct ModelPlan: Sendable, Hashable {
  /// An operation of the model file.
  public struct Operation: Sendable, Hashable {
    /// The operator's name in the file, e.g. `conv` or `aten::convolution.out`.
    public let op: String
    /// Distinguishes operations of the same operator: the name of the result, or the position in the file.
    public let name: String
    /// The device that computes the operation.
    public let device: String
    /// The kernels that compute the operation. A kernel that computes several operations is listed with each of them. Empty for an
    /// operation that is folded at planning time or that only reinterprets memory.
    public let kernels: [String]
    /// Estimated time in seconds per run.
    public let estimatedSeconds: Double
    /// Fraction of the estimated time of all operations, from 0 to 1.
    public let share: Double
    /// Measured time in seconds per run; nil if nothing was measured.
    public let measuredSeconds: Double?
    /// Position among all operations of the method, in file order.
    package let number: Int
  }

  public let method: String
  /// Input types that the plan was made for, written like `float32[1, 8]`.
  public let inputs: [String]
  /// Number of threads that share the work of a kernel.
  public let threads: Int
  /// In file order.
  public let operations: [Operation]
  /// Number of kernels in a run.
  public let kernelCount: Int
  /// True if part of the method could not be planned because its kernels depend on data and the trial run failed.
  public let isPartial: Bool

  /// Estimated time in seconds per run.
  public var estimatedSeconds: Double { operations.reduce(0) { $0 + $1.estimatedSeconds } }
}

extension ModelPlan {
  /// The plan of a method that runs several graphs in sequence.
  init(method: String, stages: [ModelPlan], threads: Int) {
    let total = stages.reduce(0) { $0 + $1.estimatedSeconds }
    let count = stages.reduce(0) { $0 + $1.operations.count }
    operations = stages.flatMap { stage in
      stage.operations.map { operation in
        Operation(
          op: operation.op, name: "\(stage.method): \(operation.name)", device: operation.device, kernels: operation.kernels,
          estimatedSeconds: operation.estimatedSeconds,
          share: total > 0 ? operation.estimatedSeconds / total : 1 / Double(count), measuredSeconds: operation.measuredSeconds,
          number: operation.number)
      }
    }
    self.method = method
    inputs = stages.first?.inputs ?? []
    self.threads = threads
    kernelCount = stages.reduce(0) { $0 + $1.kernelCount }
    isPartial = stages.contains(where: \.isPartial)
  }
}
