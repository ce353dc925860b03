import FoundationEssentials
import MartletBytes

import MartletSystem

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
        throw FileError(file: path, reason: "cannot be locked: \(systemMessage(errno))")
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

  /// Locks a folder itself.
  /// - Parameter waits: false to return nil if the lock is not free.
  /// - Returns: also nil if the folder cannot be locked, as in some network file systems.
  static func ofFolder(_ path: String, waits: Bool) -> FileLock? {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    while flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
      guard errno == EINTR else {
        close(descriptor)
        return nil
      }
    }
    return FileLock(descriptor)
  }

  private static func opened(_ path: String) throws(FileError) -> Int32 {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw FileError(file: path, reason: "cannot be opened: \(systemMessage(errno))") }
    return descriptor
  }

  deinit { close(descriptor) }
}
