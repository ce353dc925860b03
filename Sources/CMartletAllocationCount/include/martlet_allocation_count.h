#pragma once

#include <stdint.h>

/// Calls of malloc, calloc, realloc, posix_memalign and aligned_alloc by the whole process since it started; -1 where
/// they cannot be counted.
///
/// The target defines those functions itself, counts, and goes on to the C library's own. Only executables that want the
/// count may link it.
int64_t martlet_allocation_count(void);
