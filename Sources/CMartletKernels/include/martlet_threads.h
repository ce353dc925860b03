/// Short parallel regions on the one pool of threads of the process.
///
/// A call of a model has a team: its own thread and the pool's workers that join it. Workers go where chunks are unclaimed, first to the
/// teams with the fewest of them, and move from chunk to chunk when another team has fewer. With every team that runs regions one worker
/// less is awake, so that callers and workers together are never more than the pool's size. A caller always works on its own region and
/// never waits for other teams.
///
/// Workers are started when a region first has use for them. One without work spins for a tenth of a millisecond and then sleeps until a
/// region wakes it. They take no signals and are never joined: the process may exit at any time.
///
/// The child of a fork(2) has a pool without workers, which starts its own. A call that was in progress in the thread that forked must not
/// go on in the child.
#ifndef MARTLET_THREADS_H
#define MARTLET_THREADS_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The most threads of a pool.
enum { MK_THREADS_MAX = 256 };

/// Lets the pool grow to `threads` threads, callers included; at most `MK_THREADS_MAX`. It never shrinks. Thread-safe.
void mk_threads_reserve(int threads);

/// The state of the pool at some moment, for tests and diagnosis.
typedef struct mk_threads_census {
  /// The most threads that run at a time, callers included.
  int size;
  /// Workers that exist, and those of them that sleep.
  int started, parked;
  /// Teams that run regions.
  int teams;
} mk_threads_census;

mk_threads_census mk_threads_state(void);

/// The threads of one call. Used by one thread at a time; lies in memory of the caller's that does not move between the first
/// `mk_team_run` and `mk_team_end`.
typedef struct mk_team {
  /// Threads that a region may use, its caller included; at least 1.
  int limit;
  /// Private: the slot of the pool that the team holds, counted from 1, and how many teams it has last seen; 0 at first.
  int slot, crowd;
} mk_team;

/// The body of a region: does chunk `chunk`. `worker` is in `0 ..< team->limit`; no two calls that run at the same time inside one
/// region have the same `worker`, so it may index scratch memory. 0 is the caller of `mk_team_run`.
typedef void (*mk_team_body)(void *_Nullable context, ptrdiff_t chunk, int worker);

/// Calls `body` for each chunk of `0 ..< chunks`, once each, and returns when all calls have returned. What the caller wrote
/// before is visible to every call of `body`, and what they wrote is visible to the caller afterwards.
///
/// Chunks are handed out as threads become free, the first ones to the caller and the last ones to the workers; the caller waits only
/// for threads that did take a chunk. The calling thread does all chunks itself, as worker 0, when the team's limit is 1 or when it is
/// inside a region already. Scratch memory indexed by `worker` therefore belongs to one region and must not be shared with a nested one.
///
/// The team counts as running regions from the first region with more than one chunk until `mk_team_end`.
void mk_team_run(mk_team *team, mk_team_body body, void *_Nullable context, ptrdiff_t chunks);

/// Ends the team's use of the pool; none of its regions may be running. It may run regions again afterwards.
void mk_team_end(mk_team *team);

#pragma clang assume_nonnull end

#endif
