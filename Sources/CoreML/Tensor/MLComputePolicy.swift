/// The processors that tensor operations may use. Martlet runs them all on the CPU, with the same results.
public struct MLComputePolicy: Sendable, Hashable {
  let units: MLComputeUnits

  public init(_ computeUnits: MLComputeUnits) { units = computeUnits }

  public static let cpuOnly = MLComputePolicy(.cpuOnly)
  public static let cpuAndGPU = MLComputePolicy(.cpuAndGPU)

  /// The policy of the current task.
  @TaskLocal static var current = MLComputePolicy(.all)
}

/// Calls `body` with `policy` in effect for the tensor operations in it.
public func withMLTensorComputePolicy<R>(_ policy: MLComputePolicy, _ body: () throws -> R) rethrows -> R {
  try MLComputePolicy.$current.withValue(policy, operation: body)
}

/// Calls `body` with `policy` in effect for the tensor operations in it.
public func withMLTensorComputePolicy<R>(_ policy: MLComputePolicy, _ body: () async throws -> R) async rethrows -> R {
  try await MLComputePolicy.$current.withValue(policy, operation: body)
}

extension MLComputePolicy: CustomStringConvertible {
  public var description: String { "MLComputePolicy(\(units))" }
}

extension MLComputePolicy: CustomReflectable {
  public var customMirror: Mirror { Mirror(self, children: ["computeUnits": units], displayStyle: .struct) }
}
