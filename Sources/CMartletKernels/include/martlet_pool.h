/// A pool of threads for short parallel regions.
#ifndef MARTLET_POOL_H
#define MARTLET_POOL_H

#include <stddef.h>

#include "martlet_dtype.h"

#pragma clang assume_nonnull begin

typedef struct mk_pool mk_pool;

/// The body of a region: does chunk `chunk`. `worker` is in `0 ..< mk_pool_threads(pool)`; no two calls that run at the same time
/// inside one region have the same `worker`, so it may index scratch memory. 0 is the caller of `mk_pool_run`.
typedef void (*mk_pool_body)(void *_Nullable context, ptrdiff_t chunk, int worker);

/// A pool that works with `threads` threads, the caller of `mk_pool_run` being one of them (`threads - 1` are created).
/// Allocates. Returns NULL when memory runs out; when the system refuses a thread, the pool has fewer.
mk_pool *_Nullable mk_pool_create(int threads);

/// Ends the threads and frees the pool. No region may be running. NULL is allowed.
void mk_pool_destroy(mk_pool *_Nullable pool);

/// The number of threads including the caller; 1 for NULL.
int mk_pool_threads(const mk_pool *_Nullable pool);

/// Calls `body` for each chunk of `0 ..< chunks`, once each, and returns when all calls have returned. What the caller wrote
/// before is visible to every call of `body`, and what they wrote is visible to the caller afterwards.
///
/// Chunks are handed out as threads become free, the first ones to the caller and the last ones to the workers; the caller waits only
/// for threads that did take a chunk. The calling thread does all chunks itself, as worker 0, when `pool` is NULL, when the call comes from inside a region of
/// the same pool, or while another thread runs a region on it. Scratch memory indexed by `worker` therefore belongs to one region
/// and must not be shared with a nested or concurrent one.
void mk_pool_run(mk_pool *_Nullable pool, mk_pool_body body, void *_Nullable context, ptrdiff_t chunks);

#pragma clang assume_nonnull end

#endif
