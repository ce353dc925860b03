import MartletSystem

/// Resource limits for one call of a model. Requests beyond them are rejected while planning, before memory is allocated and before a
/// kernel runs.
package struct ResourceLimits: Sendable, Hashable {
  /// Maximum size in bytes of a model's states, its converted and packed weights, and one call's temporary memory, outputs and steps.
  package var memoryByteCount: Int
  /// Maximum number of floating-point operations plus bytes moved by one call, as estimated by the planner.
  package var operationCount: Double
  /// Maximum number of nodes run by one call, with loop iterations counted each time. Beyond this a loop is considered infinite.
  package var nodeCount: Int
  /// Maximum work of loading a method and of each plan made for it, in the units of `Allowance`.
  package var loadWork: Int
  /// Maximum work of a call, in the units of `Allowance`.
  package var callWork: Int
  /// Maximum work of all iterations of data-dependent loops in one call, in the units of `Allowance`.
  package var loopWork: Int
  /// Maximum number of kernels in all iterations of data-dependent loops in one call. Planning in an iteration counts as the number of
  /// kernels that takes as long.
  package var loopStepCount: Int { (Extent(nodeCount) * 100).clamped }

  package init(
    memoryByteCount: Int = ResourceLimits.physicalMemory, operationCount: Double = 1e16, nodeCount: Int = 1_000_000,
    loadWork: Int = ResourceLimits.standardLoadWork, callWork: Int = .max,
    loopWork: Int = ResourceLimits.standardLoopWork
  ) {
    self.memoryByteCount = memoryByteCount
    self.operationCount = operationCount
    self.nodeCount = nodeCount
    self.loadWork = loadWork
    self.callWork = callWork
    self.loopWork = loopWork
  }

  /// Default of `loadWork`: several times what the largest known models need.
  package static let standardLoadWork = 1 << 23

  /// Default of `loopWork`: some seconds of work. A loop whose end depends on data may otherwise never end.
  package static let standardLoopWork = 1 << 24

  /// Default limits: the machine's memory; more operations than the largest known networks need; loops of a million nodes.
  package static let standard = ResourceLimits()

  /// The machine's memory in bytes, determined once.
  package static let physicalMemory: Int = {
    let byteCount = (Extent(sysconf(Int32(_SC_PHYS_PAGES))) * sysconf(Int32(_SC_PAGESIZE))).clamped
    return byteCount <= 0 || byteCount == .max ? 1 << 40 : byteCount
  }()
}

/// Memory that could not be allocated.
package struct AllocationError: Error, Sendable, CustomStringConvertible {
  package let byteCount: Int
  /// The limit that refused it; nil if the system did.
  package let limit: Int?

  package init(byteCount: Int, limit: Int? = nil) {
    self.byteCount = byteCount
    self.limit = limit
  }

  package var description: String {
    "\(byteCount) bytes of memory are not available" + (limit.map { " within the limit of \($0) bytes" } ?? "")
  }
}
