public import FoundationEssentials
import MartletSystem
package import MartletBytes
import MartletRuntime
package import MartletTensor

/// Options for loading and running a model.
public struct ModelOptions: Sendable {
  /// The way a file is loaded into memory.
  public enum FileAccess: Sendable {
    /// Memory-mapped: pages are read on first access. If the file is written to or truncated while the model is in use, runs fail with an
    /// error from then on. Small files, and files that other users may write to, are read into memory instead.
    case map
    /// Read into memory as a whole: the file may change or be deleted afterwards.
    case read
    /// As `map`, but locked in physical memory (`mlock`). Loading fails if the system does not allow this.
    case lock
    /// As `map`, but locked in physical memory if the system allows it.
    case lockIfPossible
  }

  /// Precision of matrix products, convolutions and attention.
  public var precision = Precision.exact
  /// Maximum number of threads for one call, including the caller; nil for `defaultThreads`. At most 256.
  ///
  /// All models share one thread pool. Its size is `defaultThreads`, or the largest number requested here. Concurrent calls divide its
  /// threads among them.
  public var threads: Int?
  /// Number of threads that a call may use by default: the processors available to the process according to its affinity mask and the
  /// CPU quotas of its control groups.
  public static var defaultThreads: Int { WorkerThreads.defaultLimit }
  /// Treats mutable buffers with the same name in several methods as one state. Programs exported with shared mutable buffers
  /// (ExecuTorch's `share_memory_arenas`) expect this.
  public var sharesStateBetweenMethods = false
  /// The files with a program's external weights (`.ptd`).
  public var dataFiles: [URL] = []
  /// Custom operators that the model may call in addition to the built-in ones.
  public var customOperators: [CustomOperator] = []
  /// Implements layers of neural networks that a file leaves to the program; set by faces.
  package var customLayers: CustomLayers?
  /// Makes the models that files leave to the program, by the name of the class that a file gives.
  public var customModels: [String: @Sendable (CustomModel.Request) throws -> CustomModel] = [:]
  /// Makes the custom models that ``customModels`` lacks; set by faces.
  package var customModelProvider: (@Sendable (CustomModel.Request) throws -> CustomModel)?
  /// Where the models lie that linked models stand for, in place of what the file says: by the name of the linked model in its pipeline, with the
  /// names of the pipelines around it before it and dots between them. A stage without a name goes by `model` and its position: `model0`. The
  /// key `""` stands for all linked models of the file that have no entry. Links in the model that a link stands for have names that begin with
  /// that of the link; if that model is itself a link, it goes by `model0`.
  public var linkedModels: [String: LinkedModelLocation] = [:]
  /// The model that a compiled one was made from, beside which linked models lie; nil for the model itself.
  var originalPath: String?
  /// True to compile a model: what lies outside of its files, custom layers, custom and linked models, is not looked for, and cannot run.
  var ignoresOutsideModels = false
  /// How the model's files are brought into memory.
  public var fileAccess = FileAccess.map
  /// The model's name in messages; nil for the file's name.
  public var displayName: String?
  /// Passes tensors in the axis order that the file declares (`dim_order`) instead of row-major.
  package var keepsAxisOrder = false
  /// True if the model owns the states of its methods; otherwise every call supplies them.
  package var keepsStates = true
  /// Optimises graphs. Turn this off only for debugging.
  public var isOptimized = true
  /// Number of plans kept per method, one for each set of input shapes.
  public var planCapacity = 16

  /// Upper bound, in bytes, for the sum of the model's states, its converted and packed weights, and one call's temporary memory and
  /// outputs. Weights used in place in the mapped file do not count. Nil means the memory that the machine and the process's control
  /// groups have available when a method is loaded, less a sixteenth.
  ///
  /// Requests beyond the limit fail with an error of the kind `outOfMemory` before memory is allocated.
  public var memoryLimit: Int?
  /// The limit that holds at this moment, in bytes: ``memoryLimit``, or what is available.
  public var effectiveMemoryLimit: Int { limits.memoryByteCount }
  /// Upper bound for the work of loading a method, of each plan made for it, and of each call.
  ///
  /// A unit is a kernel that runs, or 10,000 arithmetic operations and bytes moved, whichever is more; importing, rewriting and planning
  /// one operation counts as a few units. The limit does not depend on the machine or its load. Nil means that loading and planning are
  /// limited to 8,388,608 units, more than any known model needs, that all iterations of data-dependent loops in one call are limited to
  /// 16,777,216 units, which is some seconds, and that a call is not limited otherwise. Set a limit for a model whose loops take longer.
  ///
  /// Work beyond the limit fails with an error of the kind `outOfWork`.
  public var workLimit: Int?
  /// Limits of a call other than memory.
  package var callLimits = ResourceLimits.standard

  /// All limits of loading and calling.
  package var limits: ResourceLimits {
    var limits = callLimits
    limits.memoryByteCount = memoryLimit.map { max($0, 0) } ?? min(limits.memoryByteCount, SystemMemory.budget)
    if let workLimit {
      limits.loadWork = max(workLimit, 0)
      limits.callWork = limits.loadWork
      limits.loopWork = limits.loadWork
    }
    return limits
  }

  public init() {}
}

extension ModelOptions {
  /// Makes a custom model.
  /// - Throws: `MartletError.customModel` if the program has none with the name, and the errors of making it.
  func customModel(_ request: CustomModel.Request) throws -> CustomModel {
    guard let make = customModels[request.className] ?? customModelProvider else {
      throw MartletError(
        .customModel,
        "the program does not implement it. Set ModelOptions.customModels[\"\(request.className)\"] to a function that makes a CustomModel")
    }
    return try make(request)
  }

  /// How files are opened. What is read into memory as a whole must fit the memory limit.
  package var access: MartletBytes.FileAccess {
    MartletBytes.FileAccess(fileAccess.mode) { [self] in effectiveMemoryLimit }
  }
}

extension ModelOptions.FileAccess {
  package var mode: MartletBytes.FileAccess.Mode {
    switch self {
    case .map: .map
    case .read: .read
    case .lock: .lock
    case .lockIfPossible: .lockIfPossible
    }
  }
}
