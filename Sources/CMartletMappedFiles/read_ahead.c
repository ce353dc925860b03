#define _GNU_SOURCE
#include "martlet_files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/// Distance in bytes between the pages that tell whether a part of a file is cached.
#define PROBE_STEP (1 << 20)

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 0x00000008
#endif
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

/// Number of pages of the range that are in the page cache. Returns 0 where this is unknown: before Linux 6.5, and in file systems that lie on
/// others, such as overlayfs.
static int64_t cached_pages(int descriptor, int64_t start, int64_t length) {
  struct {
    uint64_t offset, length;
  } range = {(uint64_t)start, (uint64_t)length};
  struct {
    uint64_t cached, dirty, in_writeback, evicted, recently_evicted;
  } pages = {0};
  return syscall(SYS_cachestat, descriptor, &range, &pages, 0) == 0 ? (int64_t)pages.cached : 0;
}

/// Returns 1 if the page at `position` is in the page cache, 0 if it is not or the file system does not tell.
///
/// The kernel begins to read a page that is missing. On a fast device the page alone may be there at once.
static int is_page_cached(int descriptor, int64_t position) {
  char byte;
  struct iovec target = {&byte, 1};
  return preadv2(descriptor, &target, 1, position, RWF_NOWAIT) >= 0;
}

int martlet_is_cached(int descriptor, int64_t start, int64_t length) {
  const int64_t page = sysconf(_SC_PAGESIZE), end = start + length;
  return length <= 0 || cached_pages(descriptor, start, length) == (end - 1) / page - start / page + 1;
}

int64_t martlet_read_ahead(int descriptor, int64_t start, int64_t length) {
  if (martlet_is_cached(descriptor, start, length)) return 0;
  int64_t begin = start, end = start + length;
  while (start < end && is_page_cached(descriptor, start)) start += PROBE_STEP;
  if (start >= end && is_page_cached(descriptor, end - 1)) {
    // The probes' own pages are there now.
    if (cached_pages(descriptor, begin, length) == 0) return 0;
    // Single pages are missing, or the probes have read theirs.
    start = begin;
  } else if (start > begin) {
    // The last page that was there may have come with its probe, alone.
    start -= PROBE_STEP;
  }
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
int martlet_is_cached(int descriptor, int64_t start, int64_t length) {
  (void)descriptor, (void)start;
  return length <= 0;
}

int64_t martlet_read_ahead(int descriptor, int64_t start, int64_t length) {
  (void)descriptor, (void)start, (void)length;
  return 0;
}
#endif
