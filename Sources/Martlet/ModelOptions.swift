/// How a model is loaded and run.
public struct ModelOptions: Sendable {
  /// Threads that one call may use, the caller included. Nil means one for each processor.
  public var threads: Int?
  /// Whether mutable buffers that have the same name in several methods are one state, as a program exported with
  /// shared mutable buffers expects (ExecuTorch's `share_memory_arenas`).
  public var sharesStateBetweenMethods = false
  /// Files that hold a program's external weights (`.ptd`), by path.
  public var dataFiles: [String] = []
  /// Operators of your own that the model may call besides the engine's.
  public var customOperators: [CustomOperator] = []
  /// Whether graphs are optimised; off only to look for faults.
  public var isOptimized = true
  /// Sets of input shapes whose plans are kept.
  public var planCapacity = 16

  public init() {}
}
