import MartletKernels

/// Threads on which compiled methods run and pack their weights. Any number of methods may share them.
package struct WorkerThreads: Sendable {
  let pool: ThreadPool

  /// - Parameter count: threads that compute, the caller's included; at least 1.
  package init(_ count: Int) { pool = ThreadPool(threads: count) }

  package var count: Int { pool.threads }
}
