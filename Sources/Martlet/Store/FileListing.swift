import FoundationEssentials
import MartletBytes
import MartletTensor

import MartletSystem

/// The files of a model with their metadata from the file system: a file and the weights beside it, or all files of a folder.
struct FileListing: Sendable, Hashable {
  struct File: Sendable, Hashable, Codable {
    /// Relative to the model's folder; empty for a model that is a single file.
    var path: String
    var byteCount: Int
    /// Modification time in nanoseconds since 1970.
    var modified: Int64
  }

  let root: String
  /// True if `root` is a folder.
  let isFolder: Bool
  /// The folder that paths are relative to.
  private let base: String
  /// Sorted by path.
  let files: [File]

  /// Maximum nesting depth of folders and number of entries.
  private static let deepestNesting = 32
  private static let mostEntries = 100_000

  /// Lists the model at `path`. Symbolic links count as what they lead to, which must lie within the same folder.
  /// - Throws: `FileError` if there is no file, if a folder cannot be listed, or if a link leaves the model's folder.
  init(_ path: String) throws(FileError) {
    guard let status = Self.status(path) else { throw FileError(file: path, reason: "the file does not exist") }
    root = path
    isFolder = status.st_mode & S_IFMT == S_IFDIR
    base = isFolder ? path : URL(fileURLWithPath: path).deletingLastPathComponent().path
    var walk = Walk(base: base)
    if isFolder {
      try walk.add("", depth: 0)
    } else if status.st_mode & S_IFMT == S_IFREG {
      walk.files.append(File(path: "", status))
      if URL(fileURLWithPath: path).pathExtension.lowercased() == "mlmodel", Self.status(base + "/" + Self.weightFile) != nil {
        try walk.add(Self.weightFolder, depth: 0)
      }
    }
    guard !walk.files.isEmpty else { throw FileError(file: path, reason: "the folder is empty") }
    files = walk.files.sorted { $0.path < $1.path }
  }

  /// The weights of a model that is a single file, relative to its folder.
  private static let weightFolder = "weights"
  private static let weightFile = "weights/weight.bin"

  /// Collects the files in a folder.
  private struct Walk {
    let base: String
    /// `base` without links; nil until a link is found.
    private var resolvedBase: String?
    private var entryCount = 0
    var files: [File] = []

    init(base: String) { self.base = base }

    mutating func add(_ folder: String, depth: Int) throws(FileError) {
      let path = folder.isEmpty ? base : base + "/" + folder
      guard depth <= FileListing.deepestNesting else { throw FileError(file: path, reason: "folders are nested too deeply") }
      let names: [String]
      do {
        names = try FileManager.default.contentsOfDirectory(atPath: path)
      } catch {
        throw FileError(file: path, reason: "cannot be listed: \(error.fileReason)")
      }
      entryCount += names.count
      guard entryCount <= FileListing.mostEntries else {
        throw FileError(file: base, reason: "has more than \(FileListing.mostEntries) files")
      }
      for name in names {
        let relative = folder.isEmpty ? name : folder + "/" + name
        let path = base + "/" + relative
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw FileError(file: path, reason: "disappeared while the model was being read") }
        if status.st_mode & S_IFMT == S_IFLNK {
          try checkLink(path)
          guard let target = FileListing.status(path) else { throw FileError(file: path, reason: "is a link that leads nowhere") }
          status = target
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: try add(relative, depth: depth + 1)
        case S_IFREG: files.append(File(path: relative, status))
        default: break
        }
      }
    }

    private mutating func checkLink(_ path: String) throws(FileError) {
      if resolvedBase == nil { resolvedBase = FileListing.resolved(base) }
      guard let resolvedBase, let target = FileListing.resolved(path) else {
        throw FileError(file: path, reason: "is a link that leads nowhere")
      }
      guard target.hasPrefix(resolvedBase + "/") else { throw FileError(file: path, reason: "is a link that leaves the folder \(base)") }
    }
  }

  /// Follows symbolic links.
  private static func status(_ path: String) -> stat? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  func absolutePath(_ file: File) -> String { file.path.isEmpty ? root : base + "/" + file.path }

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
    var digests: [SHA256.Digest] = []
    for file in files { digests.append(try digest(of: file)) }
    return Self.contentDigest(files, digests)
  }

  /// Digest of files by their paths, sizes and the digests of their contents.
  static func contentDigest(_ files: [File], _ digests: [SHA256.Digest]) -> SHA256.Digest {
    var hash = SHA256()
    for (file, digest) in zip(files, digests) { hash.update("\n\(file.path)\n\(file.byteCount) \(digest.text)") }
    return hash.digest()
  }

  /// Digest of one file's content.
  func digest(of file: File) throws(FileError) -> SHA256.Digest { try read(file) { _ throws(FileError) in } }

  /// Number of bytes that are hashed between checks for a cancellation.
  private static let stepByteCount = 1 << 24

  /// Calls `body` with one file's content.
  /// - Returns: the content's digest.
  @discardableResult
  func read(_ file: File, _ body: (ByteView) throws(FileError) -> Void) throws(FileError) -> SHA256.Digest {
    var hash = SHA256()
    // An empty file cannot be mapped.
    guard file.byteCount > 0 else {
      try body(.empty)
      return hash.digest()
    }
    let content = try MappedFile(contentsOfPath: absolutePath(file), access: ModelOptions().access)
    guard content.byteCount == file.byteCount else { throw FileError(file: content.path, reason: "changed while the model was being read") }
    for start in stride(from: 0, to: content.byteCount, by: Self.stepByteCount) {
      if let cancellation = Cancellation.current, cancellation.isCancelled {
        throw FileError(file: content.path, reason: "reading it was cancelled")
      }
      // In range: `start` is less than the number of bytes.
      hash.update(try content.bytes.slice(offset: start, count: min(Self.stepByteCount, content.byteCount - start)))
    }
    try body(content.bytes)
    try content.checkUnchanged()
    return hash.digest()
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
