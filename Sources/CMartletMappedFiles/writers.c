#define _GNU_SOURCE
#include "martlet_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

void martlet_wait_for_writes(int descriptor) {
#if defined(SEEK_DATA)
  // A write holds the inode's lock to its end. ext4, Btrfs and tmpfs take it for this call, XFS for reading.
  lseek(descriptor, 0, SEEK_DATA);
  lseek(descriptor, 0, SEEK_SET);
#endif
  char byte;
  ssize_t count = pread(descriptor, &byte, 1, 0);
  (void)count;
}

#if defined(__linux__)
int martlet_has_writer(int descriptor) {
  // The system grants a read lease only while nobody has the file open for writing. A process that opens it for writing before the lease
  // is given back makes the system send a signal; the default one, SIGIO, would end this process, SIGURG is ignored by default.
  if (fcntl(descriptor, F_SETSIG, SIGURG) != 0) return -1;
  if (fcntl(descriptor, F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN ? 1 : -1;
  // Fails only if the system has taken the lease away already.
  fcntl(descriptor, F_SETLEASE, F_UNLCK);
  return 0;
}
#else
int martlet_has_writer(int descriptor) {
  (void)descriptor;
  return -1;
}
#endif
