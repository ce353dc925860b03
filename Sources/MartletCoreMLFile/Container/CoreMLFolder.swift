package import MartletBytes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder with the files of a model: on disk, or in an in-memory file system as in ExecuTorch's delegate payloads.
package struct CoreMLFolder: Sendable {
  private enum Place: Sendable {
    case disk
    /// Files by path from the root, with components separated by "/", and the path of this folder with a trailing "/" (or empty).
    case memory([String: ByteView], prefix: String)
  }

  /// Path of the folder, for errors.
  package let path: String
  private let place: Place

  /// The folder at `path` on disk.
  package init(path: String) {
    self.path = path
    self.place = .disk
  }

  /// A folder in memory. `files` has paths like `Data/com.apple.CoreML/model.mlmodel`. `name` replaces the path in errors.
  package init(files: [String: ByteView], name: String = "<memory>") {
    self.path = name
    self.place = .memory(files, prefix: "")
  }

  private init(path: String, place: Place) {
    self.path = path
    self.place = place
  }

  /// Maps the file at `relativePath`.
  ///
  /// - Throws: `FileError` naming `part` if the file is missing or the path leaves the folder.
  package func open(_ relativePath: String, part: String) throws(FileError) -> ByteView {
    let components = try checkedComponents(relativePath, part: part)
    let normal = components.joined(separator: "/")
    switch place {
    case .disk:
      do {
        return try MappedFile(contentsOfPath: path + "/" + normal).bytes
      } catch {
        throw FileError(file: error.file, field: part, reason: error.reason)
      }
    case .memory(let files, let prefix):
      guard let bytes = files[prefix + normal] else { throw FileError(file: path + "/" + normal, field: part, reason: "is missing") }
      return bytes
    }
  }

  /// Whether `path` is a folder on disk.
  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether there is a file at `relativePath`.
  package func hasFile(_ relativePath: String) -> Bool {
    guard let components = try? checkedComponents(relativePath, part: "") else { return false }
    let normal = components.joined(separator: "/")
    switch place {
    case .disk:
      var status = stat()
      return unsafe stat(path + "/" + normal, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    case .memory(let files, let prefix): return files[prefix + normal] != nil
    }
  }

  /// The folder at `relativePath`, which may not exist.
  package func subfolder(_ relativePath: String) throws(FileError) -> CoreMLFolder {
    let components = try checkedComponents(relativePath, part: "path")
    let normal = components.joined(separator: "/")
    switch place {
    case .disk: return CoreMLFolder(path: path + "/" + normal)
    case .memory(let files, let prefix):
      return CoreMLFolder(path: path + "/" + normal, place: .memory(files, prefix: prefix + normal + "/"))
    }
  }

  /// The components of the path, none of which may leave the folder.
  private func checkedComponents(_ relativePath: String, part: String) throws(FileError) -> [Substring] {
    let components = relativePath.split(separator: "/", omittingEmptySubsequences: true).filter { $0 != "." }
    guard !relativePath.hasPrefix("/"), !components.isEmpty, !components.contains(".."), !relativePath.utf8.contains(0) else {
      throw FileError(file: path, field: part, reason: "'\(relativePath)' is not a path within the model")
    }
    return components
  }
}
