package import MartletBytes
import Synchronization

import MartletSystem

/// A folder with the files of a model: on disk, or in an in-memory file system as in ExecuTorch's delegate payloads.
package struct CoreMLFolder: Sendable {
  private enum Place: Sendable {
    /// Files at paths relative to an open folder, with the path of this folder from there and a trailing "/" (or empty).
    case opened(OpenFolder, prefix: String)
    /// Files at `path`.
    case disk
    /// Files by path from the root, with components separated by "/", and the path of this folder with a trailing "/" (or empty).
    case memory([String: ByteView], prefix: String)
  }

  /// The files that have been opened in a folder and its subfolders.
  private final class OpenedFiles: Sendable {
    let files = Mutex<[MappedFile]>([])
  }

  /// Path of the folder, for errors.
  package let path: String
  private let place: Place
  private let access: FileAccess
  private let opened: OpenedFiles

  /// The folder of a model at `path` on disk, whose files may not be links to places outside of it.
  package init(path: String, access: FileAccess = .map) {
    self.init(path: path, place: OpenFolder(path).map { .opened($0, prefix: "") } ?? .disk, access: access)
  }

  /// The folder at `path` on disk that holds a model's file and the weights beside it.
  init(around path: String, access: FileAccess) {
    self.init(path: path, place: .disk, access: access)
  }

  /// A folder in memory. `files` has paths like `Data/com.apple.CoreML/model.mlmodel`. `name` replaces the path in errors.
  package init(files: [String: ByteView], name: String = "<memory>") {
    self.init(path: name, place: .memory(files, prefix: ""), access: .map)
  }

  private init(path: String, place: Place, access: FileAccess, opened: OpenedFiles = OpenedFiles()) {
    self.path = path
    self.place = place
    self.access = access
    self.opened = opened
  }

  /// The files on disk that have been opened so far and stay mapped.
  var mappedFiles: [MappedFile] { opened.files.withLock { $0 } }

  /// Maps the file at `relativePath`.
  ///
  /// - Throws: `FileError` naming `part` if the file is missing or the path leaves the folder.
  package func open(_ relativePath: String, part: String) throws(FileError) -> ByteView {
    let components = try checkedComponents(relativePath, part: part)
    let normal = components.joined(separator: "/")
    let file: MappedFile
    do throws(FileError) {
      switch place {
      case .opened(let folder, let prefix): file = try folder.file(prefix + normal, access: access)
      case .disk: file = try MappedFile(contentsOfPath: path + "/" + normal, access: access)
      case .memory(let files, let prefix):
        guard let bytes = files[prefix + normal] else { throw FileError(file: path + "/" + normal, reason: "is missing") }
        return bytes
      }
    } catch {
      throw FileError(file: error.file, field: part, reason: error.reason)
    }
    if file.isMapped { opened.files.withLock { $0.append(file) } }
    return file.bytes
  }

  /// Whether `path` is a folder on disk.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The folder that a path lies in.
  package static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Whether there is a file at `relativePath`.
  package func hasFile(_ relativePath: String) -> Bool {
    guard let components = try? checkedComponents(relativePath, part: "") else { return false }
    let normal = components.joined(separator: "/")
    switch place {
    case .opened(let folder, let prefix): return folder.hasFile(prefix + normal)
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
    case .opened(let folder, let prefix):
      return CoreMLFolder(
        path: path + "/" + normal, place: .opened(folder, prefix: prefix + normal + "/"), access: access, opened: opened)
    case .disk: return CoreMLFolder(path: path + "/" + normal, place: .disk, access: access, opened: opened)
    case .memory(let files, let prefix):
      return CoreMLFolder(
        path: path + "/" + normal, place: .memory(files, prefix: prefix + normal + "/"), access: access, opened: opened)
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
