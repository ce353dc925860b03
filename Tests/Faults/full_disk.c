// Preloaded into a process, this lets a disk become full: with FULL_AFTER=n, the first n calls that take disk space succeed, and from then
// on all fail with ENOSPC, the first of them after having written a part.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;

/// Returns 0 before the disk is full, 1 for the call that fills it, 2 afterwards.
static int fullness(void) {
  static long limit = -1;
  if (limit < 0) {
    const char *text = getenv("FULL_AFTER");
    limit = text == NULL ? 1L << 40 : atol(text);
  }
  long number = atomic_fetch_add(&calls, 1);
  return number < limit ? 0 : number == limit ? 1 : 2;
}

static int is_file(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  static ssize_t (*real)(int, const void *, size_t);
  if (real == NULL) real = dlsym(RTLD_NEXT, "write");
  if (is_file(descriptor)) {
    int full = fullness();
    if (full == 1 && count > 1) return real(descriptor, bytes, count / 2);
    if (full != 0) {
      errno = ENOSPC;
      return -1;
    }
  }
  return real(descriptor, bytes, count);
}

int fsync(int descriptor) {
  static int (*real)(int);
  if (real == NULL) real = dlsym(RTLD_NEXT, "fsync");
  if (fullness() != 0) {
    errno = ENOSPC;
    return -1;
  }
  return real(descriptor);
}

int mkdir(const char *path, mode_t mode) {
  static int (*real)(const char *, mode_t);
  if (real == NULL) real = dlsym(RTLD_NEXT, "mkdir");
  if (fullness() != 0) {
    errno = ENOSPC;
    return -1;
  }
  return real(path, mode);
}

static int opened(const char *name, const char *path, int flags, mode_t mode) {
  int (*real)(const char *, int, mode_t) = dlsym(RTLD_NEXT, name);
  if ((flags & O_CREAT) != 0 && fullness() != 0) {
    errno = ENOSPC;
    return -1;
  }
  return real(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & O_CREAT) != 0 ? (mode_t)va_arg(rest, int) : 0;
  va_end(rest);
  return opened("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & O_CREAT) != 0 ? (mode_t)va_arg(rest, int) : 0;
  va_end(rest);
  return opened("open64", path, flags, mode);
}
