/// The process's single thread pool, with a limit for the regions run through this value (see `martlet_threads.h`).
package struct ThreadPool: Sendable {
  /// Default limit: the number of processors available to the process.
  package static let defaultLimit = min(AvailableProcessors.count, Int(MK_THREADS_MAX))

  /// Maximum number of threads of a call, including the caller; at least 1.
  package let limit: Int

  /// - Parameter limit: maximum number of threads of a call, clamped to 1...256. The pool grows to at least this size, and to the default one
  ///   unless calls run in one thread.
  package init(limit: Int = ThreadPool.defaultLimit) {
    self.limit = min(max(limit, 1), Int(MK_THREADS_MAX))
    if self.limit > 1 { mk_threads_reserve(Int32(max(self.limit, Self.defaultLimit))) }
  }

  /// Runs `body(chunk, worker)` for every chunk in `0..<chunks`. `worker` is in `0..<limit` and unique among concurrently running bodies.
  package func run(_ chunks: Int, _ body: (_ chunk: Int, _ worker: Int) -> Void) {
    var team = mk_team(limit: Int32(limit), slot: 0, crowd: 0)
    unsafe withUnsafeMutablePointer(to: &team) { team in
      unsafe runClosure(team, chunks, body)
      unsafe mk_team_end(team)
    }
  }

  /// A snapshot of the pool.
  package struct Census: Equatable, Sendable {
    /// Maximum number of running threads, including callers.
    package let size: Int
    /// Number of workers, and of sleeping workers.
    package let started, parked: Int
    /// Number of active teams.
    package let teams: Int
  }

  package static var census: Census {
    let state = mk_threads_state()
    return Census(size: Int(state.size), started: Int(state.started), parked: Int(state.parked), teams: Int(state.teams))
  }
}
