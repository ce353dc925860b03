internal import CMartletKernels

/// The process's one pool of threads, as seen by callers that use at most `limit` of them at a time (see `martlet_threads.h`).
package struct ThreadPool: Sendable {
  /// Threads that a call uses unless told otherwise: the processors that the process may use.
  package static let defaultLimit = min(AvailableProcessors.count, Int(MK_THREADS_MAX))

  /// Threads of a call, its own included; at least 1.
  package let limit: Int

  /// - Parameter limit: threads of a call; the pool grows if it has fewer. Clamped to what a pool may have.
  package init(limit: Int = ThreadPool.defaultLimit) {
    self.limit = min(max(limit, 1), Int(MK_THREADS_MAX))
    mk_threads_reserve(Int32(max(self.limit, Self.defaultLimit)))
  }

  /// Runs `body(chunk, worker)` for every chunk in `0..<chunks`. `worker` is in `0..<limit` and unique among the bodies that run at the
  /// same time.
  package func run(_ chunks: Int, _ body: (_ chunk: Int, _ worker: Int) -> Void) {
    var team = mk_team(limit: Int32(limit), slot: 0, crowd: 0)
    unsafe withUnsafeMutablePointer(to: &team) { team in
      unsafe runClosure(team, chunks, body)
      unsafe mk_team_end(team)
    }
  }

  /// Threads of the pool at some moment.
  package struct Census: Equatable, Sendable {
    /// Threads that may run at a time, callers included.
    package let size: Int
    /// Workers that have been started, and those of them that sleep.
    package let started, parked: Int
    /// Calls that run regions.
    package let teams: Int
  }

  package static var census: Census {
    let state = mk_threads_state()
    return Census(size: Int(state.size), started: Int(state.started), parked: Int(state.parked), teams: Int(state.teams))
  }
}
