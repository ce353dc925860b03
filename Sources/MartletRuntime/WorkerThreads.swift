import MartletKernels

/// The share of the process's thread pool that a compiled method may use to run and to pack its weights.
package struct WorkerThreads: Sendable {
  let pool: ThreadPool

  /// - Parameter limit: maximum number of threads for one call, the caller's included; nil for `defaultLimit`.
  package init(_ limit: Int? = nil) { pool = limit.map { ThreadPool(limit: $0) } ?? ThreadPool() }

  /// Maximum number of threads for one call, the caller's included.
  package var limit: Int { pool.limit }

  /// Number of processors available to the process, according to its affinity mask and the CPU quotas of its control groups.
  package static var defaultLimit: Int { ThreadPool.defaultLimit }
}
