import FoundationEssentials
import MartletBytes

import MartletSystem

/// A folder that is filled beside a target and becomes it in one step.
///
/// Whenever the process ends, the target is the old folder or the new one. A staging folder is locked while its process lives; the next
/// process with the same target removes those that are not.
final class StagingFolder {
  /// The folder to fill. Its files must have been flushed to disk before `commit`.
  let url: URL
  private let target: URL
  private let lock: FileLock?
  /// Folders above the target that did not exist, outermost first.
  private let addedParents: [URL]
  private var isCommitted = false

  private static let suffix = ".partial"
  private static func prefix(of target: URL) -> String { ".\(target.lastPathComponent)." }

  /// Makes an empty staging folder beside `target`, which may exist, and the folders above it.
  init(for target: URL) throws(FileError) {
    self.target = target
    let parent = target.deletingLastPathComponent()
    addedParents = try Self.makeFolders(upTo: parent)
    var made: (url: URL, lock: FileLock?)?
    repeat {
      let url = parent.appendingPathComponent(Self.prefix(of: target) + UUID().uuidString + Self.suffix, isDirectory: true)
      guard unsafe mkdir(url.path, 0o777) == 0 else {
        let error = FileError(file: url.path, reason: "cannot be created: \(systemMessage(errno))")
        for folder in addedParents.reversed() { unsafe rmdir(folder.path) }
        throw error
      }
      let lock = FileLock.ofFolder(url.path, waits: true)
      // Another process may have taken the folder for that of a dead one before it was locked.
      if FileManager.default.fileExists(atPath: url.path) { made = (url, lock) }
    } while made == nil
    (url, lock) = made!
    Self.removeAbandoned(beside: target)
  }

  deinit {
    guard !isCommitted else { return }
    try? FileManager.default.removeItem(at: url)
    for folder in addedParents.reversed() { unsafe rmdir(folder.path) }
  }

  /// Makes the folder the target.
  /// - Parameter isReplacing: true to replace what is there; the old content is removed afterwards.
  /// - Throws: `FileError` if the target exists and is not to be replaced. The target is as before then.
  func commit(replacing isReplacing: Bool) throws(FileError) {
    if unsafe martlet_rename_new(url.path, target.path) != 0 {
      guard errno == EEXIST || errno == ENOTEMPTY else { throw failure(errno) }
      guard isReplacing else { throw FileError(file: target.path, reason: "already exists") }
      if unsafe martlet_rename_exchange(url.path, target.path) != 0 {
        guard [ENOSYS, EINVAL, ENOTSUP].contains(errno) else { throw failure(errno) }
        // Two steps where the system cannot exchange folders: for a moment, there is none.
        let old = url.appendingPathExtension("old" + Self.suffix)
        guard unsafe rename(target.path, old.path) == 0 else { throw failure(errno) }
        guard unsafe rename(url.path, target.path) == 0 else {
          let code = errno
          unsafe rename(old.path, target.path)
          throw failure(code)
        }
        try? FileManager.default.removeItem(at: old)
      }
    }
    isCommitted = true
    // After an exchange, the old content has the name of the staging folder.
    defer { try? FileManager.default.removeItem(at: url) }
    try synchronize(target.deletingLastPathComponent().path)
  }

  private func failure(_ code: Int32) -> FileError {
    FileError(file: target.path, reason: "cannot be created: \(systemMessage(code))")
  }

  private static func makeFolders(upTo folder: URL) throws(FileError) -> [URL] {
    var missing: [URL] = []
    var next = folder.standardizedFileURL
    while !FileManager.default.fileExists(atPath: next.path), next.path != "/" {
      missing.append(next)
      next.deleteLastPathComponent()
    }
    var made: [URL] = []
    for folder in missing.reversed() {
      if unsafe mkdir(folder.path, 0o777) == 0 {
        made.append(folder)
      } else if errno != EEXIST {
        let error = FileError(file: folder.path, reason: "cannot be created: \(systemMessage(errno))")
        for folder in made.reversed() { unsafe rmdir(folder.path) }
        throw error
      }
    }
    return made
  }

  /// Removes the staging folders that processes which died have left beside `target`.
  static func removeAbandoned(beside target: URL) {
    let parent = target.deletingLastPathComponent()
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
    where name.hasPrefix(prefix(of: target)) && name.hasSuffix(suffix) {
      let path = parent.appendingPathComponent(name).path
      // Held while the folder is removed: its owner, if it has just made the folder, waits and finds it gone.
      guard let lock = FileLock.ofFolder(path, waits: false) else { continue }
      try? FileManager.default.removeItem(atPath: path)
      withExtendedLifetime(lock) {}
    }
  }
}
