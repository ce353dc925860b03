import Foundation
import Synchronization

/// The memory of a bitmap context: its own, or the caller's.
@safe
final class BitmapMemory: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  let byteCount: Int
  let isOwn: Bool
  private let release: () -> Void

  /// Zeroed memory; nil if there is not enough.
  init?(byteCount: Int) {
    guard let base = unsafe calloc(max(byteCount, 1), 1) else { return nil }
    unsafe self.base = base
    self.byteCount = byteCount
    isOwn = true
    release = { unsafe free(base) }
  }

  /// - Parameter release: called with the last reference.
  init(borrowing base: UnsafeMutableRawPointer, byteCount: Int, release: @escaping () -> Void) {
    unsafe self.base = base
    self.byteCount = byteCount
    self.release = release
    isOwn = false
  }

  deinit { release() }

  var bytes: UnsafeMutableRawBufferPointer { unsafe UnsafeMutableRawBufferPointer(start: base, count: byteCount) }
}

/// A snapshot of a context's memory. It is copied when the context is about to change its memory.
@safe
final class BitmapSnapshot: @unchecked Sendable {
  private enum Content {
    case shared(BitmapMemory)
    case copied(Data)
  }

  let byteCount: Int
  private let lock = NSLock()
  private var content: Content

  init(_ memory: BitmapMemory) {
    byteCount = memory.byteCount
    content = .shared(memory)
  }

  /// Makes the snapshot independent of the memory.
  func detach() {
    lock.withLock {
      if case .shared(let memory) = content { unsafe content = .copied(Data(memory.bytes)) }
    }
  }

  @unsafe
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    lock.lock()
    if case .copied(let data) = content {
      lock.unlock()
      return try unsafe data.withUnsafeBytes(body)
    }
    // The memory must not change while it is read.
    defer { lock.unlock() }
    guard case .shared(let memory) = content else { preconditionFailure("the content is shared or copied") }
    return try unsafe body(UnsafeRawBufferPointer(memory.bytes))
  }
}
