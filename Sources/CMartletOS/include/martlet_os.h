#ifndef MARTLET_OS_H
#define MARTLET_OS_H

#include <stdint.h>

/// Executables and libraries that the process has loaded, in the order of the dynamic linker.
uint32_t martlet_image_count(void);

/// Path of a loaded executable or library, valid while it is loaded; NULL if there is none at this index.
const char *martlet_image_name(uint32_t index);

/// Address that a loaded executable or library is relocated by; NULL if there is none at this index.
const void *martlet_image_base(uint32_t index);

/// The kernel's number of the calling thread.
int64_t martlet_thread_number(void);

#endif
