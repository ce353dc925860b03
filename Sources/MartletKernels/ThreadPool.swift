internal import CMartletKernels

/// A pool of threads for short parallel regions (see `martlet_pool.h`). Several callers may use it at once.
@safe
package final class ThreadPool: @unchecked Sendable {
  private let pool: OpaquePointer?
  package let threads: Int

  /// - Parameter threads: working threads, the caller of `run` included; at least 1.
  package init(threads: Int) {
    let count = Int32(clamping: max(threads, 1))
    unsafe pool = count > 1 ? mk_pool_create(count) : nil
    self.threads = unsafe Int(mk_pool_threads(pool))
  }

  deinit { unsafe mk_pool_destroy(pool) }

  package func run(_ chunks: Int, _ body: (_ chunk: Int, _ worker: Int) -> Void) {
    unsafe runClosure(pool, chunks, body)
  }
}

/// `mk_pool_run` with a closure that stays where it is (see pool_closure.c): regions are frequent and must not allocate.
@_silgen_name("mk_pool_run_closure")
private func runClosure(_ pool: OpaquePointer?, _ chunks: Int, _ body: (_ chunk: Int, _ worker: Int) -> Void)
