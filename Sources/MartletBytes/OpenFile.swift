import MartletTensor

import MartletSystem

/// An open file, and what tells whether it has changed since.
@safe
final class OpenFile: Sendable {
  /// What a write to the file changes.
  struct State: Sendable, Hashable {
    let byteCount: Int
    let seconds: Int
    let nanoseconds: Int

    init?(_ descriptor: Int32) {
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else { return nil }
      self.init(status)
    }

    init(_ status: stat) {
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      byteCount = Int(widening: status.st_size)
      seconds = Int(widening: time.tv_sec)
      nanoseconds = Int(widening: time.tv_nsec)
    }

    /// The present time of the clock that modification times are taken from.
    private static var now: (seconds: Int, nanoseconds: Int) {
      var now = timespec()
      #if os(Linux)
        unsafe clock_gettime(CLOCK_REALTIME_COARSE, &now)
      #else
        unsafe clock_gettime(CLOCK_REALTIME, &now)
      #endif
      return (Int(widening: now.tv_sec), Int(widening: now.tv_nsec))
    }

    /// True if the last modification is at most `age` seconds ago, or as little in the future.
    func isRecent(_ age: Int) -> Bool {
      let now = Self.now.seconds
      return seconds >= now - age && seconds <= now + age
    }

    /// True if a write at this moment might leave the modification time as it is. A time further in the future was set by another clock.
    var isOfThisTick: Bool {
      let now = Self.now
      return now <= (seconds, nanoseconds) && seconds <= now.seconds + 1
    }
  }

  let descriptor: Int32
  /// The state when the file was opened.
  let state: State
  /// True if users other than the process's own and the system's may write to the file. A group with the number of the file's owner is
  /// the owner's private group.
  let othersMayWrite: Bool
  /// True if a process, possibly this one, had the file open for writing when it was opened here: its writes may not change the state.
  let hasWriter: Bool
  /// Guards the mapping; set once, before other threads see the file.
  private nonisolated(unsafe) var mappingGuard: OpaquePointer?

  /// Takes over `descriptor`.
  /// - Throws: `FileError` unless it is that of a regular file.
  init(_ descriptor: Int32, path: String) throws(FileError) {
    self.descriptor = descriptor
    var status = stat()
    let isKnown: Bool
    (isKnown, hasWriter) = Self.settle(descriptor, &status)
    let code = errno
    state = State(status)
    othersMayWrite =
      (status.st_uid != geteuid() && status.st_uid != 0) || status.st_mode & S_IWOTH != 0
      || (status.st_mode & S_IWGRP != 0 && status.st_gid != status.st_uid)
    // From here on, the descriptor is closed by `deinit`.
    guard isKnown else { throw FileError(file: path, reason: "cannot be examined: \(systemMessage(code))") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(file: path, reason: "is not a regular file") }
  }

  deinit { close(descriptor) }

  /// Age in seconds of the last modification from which on no process is taken to write through a mapping of its own: the system writes
  /// changed pages to disk twice within this time, and the next change of such a page sets the modification time again.
  private static let longestSilence = 60
  /// How often to try to find the file at rest. Attempts are 1 ms apart.
  private static let mostAttempts = 100

  /// Reads the file's state when a later write is bound to change it.
  ///
  /// A write sets the modification time before it copies its bytes, and on many systems takes the time from a clock that ticks every few
  /// milliseconds. A file may therefore be in the middle of a write, or be written again in the same tick, without another state: the
  /// write and the tick must be over. A process that has the file mapped for writing changes it without any call.
  /// - Returns: false for `isKnown` if the state cannot be read, with `errno` set. True for `hasWriter` if the file may change without
  ///   another state.
  private static func settle(_ descriptor: Int32, _ status: inout stat) -> (isKnown: Bool, hasWriter: Bool) {
    for _ in 0..<mostAttempts {
      guard unsafe fstat(descriptor, &status) == 0 else { return (false, false) }
      guard status.st_mode & S_IFMT == S_IFREG else { return (true, false) }
      let state = State(status)
      if !state.isOfThisTick {
        martlet_wait_for_writes(descriptor)
        let hasWriter = state.isRecent(longestSilence) && martlet_has_writer(descriptor) == 1
        // Otherwise a write has begun meanwhile.
        if State(descriptor) == state { return (true, hasWriter) }
      }
      usleep(1000)
    }
    return (true, true)
  }

  /// Lets faults in a mapping of the whole file at `address` read zeros.
  func guardMapping(at address: UnsafeMutableRawPointer) -> Bool {
    unsafe mappingGuard = martlet_guard_begin(address, state.byteCount)
    return unsafe mappingGuard != nil
  }

  func endGuard() {
    if let ended = unsafe mappingGuard { unsafe martlet_guard_end(ended) }
  }

  /// True if no fault has been guarded and the file has the same state as when it was opened.
  var isUnchanged: Bool {
    if let known = unsafe mappingGuard, unsafe martlet_guard_is_broken(known) != 0 { return false }
    return State(descriptor) == state
  }

  /// True if the system says that the whole file is in the page cache.
  var isCached: Bool { martlet_is_cached(descriptor, 0, Int64(widening: state.byteCount)) != 0 }

  /// Reads a part of the file into the page cache, unless it is there.
  func readAhead(_ part: Range<Int>) {
    _ = martlet_read_ahead(descriptor, Int64(widening: part.lowerBound), Int64(widening: part.count))
  }

  /// The file's content in memory aligned to 64 bytes, which the caller deallocates.
  func copy(path: String, isLocked: Bool) throws(FileError) -> UnsafeMutableRawPointer {
    var memory: UnsafeMutableRawPointer?
    guard unsafe posix_memalign(&memory, 64, state.byteCount) == 0, let memory = unsafe memory else {
      throw FileError(file: path, reason: "cannot be read: there is no memory for its \(state.byteCount) bytes")
    }
    do throws(FileError) {
      let (count, failure) = unsafe readFile(descriptor, into: UnsafeMutableRawBufferPointer(start: memory, count: state.byteCount))
      guard count == state.byteCount else {
        let reason = failure == 0 ? "ends after \(count) of \(state.byteCount) bytes" : "cannot be read: \(systemMessage(failure))"
        throw FileError(file: path, reason: reason)
      }
      guard State(descriptor) == state else { throw FileError(file: path, reason: "changed while it was being read; load it again") }
      if isLocked, unsafe mlock(memory, state.byteCount) != 0 {
        throw FileError(file: path, reason: "cannot be locked in memory: \(systemMessage(errno))")
      }
    } catch {
      unsafe free(memory)
      throw error
    }
    return unsafe memory
  }
}

/// Reads from the file's position on until the memory is full or the file ends. A signal does not end it.
/// - Returns: the number of bytes read, and the error number if an error ended it, else 0.
package func readFile(_ descriptor: Int32, into memory: UnsafeMutableRawBufferPointer) -> (count: Int, failure: Int32) {
  var count = 0
  while count < memory.count, let start = memory.baseAddress {
    // In range: at most the size of the memory.
    let got = unsafe read(descriptor, start + count, memory.count - count)
    if got < 0, errno == EINTR { continue }
    guard got > 0 else { return (count, got < 0 ? errno : 0) }
    count += got
  }
  return (count, 0)
}

/// The system's message for an error number.
package func systemMessage(_ code: Int32) -> String {
  guard let text = unsafe strerror(code) else { return "error \(code)" }
  return unsafe String(cString: text)
}
