import Foundation
import MartletBytes
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct MappedFileTests {
  /// Runs `body` with the path of a temporary file of `bytes`.
  private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try Data(bytes).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
  }

  @Test func `A mapped file has the file's bytes, and outlives the file's name`() throws {
    let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var view = ByteView.empty
    try withFile(bytes) { path in view = try MappedFile(contentsOfPath: path).bytes }
    #expect(view.array == bytes)
    for advice in [.normal, .random, .sequential, .willNeed, .doNotNeed] as [MappedFile.Advice] {
      view.owner.advise(advice, for: try view.slice(offset: 5000, count: 3000))
      #expect(view.array == bytes)
    }
  }

  #if os(Linux)
    /// The type of the file system of temporary files.
    private static let fileSystem: String? = {
      let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path + "/"
      guard let mounts = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8) else { return nil }
      var (longest, type) = (0, "")
      for line in mounts.split(separator: "\n") {
        let fields = line.split(separator: " ").map(String.init)
        guard fields.count > 2, fields[1].count >= longest else { continue }
        guard fields[1] == "/" || folder.hasPrefix(fields[1] + "/") else { continue }
        (longest, type) = (fields[1].count, fields[2])
      }
      return type
    }()

    /// True if temporary files lie in an overlay file system, as those of most containers: it does not tell whether a file is mapped for
    /// writing.
    private static var isInOverlay: Bool { fileSystem == "overlay" }

    private static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// Runs `body` with a new file of `count` bytes, all 7, that is written to the device: its path, a descriptor, and a function that
    /// counts the pages of a part that are in memory.
    private func withCache(_ count: Int, _ body: (String, Int32, (Range<Int>) -> Int) throws -> Void) throws {
      try withFile([UInt8](repeating: 7, count: count)) { path in
        let descriptor = unsafe open(path, O_RDONLY)
        defer { close(descriptor) }
        guard let address = unsafe mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0) else { return }
        defer { _ = unsafe munmap(address, count) }
        fsync(descriptor)
        try body(path, descriptor) { part in
          var pages = [UInt8](repeating: 0, count: part.count / Self.pageSize)
          #expect(unsafe mincore(address + part.lowerBound, part.count, &pages) == 0)
          return pages.count { $0 & 1 == 1 }
        }
      }
    }

    /// True if the file system tells that a page is cached. Overlay file systems do not, nor those in memory with some kernels.
    private static func tellsCachedPages(_ descriptor: Int32) -> Bool {
      var byte: UInt8 = 0
      return (0..<20).contains { _ in unsafe pread(descriptor, &byte, 1, 0) == 1 && martlet_read_ahead(descriptor, 0, 1) == 0 }
    }

    // The system may take pages away at any time, so that single attempts of the next two tests may fail.
    @Test func `What is needed is read into the page cache once`() throws {
      let count = 6 << 20
      let part = 1 << 20..<4 << 20
      let all = part.count / Self.pageSize
      try withCache(count) { path, descriptor, cachedPages in
        /// True if the system has let all pages go. Some file systems keep them.
        func isDropped() -> Bool {
          posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
          return cachedPages(part) == 0
        }
        let (start, length) = (Int64(part.lowerBound), Int64(part.count))
        // Where the file system does not tell what is cached, all is read again.
        let tells = Self.tellsCachedPages(descriptor)
        #expect(tells || Self.isInOverlay || Self.fileSystem == "tmpfs")
        let again = tells ? 0 : part.count
        var attempts: [[Int]] = []
        repeat {
          let missing = isDropped() || !tells ? Int64(part.count) : 0
          attempts.append([
            martlet_read_ahead(descriptor, start, length) == missing ? 0 : 1, all - cachedPages(part),
            Int(martlet_read_ahead(descriptor, start, length)) - again,
          ])
        } while attempts.last != [0, 0, 0] && attempts.count < 20
        #expect(attempts.last == [0, 0, 0], "\(attempts)")
        #expect(martlet_read_ahead(descriptor, 0, 0) == 0)
        #expect(martlet_read_ahead(-1, 0, 4096) >= 0)

        var file = try MappedFile(contentsOfPath: path)
        // A process that another test starts may have inherited the descriptor for writing for a moment. The file is then copied.
        for _ in 0..<100 where !file.isMapped {
          usleep(20_000)
          file = try MappedFile(contentsOfPath: path)
        }
        #expect(file.isMapped)
        var cached: [Int] = []
        repeat {
          _ = isDropped()
          file.advise(.willNeed, for: file.bytes)
          cached.append(cachedPages(part))
        } while cached.last != all && cached.count < 20
        #expect(cached.last == all, "\(cached)")
        #expect(file.bytes.array == [UInt8](repeating: 7, count: count))
      }
    }

    @Test func `A file of which pages are missing is not cached`() throws {
      let count = 3 << 20
      let length = Int64(count)
      try withCache(count) { path, descriptor, cachedPages in
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        if cachedPages(0..<count) == 0 { #expect(martlet_is_cached(descriptor, 0, length) == 0) }
        // Not every system tells.
        let isTold = (0..<20).contains { _ in
          _ = martlet_read_ahead(descriptor, 0, length)
          return martlet_is_cached(descriptor, 0, length) == 1
        }
        if isTold {
          #expect(cachedPages(0..<count) == count / Self.pageSize)
          let file = try MappedFile(contentsOfPath: path)
          #expect(file.isCached)
          #expect(martlet_is_cached(descriptor, length - 1, 1) == 1)
          #expect(martlet_is_cached(descriptor, length - 1, 1 << 20) == 0)
        }
        #expect(martlet_is_cached(descriptor, 0, 0) == 1)
        #expect(martlet_is_cached(-1, 0, 4096) == 0)
      }
      #expect(MappedFile(copying: [1, 2, 3]).isCached)
    }

    @Test func `A page that was read alone does not stand for those behind it`() throws {
      let part = 1 << 20..<5 << 20
      try withCache(6 << 20) { _, descriptor, cachedPages in
        var byte: UInt8 = 0
        var cached: [Int] = []
        repeat {
          posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
          // Without reading ahead, the kernel reads single pages: here the first ones of two stretches that are probed.
          posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM)
          for position in [0, 1 << 20] as [off_t] { #expect(unsafe pread(descriptor, &byte, 1, position) == 1) }
          posix_fadvise(descriptor, 0, 0, POSIX_FADV_NORMAL)
          _ = martlet_read_ahead(descriptor, Int64(part.lowerBound), Int64(part.count))
          cached.append(cachedPages(part))
        } while cached.last != part.count / Self.pageSize && cached.count < 20
        #expect(cached.last == part.count / Self.pageSize, "\(cached)")
      }
    }
  #endif

  @Test func `What cannot be mapped is an error with the path and the reason`() throws {
    let missing = #expect(throws: FileError.self) { try MappedFile(contentsOfPath: "/no/such/file") }
    #expect(missing?.file == "/no/such/file")
    #expect(missing?.reason == "cannot be opened: No such file or directory")
    let folder = #expect(throws: FileError.self) { try MappedFile(contentsOfPath: "/") }
    #expect(folder?.reason == "is not a regular file")
    let device = #expect(throws: FileError.self) { try MappedFile(contentsOfPath: "/dev/null") }
    #expect(device?.reason == "is not a regular file")
    try withFile([]) { path in
      let empty = #expect(throws: FileError.self) { try MappedFile(contentsOfPath: path) }
      #expect(empty?.reason == "is empty")
    }
  }

  @Test func `A view gives only what lies within it`() throws {
    let view = try MappedFile(copying: [0, 1, 2, 3, 4, 5, 6, 7]).bytes.slice(offset: 2, count: 4)
    #expect(view.array == [2, 3, 4, 5])
    #expect(try view.load(UInt32.self, at: 0) == 0x0504_0302)
    #expect(try view.load(UInt16.self, at: 1) == 0x0403)
    #expect(try view.suffix(from: 3).array == [5])
    #expect(try view.suffix(from: 4).isEmpty)
    #expect(view.hasBytes("\u{3}\u{4}", at: 1))
    #expect(!view.hasBytes("\u{5}\u{6}", at: 3))
    for (offset, count) in [(-1, 1), (0, 5), (4, 1), (5, 0), (0, -1), (.max, 1), (1, .max), (.min, 0)] {
      #expect(throws: FileError.self) { try view.slice(offset: offset, count: count) }
    }
    for (offset, count) in [(0, 5), (.max, 1), (1, .max), (1 << 63, 0)] as [(UInt64, UInt64)] {
      #expect(throws: FileError.self) { try view.slice(offset: offset, count: count) }
    }
    #expect(throws: FileError.self) { try view.load(UInt32.self, at: 1) }
    #expect(throws: FileError.self) { try view.load(UInt8.self, at: .max) }
    let error = #expect(throws: FileError.self) { try view.load(UInt8.self, at: 4, field: "x") }
    #expect(error?.byteOffset == 6)
    #expect(error?.description == "<memory>, byte 6, x: a value of 1 bytes at byte 4 exceeds the 4 available bytes")
  }

  /// Large enough to be mapped.
  private static let large = [UInt8](repeating: 7, count: 300 << 10)

  @Test func `A file that is truncated while it is mapped reads as zeros and is an error`() throws {
    try withFile(Self.large) { path in
      let file = try MappedFile(contentsOfPath: path)
      let other = try MappedFile(contentsOfPath: path)
      #expect(file.isMapped)
      #expect(try file.bytes.load(UInt8.self, at: 0) == 7)
      try file.checkUnchanged()
      try #require(unsafe truncate(path, 5000) == 0)
      // The page that the end lies in keeps its beginning.
      #expect(file.bytes.array == [UInt8](repeating: 7, count: 5000) + [UInt8](repeating: 0, count: Self.large.count - 5000))
      let error = #expect(throws: FileError.self) { try file.checkUnchanged() }
      #expect(error?.file == path)
      // Not even the old size makes it the old file again.
      try #require(unsafe truncate(path, Self.large.count) == 0)
      #expect(throws: FileError.self) { try file.checkUnchanged() }
      #expect(throws: FileError.self) { try other.checkUnchanged() }
    }
  }

  @Test func `A file that is overwritten in place is an error, one that is replaced keeps its content`() throws {
    try withFile(Self.large) { path in
      let file = try MappedFile(contentsOfPath: path)
      let descriptor = unsafe open(path, O_WRONLY)
      #expect(unsafe pwrite(descriptor, [1 as UInt8, 2, 3], 3, 200_000) == 3)
      close(descriptor)
      #expect(throws: FileError.self) { try file.checkUnchanged() }
      #expect(throws: FileError.self) { try reading([file]) { throw CancellationError() } }

      let replaced = try MappedFile(contentsOfPath: path)
      try Data([1, 2, 3]).write(to: URL(filePath: path), options: .atomic)
      #expect(replaced.byteCount == Self.large.count && replaced.bytes.array.last == 7)
      try replaced.checkUnchanged()
      let result = try reading([replaced]) { replaced.bytes.count }
      #expect(result == Self.large.count)
    }
  }

  @Test func `Small files and files that others may write to are copied`() throws {
    try withFile([UInt8](repeating: 1, count: 1000)) { path in
      let small = try MappedFile(contentsOfPath: path)
      #expect(!small.isMapped)
    }
    try withFile(Self.large) { path in
      let mapped = try MappedFile(contentsOfPath: path)
      let read = try MappedFile(contentsOfPath: path, access: .read)
      #expect(mapped.isMapped && !read.isMapped)
      try #require(unsafe chmod(path, 0o666) == 0)
      let copied = try MappedFile(contentsOfPath: path)
      #expect(!copied.isMapped)
      try #require(unsafe truncate(path, 0) == 0)
      #expect(copied.bytes.array == Self.large)
      try copied.checkUnchanged()
    }
    try withFile(Self.large) { path in
      let error = #expect(throws: FileError.self) { try MappedFile(contentsOfPath: path, access: FileAccess(.read) { 1000 }) }
      #expect(error?.reason.contains("1000") == true)
    }
  }

  @Test func `A file that is open for writing is copied`() throws {
    try withFile(Self.large) { path in
      let descriptor = unsafe open(path, O_RDWR)
      let copied = try MappedFile(contentsOfPath: path)
      #expect(unsafe pwrite(descriptor, [1 as UInt8, 2, 3], 3, 200_000) == 3)
      #if os(Linux)
        #expect(!copied.isMapped)
        #expect(copied.bytes.array == Self.large)
        // A writable mapping remains when the descriptor is closed.
        let memory = unsafe mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        close(descriptor)
        let other = try MappedFile(contentsOfPath: path)
        #expect(!other.isMapped || Self.isInOverlay)
        unsafe munmap(memory, 4096)
      #else
        close(descriptor)
      #endif
      let mapped = try MappedFile(contentsOfPath: path)
      #expect(mapped.isMapped)
    }
  }

  #if os(Linux)
    @Test func `A file is opened after the clock tick of its last modification`() throws {
      for _ in 0..<20 {
        try withFile(Self.large) { path in
          let file = try MappedFile(contentsOfPath: path)
          var (now, status) = (timespec(), stat())
          unsafe clock_gettime(CLOCK_REALTIME_COARSE, &now)
          try #require(unsafe stat(path, &status) == 0)
          #expect((now.tv_sec, now.tv_nsec) > (status.st_mtim.tv_sec, status.st_mtim.tv_nsec))
          try file.checkUnchanged()
        }
      }
    }
  #endif

  @Test func `A folder's files are those of the folder that was opened, and no links out of it`() throws {
    let manager = FileManager.default
    let root = manager.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? manager.removeItem(at: root) }
    let folder = root.appending(path: "folder")
    try manager.createDirectory(at: folder.appending(path: "sub"), withIntermediateDirectories: true)
    try Data([1]).write(to: folder.appending(path: "sub/file"))
    try Data([2]).write(to: root.appending(path: "outside"))
    func link(_ name: String, _ target: String) throws {
      try manager.createSymbolicLink(atPath: folder.appending(path: name).path, withDestinationPath: target)
    }
    try link("inside", "sub/file")
    try link("sub/up", "../inside")
    try link("relative", "../outside")
    try link("absolute", root.appending(path: "outside").path)
    try link("loop", "loop")
    let opened = try #require(OpenFolder(folder.path))
    for name in ["sub/file", "inside", "sub/up"] {
      #expect(try opened.file(name, access: .map).bytes.array == [1])
      #expect(opened.hasFile(name))
    }
    for name in ["relative", "absolute"] {
      let error = #expect(throws: FileError.self) { try opened.file(name, access: .map) }
      #expect(error?.reason.contains("leaves the folder") == true)
    }
    #expect(throws: FileError.self) { try opened.file("loop", access: .map) }
    #expect(throws: FileError.self) { try opened.file("sub", access: .map) }
    // Another folder of the same name is not the one that was opened.
    try manager.moveItem(at: folder, to: root.appending(path: "moved"))
    try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data([3]).write(to: folder.appending(path: "inside"))
    #expect(try opened.file("inside", access: .map).bytes.array == [1])
    #expect(OpenFolder("/no/such/folder") == nil)
  }
}
