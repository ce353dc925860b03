import Foundation
import MartletBytes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A lock between processes, held until the object goes or the process ends, however it ends.
final class FileLock {
  private let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Waits for the lock of the file at `path`, which is made if it is missing and stays for good.
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

  /// The lock if nobody has it, else nil.
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

/// Makes sure that the content of a file, or the entries of a folder, are on disk.
func synchronize(_ path: String) throws(FileError) {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw FileError(file: path, reason: "cannot be opened: error \(errno)") }
  defer { close(descriptor) }
  // Some file systems have no such thing for folders.
  guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else {
    throw FileError(file: path, reason: "cannot be written to disk: error \(errno)")
  }
}
