// For syscall(2) and pthread_setname_np(3), which strict C11 hides.
#define _GNU_SOURCE

#include "martlet_threads.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "martlet_cpu.h"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#define USES_FUTEX 1
#else
#define USES_FUTEX 0
#endif

/// Time in nanoseconds that a worker spins without work before it parks, and that a caller spins for the last chunks before it sleeps.
enum { spin_duration = 100000 };

enum { cache_line = 64 };

/// Maximum number of active teams. Further callers process all their chunks themselves.
enum { slot_count = 64 };

/// Number of words in a set of worker numbers.
enum { set_words = MK_THREADS_MAX / 64 };

/// A team's place in the pool. A region runs without a lock around its chunks:
///
/// `ticket` contains the region's number in the high half and the range of unclaimed chunks in the low half, its begin in the upper
/// sixteen bits and its end in the lower. A claim is a compare-and-swap that removes one chunk from an end of the range: the caller
/// claims the first chunk, workers claim the last. Two threads therefore keep to their halves of the data from region to region, where
/// the data is in their caches, and meet where the work ends.
///
/// A claim succeeds only in the region whose ticket was read, and the fields of a region change only while its ticket has no unclaimed
/// chunks. Everything that a thread read between reading the ticket and a successful claim therefore belongs to the claimed region. The
/// caller returns when `finished` has reached the number of chunks. No thread accesses the region between its last chunk and its next
/// claim, and nobody waits for a worker that wakes up late and finds nothing to claim.
///
/// A worker that joins takes a number from `numbers` and keeps it while it waits for the next region in the slot, even if another call
/// has taken over the slot. Only the worker itself returns its number, so numbers stay unique. A worker whose number is not below the
/// limit of the current region claims nothing.
typedef struct {
  alignas(cache_line) _Atomic uint64_t ticket;
  _Atomic uint64_t numbers[set_words];
  alignas(cache_line) _Atomic(mk_team_body) body;
  _Atomic(void *) context;
  /// The first chunk of the region.
  _Atomic ptrdiff_t base;
  _Atomic int limit;
  alignas(cache_line) _Atomic uint32_t finished;
  /// 1 while the caller sleeps on `finished`.
  _Atomic uint32_t caller_sleeps;
} team_slot;

/// Target: awake workers plus active teams do not exceed `size`.
static struct {
  team_slot slots[slot_count];
  /// Bit set of the slots of active teams.
  alignas(cache_line) _Atomic uint64_t teams;
  _Atomic int size, started, parked;
  /// Incremented to wake parked workers, which sleep on it.
  alignas(cache_line) _Atomic uint32_t epoch;
} pool;

/// Held while workers are started.
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
#if !USES_FUTEX
static pthread_mutex_t sleeping = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
#endif

/// 1 on workers, and on callers inside a region: nested regions run inline.
static _Thread_local int is_inside_region;

// MARK: Waiting

/// Sleeps until `word` differs from `seen`; may also return early.
static void wait_for_change(_Atomic uint32_t *word, uint32_t seen) {
#if USES_FUTEX
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
#else
  pthread_mutex_lock(&sleeping);
  while (atomic_load(word) == seen) pthread_cond_wait(&changed, &sleeping);
  pthread_mutex_unlock(&sleeping);
#endif
}

/// Wakes up to `count` threads that sleep on `word`, which has changed.
static void wake(_Atomic uint32_t *word, int count) {
#if USES_FUTEX
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
#else
  (void)word;
  (void)count;
  pthread_mutex_lock(&sleeping);
  pthread_mutex_unlock(&sleeping);
  pthread_cond_broadcast(&changed);
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

/// Spin iterations between two reads of the clock. 0 with one processor, where spinning would keep others from working.
static int spin_rounds(void) { return mk_processor_count() > 1 ? 32 : 0; }

// MARK: Tickets and worker numbers

/// Maximum number of chunks of one region.
enum { max_chunks = UINT16_MAX };

static uint32_t first_unclaimed(uint64_t ticket) { return (uint32_t)ticket >> 16; }
static uint32_t end_of_unclaimed(uint64_t ticket) { return (uint32_t)ticket & UINT16_MAX; }
static uint32_t unclaimed(uint64_t ticket) { return end_of_unclaimed(ticket) - first_unclaimed(ticket); }

/// Number of unclaimed chunks of the slot's region.
static uint32_t unclaimed_in(team_slot *slot) { return unclaimed(atomic_load(&slot->ticket)); }

/// The bits of word `word` for numbers below `limit`.
static uint64_t numbers_below(int limit, int word) {
  int bits = limit - word * 64;
  return bits <= 0 ? 0 : bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

/// Number of workers that joined with numbers below `limit`.
static int joined(team_slot *slot, int limit) {
  int count = 0;
  for (int word = 0; word * 64 < limit; word++) {
    count += __builtin_popcountll(atomic_load(&slot->numbers[word]) & numbers_below(limit, word));
  }
  return count;
}

/// Takes the lowest free number in `1 ..< limit`; 0 if there is none.
static int take_number(team_slot *slot, int limit) {
  for (int word = 0; word * 64 < limit; word++) {
    // Number 0 is reserved for the caller.
    uint64_t usable = numbers_below(limit, word) & ~(uint64_t)(word == 0);
    uint64_t taken = atomic_load(&slot->numbers[word]);
    while (usable & ~taken) {
      int bit = __builtin_ctzll(usable & ~taken);
      if (atomic_compare_exchange_weak(&slot->numbers[word], &taken, taken | UINT64_C(1) << bit)) return word * 64 + bit;
    }
  }
  return 0;
}

static void give_number(team_slot *slot, int number) { atomic_fetch_and(&slot->numbers[number / 64], ~(UINT64_C(1) << number % 64)); }

// MARK: Workers

/// A worker's team and its number there; no team if `slot` is NULL.
typedef struct {
  team_slot *slot;
  int number;
} place;

static void leave_team(place *self) {
  if (self->slot != NULL) give_number(self->slot, self->number);
  self->slot = NULL;
}

/// Joins the team in `slot` if its limit allows another worker.
static int join_team(place *self, team_slot *slot) {
  int number = take_number(slot, atomic_load_explicit(&slot->limit, memory_order_relaxed));
  if (number == 0) return 0;
  leave_team(self);
  *self = (place){slot, number};
  return 1;
}

/// The team of `candidates` with the fewest workers, fewer than `bound`, that has unclaimed chunks and room for a worker; NULL if none.
static team_slot *poorest_team(uint64_t candidates, int bound) {
  team_slot *best = NULL;
  for (; candidates != 0; candidates &= candidates - 1) {
    team_slot *slot = &pool.slots[__builtin_ctzll(candidates)];
    if (unclaimed_in(slot) == 0) continue;
    int limit = atomic_load_explicit(&slot->limit, memory_order_relaxed);
    int count = joined(slot, limit);
    if (count >= bound || count + 1 >= limit) continue;
    best = slot;
    bound = count;
  }
  return best;
}

/// The slots of active teams other than the worker's own.
static uint64_t other_teams(const place *self) {
  uint64_t teams = atomic_load(&pool.teams);
  if (self->slot != NULL) teams &= ~(UINT64_C(1) << (self->slot - pool.slots));
  return teams;
}

/// Number of additional workers that may be awake with `teams` active teams; negative if some should park.
static int spare_workers(int teams) {
  return atomic_load(&pool.size) - teams - (atomic_load(&pool.started) - atomic_load(&pool.parked));
}

static int team_count(void) { return __builtin_popcountll(atomic_load(&pool.teams)); }

static int exceeds_size(void) {
  int teams = team_count();
  return teams > 1 && spare_workers(teams) < 0;
}

/// Processes chunks of the worker's team until none is left, too many threads are awake, or another team is in greater need. In the last
/// case the worker joins that team.
static void serve(place *self) {
  team_slot *slot = self->slot, *better = NULL;
  uint32_t done = 0;
  uint64_t ticket = atomic_load_explicit(&slot->ticket, memory_order_acquire);
  while (unclaimed(ticket) != 0) {
    mk_team_body body = atomic_load_explicit(&slot->body, memory_order_relaxed);
    void *context = atomic_load_explicit(&slot->context, memory_order_relaxed);
    ptrdiff_t base = atomic_load_explicit(&slot->base, memory_order_relaxed);
    if (self->number >= atomic_load_explicit(&slot->limit, memory_order_relaxed)) break;
    if (!atomic_compare_exchange_weak_explicit(&slot->ticket, &ticket, ticket - 1, memory_order_acq_rel, memory_order_acquire)) continue;
    body(context, base + end_of_unclaimed(ticket) - 1, self->number);
    done += 1;
    uint64_t others = other_teams(self);
    if (others != 0) {
      if (exceeds_size()) break;
      better = poorest_team(others, joined(slot, MK_THREADS_MAX) - 1);
      if (better != NULL) break;
    }
    ticket = atomic_load_explicit(&slot->ticket, memory_order_acquire);
  }
  if (done != 0) {
    atomic_fetch_add(&slot->finished, done);
    if (atomic_load(&slot->caller_sleeps)) wake(&slot->finished, 1);
  }
  if (better != NULL) join_team(self, better);
}

/// Returns 1 if the worker's team has chunks for it. Otherwise tries to join another team that has.
static int has_work(place *self) {
  team_slot *slot = self->slot;
  if (slot != NULL && unclaimed_in(slot) != 0 && self->number < atomic_load_explicit(&slot->limit, memory_order_relaxed)) return 1;
  uint64_t others = other_teams(self);
  // The number may be too high for the current region of its own team: rejoin.
  if (slot != NULL && unclaimed_in(slot) != 0) others |= UINT64_C(1) << (slot - pool.slots);
  if (others == 0) return 0;
  slot = poorest_team(others, MK_THREADS_MAX);
  return slot != NULL && join_team(self, slot);
}

/// Sleeps until a region needs more workers. Unless `must`, returns at once if the number of awake threads is within the pool's size.
static void park(place *self, int must) {
  leave_team(self);
  int parked = atomic_load(&pool.parked);
  do {
    // If several workers find at the same time that one must park, only one does.
    if (!must && !exceeds_size()) return;
  } while (!atomic_compare_exchange_weak(&pool.parked, &parked, parked + 1));
  // No lost wake-up: a caller publishes chunks, reads `parked`, then changes `epoch`; this thread increments `parked`, reads `epoch`, then
  // looks for chunks.
  uint32_t epoch = atomic_load(&pool.epoch);
  if (spare_workers(team_count()) <= 0 || poorest_team(atomic_load(&pool.teams), MK_THREADS_MAX) == NULL) {
    wait_for_change(&pool.epoch, epoch);
  }
  atomic_fetch_sub(&pool.parked, 1);
}

/// Waits until the worker's team has chunks: spins for `spin_duration`, then parks.
static void await_work(place *self, int spins) {
  int64_t deadline = 0;
  for (;;) {
    int is_spare = 0;
    for (int i = 0; i <= spins && !is_spare; i++) {
      if (has_work(self)) return;
      is_spare = exceeds_size();
      relax();
    }
    int64_t time = now();
    if (deadline == 0) deadline = time + spin_duration;
    int is_late = spins == 0 || time >= deadline;
    if (!is_spare && !is_late) continue;
    park(self, is_late);
    deadline = 0;
  }
}

static void *work(void *argument) {
  (void)argument;
  is_inside_region = 1;
  int spins = spin_rounds();
  place self = {NULL, 0};
  for (;;) {
    await_work(&self, spins);
    serve(&self);
  }
  return NULL;
}

// MARK: Starting workers

/// Resets the pool in the child of a fork, whose only thread is the forking one.
static void forget_workers(void) {
  for (int i = 0; i < slot_count; i++) {
    team_slot *slot = &pool.slots[i];
    // Nothing unclaimed.
    atomic_store(&slot->ticket, atomic_load(&slot->ticket) >> 32 << 32);
    for (int word = 0; word < set_words; word++) atomic_store(&slot->numbers[word], 0);
    atomic_store(&slot->caller_sleeps, 0);
  }
  atomic_store(&pool.teams, 0);
  atomic_store(&pool.started, 0);
  atomic_store(&pool.parked, 0);
  pthread_mutex_init(&starting, NULL);
#if !USES_FUTEX
  pthread_mutex_init(&sleeping, NULL);
  pthread_cond_init(&changed, NULL);
#endif
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_workers); }

/// Starts a worker with all signals blocked, except for those of faults, which reach the process's handlers: a mapped file that is truncated
/// faults where it is read. Returns 0 if the system refuses a thread.
static int start_worker(void) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return 0;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, previous;
  sigfillset(&all);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGSEGV);
  sigdelset(&all, SIGILL);
  sigdelset(&all, SIGFPE);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  pthread_t thread;
  int started = pthread_create(&thread, &attributes, work, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
  pthread_attr_destroy(&attributes);
#if defined(__linux__)
  if (started) pthread_setname_np(thread, "martlet");
#endif
  return started;
}

/// Starts up to `count` workers within the pool's size.
static void start_workers(int count) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  // Another caller is starting workers.
  if (pthread_mutex_trylock(&starting) != 0) return;
  for (; count > 0 && atomic_load(&pool.started) + 1 < atomic_load(&pool.size); count--) {
    // Count the worker first: it may park before `pthread_create` returns.
    atomic_fetch_add(&pool.started, 1);
    if (start_worker()) continue;
    atomic_fetch_sub(&pool.started, 1);
    // The system grants no more threads.
    atomic_store(&pool.size, atomic_load(&pool.started) + 1);
  }
  pthread_mutex_unlock(&starting);
}

void mk_threads_reserve(int threads) {
  if (threads > MK_THREADS_MAX) threads = MK_THREADS_MAX;
  int size = atomic_load(&pool.size);
  while (size < threads && !atomic_compare_exchange_weak(&pool.size, &size, threads)) continue;
}

mk_threads_census mk_threads_state(void) {
  return (mk_threads_census){
      .size = atomic_load(&pool.size),
      .started = atomic_load(&pool.started),
      .parked = atomic_load(&pool.parked),
      .teams = team_count(),
  };
}

// MARK: Callers

/// Takes a slot for the team. Returns 0 if none is free.
static int take_slot(mk_team *team) {
  uint64_t teams = atomic_load(&pool.teams);
  while (~teams != 0) {
    // The lowest free slot: consecutive calls find the workers of the previous call there.
    int slot = __builtin_ctzll(~teams);
    if (!atomic_compare_exchange_weak(&pool.teams, &teams, teams | UINT64_C(1) << slot)) continue;
    team->slot = slot + 1;
    return 1;
  }
  return 0;
}

/// Wakes or starts workers for `chunks` chunks, within the team's limit and the pool's size. Returns the number of teams taken into
/// account.
static int summon(mk_team *team, team_slot *slot, uint32_t chunks) {
  int teams = team_count();
  // A team between two calls is back before a worker wakes up, so a team counts until it is missed twice.
  int crowd = teams > team->crowd ? teams : team->crowd;
  team->crowd = teams;
  int limit = team->limit;
  int useful = chunks < (uint32_t)limit - 1 ? (int)chunks : limit - 1;
  int missing = useful - joined(slot, limit);
  if (missing <= 0) return crowd;
  int spare = spare_workers(crowd);
  if (missing > spare) missing = spare;
  if (missing <= 0) return crowd;
  int parked = atomic_load(&pool.parked);
  if (parked > 0) {
    atomic_fetch_add(&pool.epoch, 1);
    wake(&pool.epoch, missing < parked ? missing : parked);
  }
  if (missing > parked) start_workers(missing - parked);
  return crowd;
}

/// Processes chunks of the caller's own region until none is left. Returns their number. `crowd` is the result of `summon`.
static uint32_t do_chunks(mk_team *team, team_slot *slot, int crowd, mk_team_body body, void *context, ptrdiff_t base) {
  uint32_t done = 0;
  uint64_t ticket = atomic_load_explicit(&slot->ticket, memory_order_acquire);
  while (unclaimed(ticket) != 0) {
    uint64_t next = ticket + (1u << 16);
    if (!atomic_compare_exchange_weak_explicit(&slot->ticket, &ticket, next, memory_order_acq_rel, memory_order_acquire)) continue;
    body(context, base + first_unclaimed(ticket), 0);
    done += 1;
    ticket = atomic_load_explicit(&slot->ticket, memory_order_acquire);
    // Other teams may have ended and freed their workers.
    if (crowd > 1 && unclaimed(ticket) != 0) crowd = summon(team, slot, unclaimed(ticket));
  }
  return done;
}

/// Waits until `finished` is `chunks`: spins, then sleeps.
static void await_finish(team_slot *slot, uint32_t chunks) {
  int64_t deadline = 0;
  int spins = spin_rounds();
  for (;;) {
    for (int i = 0; i < spins; i++) {
      if (atomic_load_explicit(&slot->finished, memory_order_acquire) == chunks) return;
      relax();
    }
    int64_t time = now();
    if (deadline == 0) deadline = time + spin_duration;
    if (spins == 0 || time >= deadline) break;
  }
  atomic_store(&slot->caller_sleeps, 1);
  for (;;) {
    uint32_t finished = atomic_load(&slot->finished);
    if (finished == chunks) break;
    wait_for_change(&slot->finished, finished);
  }
  atomic_store(&slot->caller_sleeps, 0);
}

/// Runs a region of at most `max_chunks` chunks.
static void run_region(mk_team *team, team_slot *slot, mk_team_body body, void *context, ptrdiff_t base, uint32_t chunks) {
  atomic_store_explicit(&slot->body, body, memory_order_relaxed);
  atomic_store_explicit(&slot->context, context, memory_order_relaxed);
  atomic_store_explicit(&slot->base, base, memory_order_relaxed);
  atomic_store_explicit(&slot->limit, team->limit, memory_order_relaxed);
  atomic_store_explicit(&slot->finished, 0, memory_order_relaxed);
  uint64_t region = (atomic_load_explicit(&slot->ticket, memory_order_relaxed) >> 32) + 1;
  // Chunks 0 ..< `chunks` unclaimed.
  atomic_store(&slot->ticket, region << 32 | chunks);
  int crowd = summon(team, slot, chunks - 1);
  uint32_t done = do_chunks(team, slot, crowd, body, context, base);
  if (atomic_fetch_add(&slot->finished, done) + done != chunks) await_finish(slot, chunks);
}

void mk_team_run(mk_team *team, mk_team_body body, void *context, ptrdiff_t chunks) {
  assert(body != NULL && chunks >= 0 && team->limit >= 1);
  if (team->limit == 1 || chunks <= 1 || is_inside_region || (team->slot == 0 && !take_slot(team))) {
    for (ptrdiff_t chunk = 0; chunk < chunks; chunk++) body(context, chunk, 0);
    return;
  }
  is_inside_region = 1;
  for (ptrdiff_t base = 0; base < chunks;) {
    ptrdiff_t left = chunks - base;
    uint32_t count = left > max_chunks ? max_chunks : (uint32_t)left;
    run_region(team, &pool.slots[team->slot - 1], body, context, base, count);
    base += count;
  }
  is_inside_region = 0;
}

void mk_team_end(mk_team *team) {
  if (team->slot == 0) return;
  atomic_fetch_and(&pool.teams, ~(UINT64_C(1) << (team->slot - 1)));
  team->slot = 0;
  team->crowd = 0;
}
