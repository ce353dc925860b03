import Foundation
import MartletBytes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An inter-process lock, held until the object is released or the process ends in any way.
final class FileLock {
  private let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Waits for the lock on the file at `path`. The file is created if necessary and never removed.
  static func wait(_ path: String) throws(FileError) -> FileLock {
    let descriptor = try opened(path)
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else {
        close(descriptor)
        throw FileError(file: path, reason: "cannot be locked: error \(errno)")
      }
    }
    return FileLock(descriptor)
  }

  /// Takes the lock if it is free; otherwise returns nil.
  static func ifFree(_ path: String) throws(FileError) -> FileLock? {
    let descriptor = try opened(path)
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return FileLock(descriptor) }
    close(descriptor)
    return nil
  }

  private static func opened(_ path: String) throws(FileError) -> Int32 {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw FileError(file: path, reason: "cannot be opened: error \(errno)") }
    return descriptor
  }

  deinit { close(descriptor) }
}

/// Flushes the content of a file, or the entries of a folder, to disk.
func synchronize(_ path: String) throws(FileError) {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw FileError(file: path, reason: "cannot be opened: error \(errno)") }
  defer { close(descriptor) }
  // Some file systems do not support this for folders.
  guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else {
    throw FileError(file: path, reason: "cannot be written to disk: error \(errno)")
  }
}
