import FoundationEssentials
import MartletBytes
import MartletSystem

/// Reads and writes whole files, with this module's errors.
package enum FileContents {
  package static func read(path: String) throws(MediaError) -> [UInt8] {
    if let content = regularFile(path) { return content }
    do {
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw MediaError(file: path, field: "file", reason: .unreadable(error.fileReason))
    }
  }

  /// The content of a regular file of less than 2 GiB, read into its place without a copy in between; nil if it is another kind of file,
  /// cannot be read, or becomes shorter meanwhile.
  private static func regularFile(_ path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let byteCount = Int(exactly: status.st_size),
      byteCount > 0, byteCount < 1 << 31
    else { return nil }
    let content = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { memory, count in
      count = unsafe readFile(descriptor, into: UnsafeMutableRawBufferPointer(memory)).count
    }
    return content.count == byteCount ? content : nil
  }

  /// Replaces the file atomically: readers see either the old or the new content.
  package static func write(_ bytes: [UInt8], path: String) throws(MediaError) {
    do {
      try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw MediaError(file: path, field: "file", reason: .unwritable(error.fileReason))
    }
  }
}
