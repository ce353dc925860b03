package import MartletBytes
package import MartletTensor

/// How a model is loaded and run.
public struct ModelOptions: Sendable {
  /// How a file's bytes come into memory.
  public enum FileAccess: Sendable {
    /// Mapped; pages are read when they are touched.
    case map
    /// Read as a whole into memory of the process, so that the file may change or vanish afterwards.
    case read
    /// Mapped and kept in physical memory (`mlock`); loading fails where the system does not allow that.
    case lock
    /// Mapped, and kept in physical memory where the system allows it.
    case lockIfPossible
  }

  /// How exact products are: those of matrices, convolutions and attention.
  public var precision = Precision.exact
  /// Threads that one call may use, the caller included. Nil means one for each processor.
  public var threads: Int?
  /// Whether mutable buffers that have the same name in several methods are one state, as a program exported with
  /// shared mutable buffers expects (ExecuTorch's `share_memory_arenas`).
  public var sharesStateBetweenMethods = false
  /// Files that hold a program's external weights (`.ptd`), by path.
  public var dataFiles: [String] = []
  /// Operators of your own that the model may call besides the engine's.
  public var customOperators: [CustomOperator] = []
  /// How the file's bytes come into memory.
  public var fileAccess = FileAccess.map
  /// Whether tensors go in and out with their axes in memory as the file declares (its `dim_order`), not row-major.
  package var keepsAxisOrder = false
  /// Whether methods have states of their own; otherwise every call brings some.
  package var keepsStates = true
  /// Whether graphs are optimised; off only to look for faults.
  public var isOptimized = true
  /// Sets of input shapes whose plans are kept.
  public var planCapacity = 16

  /// Bytes that the model's states, its converted and packed weights, and the temporary memory and outputs of one call
  /// may take together; weights that are used where they lie in the file do not count. Nil means the machine's memory.
  /// What needs more is refused with `MartletError.unsupported` before memory is allocated.
  public var memoryLimit: Int?
  /// What a call may take apart from memory.
  package var callLimits = ResourceLimits.standard

  /// All limits of a call.
  package var limits: ResourceLimits {
    var limits = callLimits
    if let memoryLimit { limits.memoryByteCount = max(memoryLimit, 0) }
    return limits
  }

  public init() {}
}

extension ModelOptions.FileAccess {
  package var mode: MappedFile.Mode {
    switch self {
    case .map: .map
    case .read: .read
    case .lock: .lock
    case .lockIfPossible: .lockIfPossible
    }
  }
}
