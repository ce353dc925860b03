#include "martlet_allocation_count.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define MARTLET_SANITIZED 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(MARTLET_SANITIZED)

// glibc exports its allocator under these names too; a program may define the standard ones in front of them ("Replacing
// malloc" in the manual). Memory still comes from glibc, so `free` stays its own.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Atomic int64_t count;

static inline void tally(void) { atomic_fetch_add_explicit(&count, 1, memory_order_relaxed); }

void *malloc(size_t byte_count) {
  tally();
  return __libc_malloc(byte_count);
}

void *calloc(size_t element_count, size_t byte_count) {
  tally();
  return __libc_calloc(element_count, byte_count);
}

void *realloc(void *pointer, size_t byte_count) {
  tally();
  return __libc_realloc(pointer, byte_count);
}

void *aligned_alloc(size_t alignment, size_t byte_count) {
  tally();
  return __libc_memalign(alignment, byte_count);
}

int posix_memalign(void **result, size_t alignment, size_t byte_count) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  tally();
  int saved = errno;
  void *pointer = __libc_memalign(alignment, byte_count);
  if (!pointer) {
    errno = saved;
    return ENOMEM;
  }
  *result = pointer;
  return 0;
}

int64_t martlet_allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

#else

int64_t martlet_allocation_count(void) { return -1; }

#endif
