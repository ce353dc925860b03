import Foundation
import MartletBytes
import MartletTensor

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files of a model with their metadata from the file system.
struct FileListing: Sendable, Hashable {
  struct File: Sendable, Hashable, Codable {
    /// Relative to the model's path; empty for the model itself.
    var path: String
    var byteCount: Int
    /// Modification time in nanoseconds since 1970.
    var modified: Int64
  }

  let root: String
  /// Sorted by path.
  let files: [File]

  /// Lists the file at `path`, or all files in the folder at `path`, recursively.
  /// - Throws: `FileError` if there is no file.
  init(_ path: String) throws(FileError) {
    root = path
    var found: [File] = []
    if let status = Self.status(path), status.st_mode & S_IFMT == S_IFDIR {
      guard let entries = FileManager.default.enumerator(atPath: path) else { throw FileError(file: path, reason: "cannot be listed") }
      for case let name as String in entries {
        guard let status = Self.status(path + "/" + name), status.st_mode & S_IFMT == S_IFREG else { continue }
        found.append(File(path: name, status))
      }
    } else if let status = Self.status(path), status.st_mode & S_IFMT == S_IFREG {
      found.append(File(path: "", status))
    }
    guard !found.isEmpty else { throw FileError(file: path, reason: "the file does not exist, or the folder is empty") }
    files = found.sorted { $0.path < $1.path }
  }

  /// Follows symbolic links.
  private static func status(_ path: String) -> stat? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  func absolutePath(_ file: File) -> String { file.path.isEmpty ? root : root + "/" + file.path }

  var newestChange: Int64 { files.map(\.modified).max() ?? 0 }

  /// Digest of the listing. An equal stamp means unchanged content.
  var stamp: SHA256.Digest {
    var hash = SHA256()
    hash.update(root)
    for file in files { hash.update("\n\(file.path)\n\(file.byteCount) \(file.modified)") }
    return hash.digest()
  }

  /// Digest of all paths and contents.
  func contentDigest() throws(FileError) -> SHA256.Digest {
    var hash = SHA256()
    for file in files {
      hash.update("\n\(file.path)\n\(file.byteCount)\n")
      // An empty file cannot be mapped.
      if file.byteCount > 0 { try update(&hash, with: file) }
    }
    return hash.digest()
  }

  /// Digest of one file's content.
  func digest(of file: File) throws(FileError) -> SHA256.Digest {
    var hash = SHA256()
    if file.byteCount > 0 { try update(&hash, with: file) }
    return hash.digest()
  }

  private func update(_ hash: inout SHA256, with file: File) throws(FileError) {
    let content = try MappedFile(contentsOfPath: absolutePath(file), access: ModelOptions().access)
    hash.update(content.bytes)
    try content.checkUnchanged()
  }
}

extension FileListing.File {
  fileprivate init(path: String, _ status: stat) {
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    self.init(
      path: path, byteCount: Int(widening: status.st_size),
      modified: Int64(widening: time.tv_sec) &* 1_000_000_000 &+ Int64(widening: time.tv_nsec))
  }
}
