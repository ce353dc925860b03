#define _GNU_SOURCE
#include "martlet_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#endif

enum { OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK };

/// The resolved path of a path relative to an open folder. `resolved` has room for PATH_MAX bytes.
static int resolve(int folder, const char *path, char *resolved) {
  char whole[PATH_MAX];
#if defined(__APPLE__)
  char base[PATH_MAX];
  if (fcntl(folder, F_GETPATH, base) != 0) return -1;
  int length = snprintf(whole, sizeof whole, "%s/%s", base, path);
#else
  int length = snprintf(whole, sizeof whole, "/proc/self/fd/%d/%s", folder, path);
#endif
  if (length < 0 || (size_t)length >= sizeof whole) {
    errno = ENAMETOOLONG;
    return -1;
  }
  return realpath(whole, resolved) == NULL ? -1 : 0;
}

/// For systems without `openat2`: compares resolved paths, which a change of the folder at the same moment can deceive.
static int open_resolved(int folder, const char *path) {
  char base[PATH_MAX], resolved[PATH_MAX];
  if (resolve(folder, ".", base) != 0 || resolve(folder, path, resolved) != 0) return -1;
  size_t length = strlen(base);
  int is_beneath = strncmp(resolved, base, length) == 0 && (resolved[length] == '/' || (length > 0 && base[length - 1] == '/'));
  if (!is_beneath) {
    errno = EXDEV;
    return -1;
  }
  return open(resolved, OPEN_FLAGS | O_NOFOLLOW);
}

int martlet_open_beneath(int folder, const char *path) {
#if defined(__linux__)
  // `struct open_how` of <linux/openat2.h>, which older headers lack; RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS.
  struct {
    uint64_t flags, mode, resolve;
  } how = {OPEN_FLAGS, 0, 0x08 | 0x02};
  // EAGAIN: something was renamed while the path was resolved.
  for (int attempt = 0; attempt < 64; attempt++) {
    long descriptor = syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (descriptor >= 0) return (int)descriptor;
    if (errno != EAGAIN && errno != EINTR) break;
  }
  // Sandboxes that do not know the call refuse it with EPERM.
  if (errno != ENOSYS && errno != EPERM && errno != EAGAIN) return -1;
#endif
  return open_resolved(folder, path);
}

#if defined(__linux__)
static int rename_with(const char *from, const char *to, unsigned flags) {
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}

int martlet_rename_exchange(const char *one, const char *other) { return rename_with(one, other, 2); }
#elif defined(__APPLE__)
int martlet_rename_exchange(const char *one, const char *other) { return renamex_np(one, other, RENAME_SWAP); }
#else
int martlet_rename_exchange(const char *one, const char *other) {
  (void)one, (void)other;
  errno = ENOSYS;
  return -1;
}
#endif

int martlet_rename_new(const char *from, const char *to) {
#if defined(__linux__)
  if (rename_with(from, to, 1) == 0) return 0;
#elif defined(__APPLE__)
  if (renamex_np(from, to, RENAME_EXCL) == 0) return 0;
#else
  errno = ENOSYS;
#endif
  if (errno != ENOSYS && errno != EINVAL && errno != ENOTSUP) return -1;
  // Without the flag: a folder replaces at most an empty folder.
  if (access(to, F_OK) == 0) {
    errno = EEXIST;
    return -1;
  }
  return rename(from, to);
}
