/// Short parallel regions on the process's single thread pool.
///
/// Every call of a model has a team: the calling thread and the pool workers that join it. Workers join teams with unclaimed chunks,
/// preferring the team with the fewest workers, and may move to another team between two chunks. The number of awake workers and active
/// teams together does not exceed the pool's size. A caller always works on its own region and never waits for other teams.
///
/// Workers are started on demand. A worker without work spins for 0.1 ms, then sleeps until a region wakes it. Workers block all signals
/// and are never joined, so the process may exit at any time.
///
/// After fork(2), the child's pool has no workers and starts its own on demand. A call in progress in the forking thread must not continue
/// in the child.
#ifndef MARTLET_THREADS_H
#define MARTLET_THREADS_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Maximum number of threads of the pool.
enum { MK_THREADS_MAX = 256 };

/// Raises the pool's size to `threads` threads, including callers; at most `MK_THREADS_MAX`. The size never decreases. Thread-safe.
void mk_threads_reserve(int threads);

/// A snapshot of the pool, for tests and diagnostics.
typedef struct mk_threads_census {
  /// Maximum number of running threads, including callers.
  int size;
  /// Number of workers, and of sleeping workers.
  int started, parked;
  /// Number of active teams.
  int teams;
} mk_threads_census;

mk_threads_census mk_threads_state(void);

/// The threads of one call. Used by one thread at a time. Must not move in memory between the first `mk_team_run` and `mk_team_end`.
typedef struct mk_team {
  /// Maximum number of threads of a region, including the caller; at least 1.
  int limit;
  /// Private: the team's slot in the pool, counted from 1, and the number of teams it saw last. Initially 0.
  int slot, crowd;
} mk_team;

/// The body of a region: processes chunk `chunk`. `worker` is in `0 ..< team->limit` and unique among the concurrent calls of one region,
/// so it may index scratch memory. The caller of `mk_team_run` is worker 0.
typedef void (*mk_team_body)(void *_Nullable context, ptrdiff_t chunk, int worker);

/// Calls `body` for each chunk of `0 ..< chunks`, once each, and returns when all calls have returned. What the caller wrote
/// before is visible to every call of `body`, and what they wrote is visible to the caller afterwards.
///
/// Threads claim chunks as they become free: the caller from the front, workers from the back. The caller waits only for threads that
/// claimed a chunk. If the team's limit is 1, or if the calling thread is inside a region already, it processes all chunks itself as
/// worker 0. A nested region must therefore not share scratch memory indexed by `worker` with the outer one.
///
/// The team is active from its first region with more than one chunk until `mk_team_end`.
void mk_team_run(mk_team *team, mk_team_body body, void *_Nullable context, ptrdiff_t chunks);

/// Ends the team's use of the pool. None of its regions may be running. The team may run regions again afterwards.
void mk_team_end(mk_team *team);

#pragma clang assume_nonnull end

#endif
