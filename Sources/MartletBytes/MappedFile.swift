import MartletTensor

import MartletSystem

/// Read-only bytes at a fixed address for the lifetime of the object: a memory-mapped file or a copy of bytes.
///
/// The mapping is private and read-only: the file cannot be modified, and pages are read on first access. The size is that of the file
/// when it was opened.
///
/// Another process can change a file while it is mapped. Reading is always safe: pages that a truncated file no longer has are read as
/// zeros. Whoever has computed something from the bytes calls `checkUnchanged()` before using the result. Small files, files that other
/// users may write to, and files that are open for writing, are copied and do not change any more.
@safe
@usableFromInline package final class MappedFile: Sendable {
  /// Intended use of a range, passed on to the kernel.
  package enum Advice: Sendable {
    case normal, random, sequential
    /// The range is needed now and as a whole: it is read into the page cache, in order, unless it is there already.
    case willNeed
    /// The range is not needed soon: its pages may be dropped and are read again on the next access.
    case doNotNeed
  }

  private enum Ownership {
    case mapping(OpenFile)
    case allocation
  }

  /// The path the file was opened with, or the name given to bytes in memory.
  package let path: String
  /// Total size in bytes.
  package let byteCount: Int

  // Safe to share: the bytes are never written after `init` and are released only in `deinit`.
  private nonisolated(unsafe) let start: UnsafeRawPointer
  private let ownership: Ownership

  /// Files below this size are copied: reading them is faster than mapping them.
  private static let smallByteCount = 256 << 10

  /// Maps or reads the file at `path`.
  ///
  /// - Throws: `FileError` if the file cannot be opened, mapped, read or locked, is empty, is not a regular file, or changes while it is
  ///   read.
  package convenience init(contentsOfPath path: String, access: FileAccess = .map) throws(FileError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(file: path, reason: "cannot be opened: \(systemMessage(errno))") }
    try self.init(OpenFile(descriptor, path: path), path: path, access: access)
  }

  init(_ file: OpenFile, path: String, access: FileAccess) throws(FileError) {
    let byteCount = file.state.byteCount
    guard byteCount > 0 else { throw FileError(file: path, reason: "is empty") }
    let mode = access.mode
    let isCopied =
      switch mode {
      case .read: true
      case .map: byteCount < Self.smallByteCount || file.othersMayWrite || file.hasWriter
      case .lock, .lockIfPossible: file.othersMayWrite || file.hasWriter
      }
    self.path = path
    self.byteCount = byteCount
    if isCopied {
      if byteCount >= Self.smallByteCount {
        let limit = access.copyLimit()
        guard byteCount <= limit else {
          let danger = file.hasWriter ? "it is open for writing" : "other users may write to it"
          let cause = mode == .read ? "must be read into memory" : "must be copied, because \(danger)"
          throw FileError(file: path, reason: "\(cause), but its \(byteCount) bytes exceed the memory limit of \(limit) bytes")
        }
      }
      unsafe start = try UnsafeRawPointer(file.copy(path: path, isLocked: mode == .lock))
      ownership = .allocation
      return
    }
    guard let address = unsafe mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, file.descriptor, 0), unsafe address != MAP_FAILED else {
      throw FileError(file: path, reason: "cannot be mapped into memory: \(systemMessage(errno))")
    }
    // The guard comes before the first access.
    guard unsafe file.guardMapping(at: address) else {
      unsafe munmap(address, byteCount)
      throw FileError(file: path, reason: "cannot be mapped into memory: changes of the file would end the process")
    }
    if mode == .lock || mode == .lockIfPossible, unsafe mlock(address, byteCount) != 0, mode == .lock {
      let reason = "cannot be locked in memory: \(systemMessage(errno))"
      file.endGuard()
      unsafe munmap(address, byteCount)
      throw FileError(file: path, reason: reason)
    }
    #if os(Linux)
      // Otherwise a recently written file would be mapped in large pages on first access, and released pages would return with their
      // neighbours.
      _ = unsafe madvise(address, byteCount, MADV_NOHUGEPAGE)
    #endif
    unsafe start = UnsafeRawPointer(address)
    ownership = .mapping(file)
  }

  /// Copies `bytes`; `name` replaces the path in errors. The copy is aligned to 64 bytes. Unlike a file, it may be empty.
  package init(copying bytes: some Collection<UInt8>, name: String = "<memory>") {
    let count = bytes.count
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 64)
    unsafe buffer.copyBytes(from: bytes)
    self.path = name
    self.byteCount = count
    unsafe self.start = UnsafeRawPointer(buffer.baseAddress!)
    self.ownership = .allocation
  }

  deinit {
    switch ownership {
    case .mapping(let file):
      file.endGuard()
      unsafe munmap(UnsafeMutableRawPointer(mutating: start), byteCount)
    case .allocation: unsafe start.deallocate()
    }
  }

  /// All bytes.
  package var bytes: ByteView { ByteView(of: self) }

  /// Address of the first byte. Valid while this object lives; bytes 0..<byteCount may be read.
  package var unsafeBaseAddress: UnsafeRawPointer { unsafe start }

  /// False for bytes in memory, which cannot change.
  package var isMapped: Bool { if case .mapping = ownership { true } else { false } }

  /// True for bytes in memory, and for a file that the system says is in the page cache as a whole. Costs one system call.
  package var isCached: Bool { if case .mapping(let file) = ownership { file.isCached } else { true } }

  /// Checks that the bytes read so far were those that the file had when it was opened.
  ///
  /// Costs one system call. A change is found by the file's size and modification time; renaming and deleting it change neither.
  /// - Throws: `FileError` if the file has been written to or truncated.
  package func checkUnchanged() throws(FileError) {
    guard case .mapping(let file) = ownership, !file.isUnchanged else { return }
    throw FileError(file: path, reason: "has changed since it was opened; load it again")
  }

  /// Tells the system how the bytes of `view` will be used. This is a hint without effect on bytes in memory; failures are ignored.
  ///
  /// The range is widened to whole pages. For `doNotNeed` it is narrowed instead, so that neighbouring data keeps its pages.
  package func advise(_ advice: Advice, for view: ByteView) {
    guard case .mapping(let file) = ownership, view.owner === self, view.count > 0 else { return }
    if advice == .willNeed {
      file.readAhead(view.offset..<view.offset + view.count)
      return
    }
    let page = Int(widening: sysconf(Int32(_SC_PAGESIZE)))
    var first = view.offset / page * page
    var end = view.offset + view.count
    if advice == .doNotNeed {
      first = (view.offset + page - 1) / page * page
      if end < byteCount { end = end / page * page }
    }
    guard end > first else { return }
    let option =
      switch advice {
      case .normal: MADV_NORMAL
      case .random: MADV_RANDOM
      case .sequential: MADV_SEQUENTIAL
      case .willNeed: preconditionFailure("see above")
      case .doNotNeed: MADV_DONTNEED
      }
    _ = unsafe madvise(UnsafeMutableRawPointer(mutating: start + first), end - first, Int32(clamping: option))
  }
}

/// Runs `body`, which reads `files`.
///
/// - Throws: `FileError` if a file has changed since it was opened, also in place of an error of `body`, which may be its consequence;
///   otherwise the errors of `body`.
package func reading<Result>(_ files: [MappedFile], _ body: () throws -> Result) throws -> Result {
  let result: Result
  do {
    result = try body()
  } catch {
    try files.checkUnchanged()
    throw error
  }
  try files.checkUnchanged()
  return result
}

extension [MappedFile] {
  /// Checks each file: see `MappedFile.checkUnchanged()`.
  package func checkUnchanged() throws(FileError) {
    for file in self { try file.checkUnchanged() }
  }
}
