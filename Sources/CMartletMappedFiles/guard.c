#define _GNU_SOURCE
#include "martlet_files.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if !defined(MAP_ANONYMOUS)
#define MAP_ANONYMOUS MAP_ANON
#endif

/// A guard is in use while `start` is not `FREE`. The handler reads it without a lock: `length` is written before `start`, and the
/// handler reads `start` again after `length`.
struct martlet_guard {
  _Atomic(uintptr_t) start;
  _Atomic(size_t) length;
  atomic_int broken;
};

enum { FREE = 0, GUARDS_PER_BLOCK = 128 };

/// Guards in blocks that are never freed, so that the handler can follow the list at any time.
struct guard_block {
  struct martlet_guard guards[GUARDS_PER_BLOCK];
  _Atomic(struct guard_block *) next;
};

static struct guard_block first_block;
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;
static int is_installed;
static struct sigaction previous;
static uintptr_t page_size;

static struct martlet_guard *guard_of(uintptr_t address) {
  for (struct guard_block *block = &first_block; block != NULL; block = atomic_load_explicit(&block->next, memory_order_acquire)) {
    for (int index = 0; index < GUARDS_PER_BLOCK; index++) {
      struct martlet_guard *guard = &block->guards[index];
      uintptr_t start = atomic_load_explicit(&guard->start, memory_order_acquire);
      if (start == FREE || address < start) continue;
      size_t length = atomic_load_explicit(&guard->length, memory_order_acquire);
      if (address - start < length && atomic_load_explicit(&guard->start, memory_order_acquire) == start) return guard;
    }
  }
  return NULL;
}

/// Handles SIGBUS. Calls only system calls that are safe in a signal handler.
static void handle_fault(int number, siginfo_t *information, void *context) {
  int saved = errno;
  // Codes of at most 0 are of signals that a process sent.
  if (information->si_code > 0) {
    uintptr_t address = (uintptr_t)information->si_addr;
    struct martlet_guard *guard = guard_of(address);
    if (guard != NULL) {
      uintptr_t start = atomic_load_explicit(&guard->start, memory_order_acquire);
      size_t length = atomic_load_explicit(&guard->length, memory_order_acquire);
      uintptr_t page = address & ~(page_size - 1);
      // Marked first: whoever reads a zero of the new pages finds the mark afterwards.
      atomic_store_explicit(&guard->broken, 1, memory_order_seq_cst);
      void *zeros =
          mmap((void *)page, start + length - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
      errno = saved;
      if (zeros != MAP_FAILED) return;
    }
  }
  errno = saved;
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != NULL) {
    previous.sa_sigaction(number, information, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(number);
  } else {
    // Ends the process: the fault is repeated on return, and a signal that was sent is sent again.
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigemptyset(&standard.sa_mask);
    sigaction(number, &standard, NULL);
    if (information->si_code <= 0) raise(number);
  }
}

/// Returns 0 if the handler cannot be installed. Called with the lock held.
static int install(void) {
  if (is_installed) return 1;
  page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  if (sigaction(SIGBUS, NULL, &previous) != 0) return 0;
  struct sigaction action = {.sa_sigaction = handle_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | (previous.sa_flags & SA_RESTART)};
  action.sa_mask = previous.sa_mask;
  is_installed = sigaction(SIGBUS, &action, NULL) == 0;
  return is_installed;
}

martlet_guard *martlet_guard_begin(void *start, size_t length) {
  pthread_mutex_lock(&installing);
  struct martlet_guard *free_guard = NULL;
  if (install()) {
    struct guard_block *block = &first_block;
    while (free_guard == NULL && block != NULL) {
      for (int index = 0; index < GUARDS_PER_BLOCK && free_guard == NULL; index++) {
        if (atomic_load_explicit(&block->guards[index].start, memory_order_relaxed) == FREE) free_guard = &block->guards[index];
      }
      struct guard_block *next = atomic_load_explicit(&block->next, memory_order_relaxed);
      if (free_guard == NULL && next == NULL) {
        next = calloc(1, sizeof *next);
        if (next != NULL) atomic_store_explicit(&block->next, next, memory_order_release);
      }
      block = next;
    }
  }
  if (free_guard != NULL) {
    // Pages behind the end of the file within the last page are zeros already; the mapping ends with that page.
    size_t whole = (length + page_size - 1) & ~(page_size - 1);
    atomic_store_explicit(&free_guard->broken, 0, memory_order_relaxed);
    atomic_store_explicit(&free_guard->length, whole, memory_order_release);
    atomic_store_explicit(&free_guard->start, (uintptr_t)start, memory_order_release);
  }
  pthread_mutex_unlock(&installing);
  return free_guard;
}

void martlet_guard_end(martlet_guard *guard) {
  atomic_store_explicit(&guard->start, FREE, memory_order_release);
}

int martlet_guard_is_broken(const martlet_guard *guard) {
  return atomic_load_explicit(&((martlet_guard *)guard)->broken, memory_order_seq_cst);
}
