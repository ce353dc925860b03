#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Read-only bytes at a fixed address for the lifetime of the object: a memory-mapped file or a copy of bytes.
///
/// The mapping is private and read-only: the file cannot be modified, and pages are read on first access. The size is that of the file
/// when it was opened. If another process truncates the file later, accesses fault, as with every mapping.
@safe
@usableFromInline package final class MappedFile: Sendable {
  /// Intended use of a range, passed on to the kernel.
  package enum Advice: Sendable {
    case normal, random, sequential
    /// The range is needed soon: read ahead.
    case willNeed
    /// The range is not needed soon: its pages may be dropped and are read again on the next access.
    case doNotNeed
  }

  /// The way a file is loaded into memory.
  package enum Mode: Sendable {
    /// Memory-mapped: pages are read on first access.
    case map
    /// Read into memory as a whole.
    case read
    /// Memory-mapped and locked in physical memory; fails if the system does not allow this.
    case lock
    /// Memory-mapped, and locked in physical memory if the system allows it.
    case lockIfPossible
  }

  private enum Ownership {
    case mapping, allocation
  }

  /// The path the file was opened with, or the name given to bytes in memory.
  package let path: String
  /// Total size in bytes.
  package let byteCount: Int

  // Safe to share: the bytes are never written after `init` and are released only in `deinit`.
  private nonisolated(unsafe) let start: UnsafeRawPointer
  private let ownership: Ownership

  /// Maps or reads the file at `path`.
  ///
  /// - Throws: `FileError` if the file cannot be opened, mapped, read or locked, is empty, or is not a regular file.
  package init(contentsOfPath path: String, mode: Mode = .map) throws(FileError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(file: path, reason: "cannot be opened: \(systemMessage(errno))") }
    defer { close(descriptor) }

    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw FileError(file: path, reason: "cannot be examined: \(systemMessage(errno))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(file: path, reason: "is not a regular file") }
    guard let byteCount = Int(exactly: status.st_size), byteCount > 0 else { throw FileError(file: path, reason: "is empty") }

    if mode == .read {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 64)
      var count = 0
      while count < byteCount {
        let got = unsafe Self.read(descriptor, buffer.baseAddress! + count, byteCount - count)
        guard got > 0 else {
          let reason = got == 0 ? "ends after \(count) of \(byteCount) bytes" : "cannot be read: \(systemMessage(errno))"
          unsafe buffer.deallocate()
          throw FileError(file: path, reason: reason)
        }
        count += got
      }
      self.path = path
      self.byteCount = byteCount
      unsafe self.start = UnsafeRawPointer(buffer.baseAddress!)
      self.ownership = .allocation
      return
    }
    guard let address = unsafe mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0), unsafe address != MAP_FAILED else {
      throw FileError(file: path, reason: "cannot be mapped into memory: \(systemMessage(errno))")
    }
    if mode == .lock || mode == .lockIfPossible, unsafe mlock(address, byteCount) != 0, mode == .lock {
      let reason = "cannot be locked in memory: \(systemMessage(errno))"
      unsafe munmap(address, byteCount)
      throw FileError(file: path, reason: reason)
    }
    #if os(Linux)
      // Otherwise a recently written file would be mapped in large pages on first access, and released pages would return with their
      // neighbours.
      _ = unsafe madvise(address, byteCount, MADV_NOHUGEPAGE)
    #endif
    self.path = path
    self.byteCount = byteCount
    unsafe self.start = UnsafeRawPointer(address)
    self.ownership = .mapping
  }

  /// Calls the system's `read` again if a signal interrupts it.
  private static func read(_ descriptor: Int32, _ target: UnsafeMutableRawPointer, _ count: Int) -> Int {
    while true {
      #if canImport(Glibc)
        let got = unsafe Glibc.read(descriptor, target, count)
      #elseif canImport(Musl)
        let got = unsafe Musl.read(descriptor, target, count)
      #else
        let got = unsafe Darwin.read(descriptor, target, count)
      #endif
      if got >= 0 || errno != EINTR { return got }
    }
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
    case .mapping: unsafe munmap(UnsafeMutableRawPointer(mutating: start), byteCount)
    case .allocation: unsafe start.deallocate()
    }
  }

  /// All bytes.
  package var bytes: ByteView { ByteView(of: self) }

  /// Address of the first byte. Valid while this object lives; bytes 0..<byteCount may be read.
  package var unsafeBaseAddress: UnsafeRawPointer { unsafe start }

  /// Tells the kernel how the bytes of `view` will be used. This is a hint without effect on bytes in memory; failures are ignored.
  ///
  /// The range is widened to whole pages. For `doNotNeed` it is narrowed instead, so that neighbouring data keeps its pages.
  package func advise(_ advice: Advice, for view: ByteView) {
    guard ownership == .mapping, view.owner === self, view.count > 0 else { return }
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
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
      case .willNeed: MADV_WILLNEED
      case .doNotNeed: MADV_DONTNEED
      }
    _ = unsafe madvise(UnsafeMutableRawPointer(mutating: start + first), end - first, Int32(option))
  }
}

/// The system's message for an error number.
private func systemMessage(_ code: Int32) -> String {
  guard let text = unsafe strerror(code) else { return "error \(code)" }
  return unsafe String(cString: text)
}
