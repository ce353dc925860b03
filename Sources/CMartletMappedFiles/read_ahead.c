#define _GNU_SOURCE
#include "martlet_files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/sendfile.h>
#include <sys/uio.h>

/// Distance in bytes between the pages that tell whether a part of a file is cached.
#define PROBE_STEP (1 << 20)

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 0x00000008
#endif

/// Returns 1 if the page at `position` is in the page cache, 0 if it is not or the file system does not tell.
static int is_cached(int descriptor, int64_t position) {
  char byte;
  struct iovec target = {&byte, 1};
  return preadv2(descriptor, &target, 1, position, RWF_NOWAIT) >= 0;
}

int64_t martlet_read_ahead(int descriptor, int64_t start, int64_t length) {
  int64_t end = start + length;
  while (start < end && is_cached(descriptor, start)) start += PROBE_STEP;
  // The last page may belong to what was read before it.
  if (start >= end && (length <= 0 || is_cached(descriptor, end - 1))) return 0;
  if (start >= end) start = end - 1;
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  int64_t first = start;
  if (nowhere >= 0) {
    off_t position = start;
    while (position < end) {
      ssize_t count = sendfile(nowhere, descriptor, &position, (size_t)(end - position));
      if (count <= 0 && errno != EINTR) break;
      if (count == 0) break;
    }
    start = position;
    close(nowhere);
  }
  if (start == first) posix_fadvise(descriptor, start, end - start, POSIX_FADV_WILLNEED);
  return end - first;
}
#else
int64_t martlet_read_ahead(int descriptor, int64_t start, int64_t length) {
  (void)descriptor, (void)start, (void)length;
  return 0;
}
#endif
