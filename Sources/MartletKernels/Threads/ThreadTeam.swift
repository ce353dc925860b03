/// The threads of one call: the caller and the pool workers that join it. Used by one thread at a time.
@safe
package final class ThreadTeam: @unchecked Sendable {
  /// Untyped, because other modules know the layout of this class but no type of C's.
  private let memory: UnsafeMutableRawPointer
  /// Maximum number of threads of a region; at least 1.
  package let limit: Int

  package init(limit: Int) {
    self.limit = limit
    let team = UnsafeMutablePointer<mk_team>.allocate(capacity: 1)
    unsafe team.initialize(to: mk_team(limit: Int32(limit), slot: 0, crowd: 0))
    unsafe memory = UnsafeMutableRawPointer(team)
  }

  private var team: UnsafeMutablePointer<mk_team> { unsafe memory.assumingMemoryBound(to: mk_team.self) }

  deinit {
    unsafe mk_team_end(team)
    unsafe team.deallocate()
  }

  /// Runs `body(chunk, worker)` for every chunk in `0..<chunks`.
  package func run(_ chunks: Int, _ body: (_ chunk: Int, _ worker: Int) -> Void) { unsafe runClosure(team, chunks, body) }

  /// Releases the team's share of the pool until its next region.
  package func end() { unsafe mk_team_end(team) }
}

/// `mk_team_run` with a non-escaping closure (see parallel_closure.c): regions are frequent and must not allocate.
@_silgen_name("mk_team_run_closure")
func runClosure(_ team: UnsafeMutablePointer<mk_team>, _ chunks: Int, _ body: (_ chunk: Int, _ worker: Int) -> Void)
