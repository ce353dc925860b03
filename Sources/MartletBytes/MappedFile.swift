#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Read-only bytes that stay at one address for the lifetime of the object: a file mapped into memory, or a copy of bytes.
///
/// Mapping is private and read-only, so nothing here can change the file, and pages are read when they are touched. The size is
/// that of the file when it was opened; a file that another process shortens afterwards faults on access, as with every mapping.
@safe
package final class MappedFile: Sendable {
  /// What the program intends to do with a range, passed on to the kernel.
  package enum Advice: Sendable {
    case normal, random, sequential
    /// The range is needed soon: read it ahead.
    case willNeed
    /// The range is not needed soon: its pages may be dropped, and are read again when touched.
    case doNotNeed
  }

  private enum Ownership {
    case mapping, allocation
  }

  /// The path the file was opened with, or the name given to bytes in memory.
  package let path: String
  /// Bytes in total.
  package let byteCount: Int

  // Safe to share: the bytes are never written after `init` and are released only in `deinit`.
  private nonisolated(unsafe) let start: UnsafeRawPointer
  private let ownership: Ownership

  /// Maps the file at `path`.
  ///
  /// - Throws: `FileError` when the file cannot be opened or mapped, is empty, or is not a regular file.
  package init(contentsOfPath path: String) throws(FileError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(file: path, reason: "cannot be opened: \(systemMessage(errno))") }
    defer { close(descriptor) }

    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw FileError(file: path, reason: "cannot be examined: \(systemMessage(errno))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(file: path, reason: "is not a regular file") }
    guard let byteCount = Int(exactly: status.st_size), byteCount > 0 else { throw FileError(file: path, reason: "is empty") }

    guard let address = unsafe mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0), unsafe address != MAP_FAILED else {
      throw FileError(file: path, reason: "cannot be mapped into memory: \(systemMessage(errno))")
    }
    self.path = path
    self.byteCount = byteCount
    unsafe self.start = UnsafeRawPointer(address)
    self.ownership = .mapping
  }

  /// Copies `bytes`; `name` stands for the path in errors. The copy is aligned to 64 bytes. Unlike a file, it may be empty.
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

  /// Tells the kernel how the bytes of `view` will be used. Only a hint: it has no effect on bytes in memory or on failure.
  ///
  /// The range is widened to whole pages; `doNotNeed` narrows it instead, so that neighbours keep theirs.
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

/// The system's text for an error number.
private func systemMessage(_ code: Int32) -> String {
  guard let text = unsafe strerror(code) else { return "error \(code)" }
  return unsafe String(cString: text)
}
