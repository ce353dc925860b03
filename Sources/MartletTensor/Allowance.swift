import Synchronization

/// The memory and work that one operation on a model may take: loading a method, making a plan, evaluating constants.
///
/// It is the task-local `current` while the operation runs. Importers, passes and the planner spend its work as they go on, which also
/// notices a cancellation; large allocations are charged to its memory (`TensorStorage`).
///
/// The unit of work is a kernel, or 10,000 arithmetic operations and bytes moved, whichever is more. Other work counts as the
/// number of kernels that take as long.
package final class Allowance: Sendable {
  /// The operation on the current thread, if any.
  @TaskLocal package static var current: Allowance?

  package let memory: MemoryBudget
  package let workLimit: Int
  package let cancellation: Cancellation?
  private let work = Atomic<Int>(0)
  private let isExhausted = Atomic<Bool>(false)
  private let transientByteCount = Atomic<Int>(0)

  package init(memory: MemoryBudget = MemoryBudget(), workLimit: Int = .max, cancellation: Cancellation? = nil) {
    self.memory = memory
    self.workLimit = workLimit
    self.cancellation = cancellation
  }

  deinit { memory.refund(transientByteCount.load(ordering: .relaxed)) }

  /// Operations and bytes moved per unit of work.
  private static let operationsPerUnit = 1e4

  /// The work of a kernel in units.
  package static func units(operations: Double) -> Int { max(Extent(roundingUp: operations / operationsPerUnit).clamped, 1) }

  /// Counts work that is about to be done.
  /// - Throws: `WorkError` if the limit is exceeded; `CancellationError`.
  package func spend(_ units: Int) throws {
    let total = Extent(work.load(ordering: .relaxed)) + units
    if !total.fits(workLimit) { isExhausted.store(true, ordering: .relaxed) }
    // Threads that pack weights at the same time may lose a few units to each other.
    work.store(total.clamped, ordering: .relaxed)
    try check()
  }

  /// - Throws: `WorkError` if the limit has been exceeded; `CancellationError`. For handlers of errors that may have either as their cause.
  package func check() throws {
    try cancellation?.check()
    if isExhausted.load(ordering: .relaxed) { throw WorkError(limit: workLimit) }
  }

  /// Charges memory that the operation needs until it ends.
  package func hold(_ byteCount: Int) throws(AllocationError) {
    try memory.charge(byteCount)
    transientByteCount.add(byteCount, ordering: .relaxed)
  }
}

/// More work than a limit allows.
package struct WorkError: Error, Sendable, CustomStringConvertible {
  package let limit: Int
  package init(limit: Int) { self.limit = limit }
  package var description: String { "more work than \(limit) units" }
}

/// Lets another thread stop an operation at its next check.
package final class Cancellation: Sendable {
  /// The cancellation of the task or command that is running, for operations that are not given one of their own.
  @TaskLocal package static var current: Cancellation?

  private let flag = Atomic<Bool>(false)
  package init() {}
  package func cancel() { flag.store(true, ordering: .relaxed) }
  package var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// - Throws: `CancellationError` if the operation is cancelled.
  package func check() throws {
    if isCancelled { throw CancellationError() }
  }
}
