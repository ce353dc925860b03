#ifndef MARTLET_FILES_H
#define MARTLET_FILES_H

#include <stddef.h>
#include <stdint.h>

// MARK: Guarded mappings

/// A range of mapped pages of a file in which a page fault that the file cannot serve does not end the process.
typedef struct martlet_guard martlet_guard;

/// Guards `length` bytes mapped at `start`, a multiple of the page size.
///
/// A page that lies beyond the end of a truncated file, or that the device cannot read, faults with SIGBUS. In a guarded range, this page
/// and all behind it are replaced by zeros and the guard is marked as broken. Faults elsewhere are left to the handler that was installed
/// before. The first call installs the process's handler; if an application replaces it, there are no guards.
///
/// Returns NULL if there is no memory or the handler cannot be installed.
martlet_guard *martlet_guard_begin(void *start, size_t length);

/// Ends a guard. Must be called before the range is unmapped, when no thread reads it any more.
void martlet_guard_end(martlet_guard *guard);

/// Returns 1 if pages of the range have been replaced.
int martlet_guard_is_broken(const martlet_guard *guard);

// MARK: Paths

/// Opens the file at a path relative to the folder that `folder` is a descriptor of, for reading. Symbolic links are followed within the
/// folder only.
///
/// Returns a descriptor, or -1 with `errno` set: EXDEV if the path leaves the folder.
int martlet_open_beneath(int folder, const char *path);

/// Renames `from` to `to` in one step. Fails with EEXIST or ENOTEMPTY if there is something at `to`.
int martlet_rename_new(const char *from, const char *to);

/// Exchanges two files or folders in one step. Fails with ENOSYS, EINVAL or ENOTSUP where the system cannot do this.
int martlet_rename_exchange(const char *one, const char *other);

// MARK: Writers

/// Waits until each call of `write` that is in progress on the file has ended. Calls that begin later are not waited for.
///
/// Without effect in file systems that do not lock a file while it is written. Sets the descriptor's position to 0.
void martlet_wait_for_writes(int descriptor);

/// Returns 1 if a process has the file open for writing or mapped for writing, 0 if none has, and -1 if the system does not tell: the file
/// belongs to another user, or the file system or the system has no leases.
///
/// The descriptor must be open for reading only. A process that opens the file for writing during the call waits until it has returned.
int martlet_has_writer(int descriptor);

// MARK: Reading ahead

/// Reads `length` bytes of a file from `start` on into the page cache, in order and without a copy, unless they are there already. Waits
/// until they are. Returns the number of bytes that were missing or followed a missing one, and 0 where the system cannot do this.
///
/// In order, because Linux then reads in large requests and into large folios. POSIX_FADV_WILLNEED fills single pages, which takes the
/// device twice and the processor five times as long.
int64_t martlet_read_ahead(int descriptor, int64_t start, int64_t length);

/// Returns 1 if all `length` bytes of a file from `start` on are in the page cache, 0 if they are not or the system does not tell.
int martlet_is_cached(int descriptor, int64_t start, int64_t length);

// MARK: Checksums

/// Length in bytes of the blocks that `martlet_block_checksum` is meant for.
#define MARTLET_CHECKSUM_BLOCK 65536

/// Checksum of a block of up to `MARTLET_CHECKSUM_BLOCK` bytes. It finds damage, not forgery, in about the time that reading takes.
///
/// The bytes, with zeros up to a multiple of 256, are stripes of 32 little-endian words of 64 bits. Word i of stripe s adds to two sums:
/// itself to sum i ^ 1, and the product of the halves of `word ^ (s + 1) * key[i % 8]` to sum i. The sums begin with the length. Four
/// sums at a distance of 8 are added up with odd factors, and the eight results hashed to 32 bits. All arithmetic is modulo 2^64.
uint32_t martlet_block_checksum(const void *bytes, size_t length);

/// The same without instructions beyond the target's baseline. For tests.
uint32_t martlet_block_checksum_portable(const void *bytes, size_t length);

#endif
