import MartletBytes
import MartletTensor

import MartletSystem

/// Writes a new file and flushes it to disk.
/// - Throws: `FileError` if it exists already or cannot be written completely, because the disk is full or the task is cancelled.
func writeFile(_ bytes: ByteView, to path: String) throws(FileError) {
  let failure = unsafe bytes.withUnsafeBytes { unsafe writeFile($0, to: path) }
  if let failure { throw failure }
}

func writeFile(_ bytes: [UInt8], to path: String) throws(FileError) {
  let failure = unsafe bytes.withUnsafeBytes { unsafe writeFile($0, to: path) }
  if let failure { throw failure }
}

private func writeFile(_ bytes: UnsafeRawBufferPointer, to path: String) -> FileError? {
  let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
  guard descriptor >= 0 else { return FileError(file: path, reason: "cannot be created: \(systemMessage(errno))") }
  let cancellation = Cancellation.current
  var failure: Int32 = 0
  var count = 0
  while count < bytes.count, failure == 0 {
    if let cancellation, cancellation.isCancelled {
      failure = ECANCELED
      break
    }
    // In bounds by the loop condition. Larger pieces would be cached in larger units, which are mapped as a whole: a model that has just
    // been compiled would have all its weights resident instead of those that it reads.
    let written = unsafe write(descriptor, bytes.baseAddress! + count, min(bytes.count - count, 64 << 10))
    if written > 0 { count += written } else if written == 0 { failure = ENOSPC } else if errno != EINTR { failure = errno }
  }
  // Some file systems do not support this.
  if failure == 0, fsync(descriptor) != 0, errno != EINVAL { failure = errno }
  if close(descriptor) != 0, failure == 0, errno != EINTR { failure = errno }
  return failure == 0 ? nil : FileError(file: path, reason: "cannot be written: \(systemMessage(failure))")
}

/// Flushes the content of a file, or the entries of a folder, to disk.
func synchronize(_ path: String) throws(FileError) {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw FileError(file: path, reason: "cannot be opened: \(systemMessage(errno))") }
  defer { close(descriptor) }
  // Some file systems do not support this for folders.
  guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else {
    throw FileError(file: path, reason: "cannot be written to disk: \(systemMessage(errno))")
  }
}
