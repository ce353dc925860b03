import MartletSystem

/// An open folder. Its files are opened relative to it, so that they belong together even if the folder is renamed or replaced meanwhile,
/// and links lead nowhere outside of it.
package final class OpenFolder: Sendable {
  private let descriptor: Int32
  /// For errors.
  private let path: String

  /// - Returns: nil if there is no folder at `path` that can be read.
  package init?(_ path: String) {
    descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    self.path = path
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Maps or reads the file at a relative path.
  /// - Throws: `FileError` as `MappedFile`, and for a path that leaves the folder.
  package func file(_ relativePath: String, access: FileAccess) throws(FileError) -> MappedFile {
    let path = path + "/" + relativePath
    let file = unsafe martlet_open_beneath(descriptor, relativePath)
    guard file >= 0 else {
      let reason = errno == EXDEV ? "is a link that leaves the folder \(self.path)" : "cannot be opened: \(systemMessage(errno))"
      throw FileError(file: path, reason: reason)
    }
    return try MappedFile(OpenFile(file, path: path), path: path, access: access)
  }

  /// Returns true if there is a regular file at a relative path, or a link to one.
  package func hasFile(_ relativePath: String) -> Bool {
    var status = stat()
    return unsafe fstatat(descriptor, relativePath, &status, 0) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
