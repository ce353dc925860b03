// For syscall(2) and pthread_setname_np(3), which strict C11 hides.
#define _GNU_SOURCE

#include "martlet_pool.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#define USES_FUTEX 1
#else
#define USES_FUTEX 0
#endif

/// Nanoseconds that a worker without work spins before it parks, and the caller before it sleeps for the last chunks.
enum { spin_duration = 100000 };

enum { cache_line = 64 };

typedef struct {
  mk_pool *pool;
  pthread_t thread;
  int index;
} worker_state;

/// How a region runs without a lock around its chunks:
///
/// `ticket` holds the region's number in the high half, and the range of unclaimed chunks in the low half: its begin in the upper
/// sixteen bits, its end in the lower. A claim is a compare-and-swap that takes one chunk off an end: the caller takes the first,
/// workers the last. So two threads keep to their halves of the data from region to region, where it lies in their caches, and
/// meet where the work is done. A claim can only succeed in the region whose ticket was read, and a region's fields change only
/// while the ticket says that nothing is unclaimed; so what a thread read between reading the ticket and a successful claim belongs
/// to the region it claimed from. The caller leaves when `finished` has reached the number of chunks, which no thread touches
/// between its last chunk and its next claim. A worker that wakes late finds nothing to claim and is waited for by nobody.
struct mk_pool {
  alignas(cache_line) _Atomic uint64_t ticket;
  alignas(cache_line) _Atomic uint32_t finished;
  /// 1 while the caller sleeps on `finished`.
  _Atomic uint32_t caller_sleeps;
  /// Counts regions; parked workers sleep on it.
  alignas(cache_line) _Atomic uint32_t epoch;
  _Atomic uint32_t parked;
  _Atomic int stops;
  /// 1 while a region runs.
  alignas(cache_line) _Atomic int busy;
  _Atomic(mk_pool_body) body;
  _Atomic(void *) context;
  /// The first chunk of the region.
  _Atomic ptrdiff_t base;
  int threads;
  int spins;
  worker_state *workers;
#if !USES_FUTEX
  pthread_mutex_t mutex;
  pthread_cond_t changed;
#endif
};

/// Sleeps until `word` differs from `seen`; may also return early.
static void wait_for_change(mk_pool *pool, _Atomic uint32_t *word, uint32_t seen) {
#if USES_FUTEX
  (void)pool;
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
#else
  pthread_mutex_lock(&pool->mutex);
  while (atomic_load(word) == seen) pthread_cond_wait(&pool->changed, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
#endif
}

/// Wakes up to `count` threads that sleep on `word`, which has changed.
static void wake(mk_pool *pool, _Atomic uint32_t *word, int count) {
#if USES_FUTEX
  (void)pool;
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
#else
  (void)word;
  (void)count;
  pthread_mutex_lock(&pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
  pthread_cond_broadcast(&pool->changed);
#endif
}

static inline void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// The most chunks of one region.
enum { max_chunks = UINT16_MAX };

static uint32_t first_unclaimed(uint64_t ticket) { return (uint32_t)ticket >> 16; }
static uint32_t end_of_unclaimed(uint64_t ticket) { return (uint32_t)ticket & UINT16_MAX; }
static uint32_t unclaimed(uint64_t ticket) { return end_of_unclaimed(ticket) - first_unclaimed(ticket); }

/// Claims and does chunks until none is left. Returns how many.
static uint32_t do_chunks(mk_pool *pool, int worker) {
  uint32_t done = 0;
  uint64_t ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);
  while (unclaimed(ticket) != 0) {
    mk_pool_body body = atomic_load_explicit(&pool->body, memory_order_relaxed);
    void *context = atomic_load_explicit(&pool->context, memory_order_relaxed);
    ptrdiff_t base = atomic_load_explicit(&pool->base, memory_order_relaxed);
    uint64_t next = worker == 0 ? ticket + (1u << 16) : ticket - 1;
    if (!atomic_compare_exchange_weak_explicit(&pool->ticket, &ticket, next, memory_order_acq_rel, memory_order_acquire)) continue;
    body(context, base + (worker == 0 ? first_unclaimed(ticket) : end_of_unclaimed(ticket) - 1), worker);
    done += 1;
    ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);
  }
  return done;
}

/// The body of a worker for chunks of one region: `do_chunks`, then reports each chunk as finished.
static void serve_region(mk_pool *pool, int worker) {
  uint32_t done = do_chunks(pool, worker);
  if (done == 0) return;
  uint32_t finished = atomic_fetch_add(&pool->finished, done) + done;
  (void)finished;
  if (atomic_load(&pool->caller_sleeps)) wake(pool, &pool->finished, 1);
}

/// Returns when there may be work or the pool stops: spins for `spin_duration`, then parks.
static void await_work(mk_pool *pool) {
  int64_t deadline = 0;
  for (;;) {
    for (int i = 0; i < pool->spins; i++) {
      if (unclaimed(atomic_load_explicit(&pool->ticket, memory_order_relaxed)) != 0) return;
      if (atomic_load_explicit(&pool->stops, memory_order_relaxed)) return;
      relax();
    }
    int64_t time = now();
    if (deadline == 0) deadline = time + spin_duration;
    if (pool->spins == 0 || time >= deadline) break;
  }
  // The caller changes `epoch` before it looks at `parked`; this thread shows itself in `parked` before it looks at `epoch`.
  uint32_t epoch = atomic_load(&pool->epoch);
  atomic_fetch_add(&pool->parked, 1);
  if (unclaimed(atomic_load(&pool->ticket)) == 0 && !atomic_load(&pool->stops)) wait_for_change(pool, &pool->epoch, epoch);
  atomic_fetch_sub(&pool->parked, 1);
}

static void *work(void *argument) {
  worker_state *self = argument;
  mk_pool *pool = self->pool;
  while (!atomic_load(&pool->stops)) {
    serve_region(pool, self->index);
    await_work(pool);
  }
  return NULL;
}

/// Starts worker `index`; returns whether the system granted a thread. Workers take no signals.
static int start_worker(mk_pool *pool, int index) {
  worker_state *worker = &pool->workers[index - 1];
  worker->pool = pool;
  worker->index = index;
  sigset_t all, previous;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  int started = pthread_create(&worker->thread, NULL, work, worker) == 0;
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
#if defined(__linux__)
  if (started) pthread_setname_np(worker->thread, "martlet");
#endif
  return started;
}

mk_pool *mk_pool_create(int threads) {
  assert(threads >= 1);
  mk_pool *pool = aligned_alloc(alignof(mk_pool), sizeof(mk_pool));
  if (pool == NULL) return NULL;
  memset(pool, 0, sizeof *pool);
  atomic_init(&pool->ticket, 0);
  atomic_init(&pool->finished, 0);
  atomic_init(&pool->caller_sleeps, 0);
  atomic_init(&pool->epoch, 0);
  atomic_init(&pool->parked, 0);
  atomic_init(&pool->stops, 0);
  atomic_init(&pool->busy, 0);
  // With one processor, whoever spins keeps the others from working.
  pool->spins = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 32 : 0;
  pool->workers = calloc((size_t)threads, sizeof *pool->workers);
  if (pool->workers == NULL) {
    free(pool);
    return NULL;
  }
#if !USES_FUTEX
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->changed, NULL);
#endif
  pool->threads = 1;
  int started = 1;
  while (started < threads && start_worker(pool, started)) started += 1;
  // Workers never read `threads`.
  pool->threads = started;
  return pool;
}

void mk_pool_destroy(mk_pool *pool) {
  if (pool == NULL) return;
  assert(atomic_load(&pool->busy) == 0);
  atomic_store(&pool->stops, 1);
  atomic_fetch_add(&pool->epoch, 1);
  wake(pool, &pool->epoch, pool->threads);
  for (int index = 1; index < pool->threads; index++) pthread_join(pool->workers[index - 1].thread, NULL);
#if !USES_FUTEX
  pthread_cond_destroy(&pool->changed);
  pthread_mutex_destroy(&pool->mutex);
#endif
  free(pool->workers);
  free(pool);
}

int mk_pool_threads(const mk_pool *pool) { return pool == NULL ? 1 : pool->threads; }

/// Returns when `finished` is `chunks`: spins, then sleeps.
static void await_finish(mk_pool *pool, uint32_t chunks) {
  int64_t deadline = 0;
  for (;;) {
    for (int i = 0; i < pool->spins; i++) {
      if (atomic_load_explicit(&pool->finished, memory_order_acquire) == chunks) return;
      relax();
    }
    int64_t time = now();
    if (deadline == 0) deadline = time + spin_duration;
    if (pool->spins == 0 || time >= deadline) break;
  }
  atomic_store(&pool->caller_sleeps, 1);
  for (;;) {
    uint32_t finished = atomic_load(&pool->finished);
    if (finished == chunks) break;
    wait_for_change(pool, &pool->finished, finished);
  }
  atomic_store(&pool->caller_sleeps, 0);
}

/// One region of at most `max_chunks` chunks, with `busy` held.
static void run_region(mk_pool *pool, mk_pool_body body, void *context, ptrdiff_t base, uint32_t chunks) {
  atomic_store_explicit(&pool->body, body, memory_order_relaxed);
  atomic_store_explicit(&pool->context, context, memory_order_relaxed);
  atomic_store_explicit(&pool->base, base, memory_order_relaxed);
  atomic_store_explicit(&pool->finished, 0, memory_order_relaxed);
  uint64_t region = (atomic_load_explicit(&pool->ticket, memory_order_relaxed) >> 32) + 1;
  // Chunks 0 ..< `chunks` unclaimed.
  atomic_store(&pool->ticket, region << 32 | chunks);
  atomic_fetch_add(&pool->epoch, 1);
  if (atomic_load(&pool->parked) != 0) {
    uint32_t useful = chunks - 1;
    wake(pool, &pool->epoch, useful < (uint32_t)pool->threads ? (int)useful : pool->threads);
  }
  uint32_t done = do_chunks(pool, 0);
  if (atomic_fetch_add(&pool->finished, done) + done != chunks) await_finish(pool, chunks);
}

void mk_pool_run(mk_pool *pool, mk_pool_body body, void *context, ptrdiff_t chunks) {
  assert(body != NULL && chunks >= 0);
  int idle = 0;
  if (pool == NULL || pool->threads == 1 || chunks <= 1 ||
      !atomic_compare_exchange_strong_explicit(&pool->busy, &idle, 1, memory_order_acquire, memory_order_relaxed)) {
    for (ptrdiff_t chunk = 0; chunk < chunks; chunk++) body(context, chunk, 0);
    return;
  }
  for (ptrdiff_t base = 0; base < chunks;) {
    ptrdiff_t left = chunks - base;
    uint32_t count = left > max_chunks ? max_chunks : (uint32_t)left;
    run_region(pool, body, context, base, count);
    base += count;
  }
  atomic_store_explicit(&pool->busy, 0, memory_order_release);
}
