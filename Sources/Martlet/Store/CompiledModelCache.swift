package import FoundationEssentials
import MartletSystem
import MartletBytes
import MartletCoreMLFile
import MartletLog
import MartletOps
import MartletVocabulary

/// A persistent cache of compiled models that several processes can use at the same time.
///
/// An entry is a folder `CONTENT-ENGINE`, named after a digest of the original's content and a digest of the engine's version and kernel
/// variants. It holds the compiled model and `entry.json`, which lists size, modification time and digest of every file.
///
/// A process that makes an entry holds the lock on the file `CONTENT-ENGINE.lock`. It writes a folder `*.partial` and renames it when it
/// is complete. A partial folder whose lock is free was left by a process that died.
///
/// The folder `known` stores digests of content that was read before, by name, size and modification time of the files.
package struct CompiledModelCache: Sendable {
  package let directory: URL
  /// Limits for importing and planning models that are compiled.
  var options = ModelOptions()
  /// Called with the complete partial folder before it is renamed. For tests.
  package var willCommit: (@Sendable (URL) -> Void)?

  /// Entries unused for this long are removed: 60 days, in seconds.
  private static let longestDisuse: TimeInterval = 60 * 86_400
  /// A file modified less than this long before it was read may change again without a new modification time: 2 seconds, in nanoseconds.
  private static let uncertainty: Int64 = 2_000_000_000

  private static let engine: String = {
    var hash = SHA256()
    hash.update("\(CompiledForm.engineVersion) \(PackedStore.layoutVariant)")
    return String(hash.digest().text.prefix(16))
  }()

  private var manager: FileManager { .default }

  package init(directory: URL) { self.directory = directory }

  // MARK: Entries

  /// The compiled form of the model at `url`, compiled first if it is not in the cache.
  ///
  /// Waits while another process compiles the same model.
  /// - Throws: `FileError` or `MartletError` if the model cannot be read or compiled.
  package func compiledModel(for url: URL) throws -> URL {
    try manager.createDirectory(at: directory, withIntermediateDirectories: true)
    let path = url.resolvingSymlinksInPath().path
    // Start again if the model is replaced meanwhile.
    for _ in 0..<3 {
      let listing = try FileListing(path)
      let name = "\(try contentDigest(listing).text)-\(Self.engine)"
      let entry = directory.appendingPathComponent(name, isDirectory: true)
      if let model = intactModel(in: entry) { return model }
      let lock = try FileLock.wait(directory.appendingPathComponent(name + ".lock").path)
      defer { withExtendedLifetime(lock) {} }
      if let model = intactModel(in: entry) { return model }
      removePartialFolders(of: name)
      let partial = directory.appendingPathComponent("\(name).\(UUID().uuidString).partial", isDirectory: true)
      do {
        try compile(url, to: partial)
        guard try FileListing(path) == listing else {
          try manager.removeItem(at: partial)
          continue
        }
        willCommit?(partial)
        if manager.fileExists(atPath: entry.path) { try manager.removeItem(at: entry) }
        try manager.moveItem(at: partial, to: entry)
        try synchronize(directory.path)
      } catch {
        try? manager.removeItem(at: partial)
        throw error
      }
      guard let model = intactModel(in: entry) else { throw FileError(file: entry.path, reason: "disappeared after it was created") }
      Log.info("\(url.lastPathComponent): compiled into \(entry.path)")
      return model
    }
    throw FileError(file: path, reason: "changed while it was being compiled")
  }

  /// Removes the entry of a damaged compiled model.
  package func discard(_ model: URL) {
    let entry = model.deletingLastPathComponent()
    guard entry.deletingLastPathComponent().standardizedFileURL.path == directory.standardizedFileURL.path,
      let lock = try? FileLock.wait(directory.appendingPathComponent(entry.lastPathComponent + ".lock").path)
    else { return }
    try? manager.removeItem(at: entry)
    withExtendedLifetime(lock) {}
  }

  private struct Entry: Codable {
    struct File: Codable {
      var file: FileListing.File
      /// In hexadecimal.
      var digest: String
    }

    /// File name of the compiled model in the entry.
    var model: String
    var files: [File]
  }

  private static let entryFile = "entry.json"

  private func compile(_ url: URL, to partial: URL) throws {
    try manager.createDirectory(at: partial, withIntermediateDirectories: false)
    let name = url.deletingPathExtension().lastPathComponent + ".mlmodelc"
    let model = partial.appendingPathComponent(name, isDirectory: true)
    try manager.createDirectory(at: model, withIntermediateDirectories: false)
    try ModelCompiler(options: options).compile(url, into: model)
    let listing = try FileListing(model.path)
    var entry = Entry(model: name, files: [])
    for file in listing.files { entry.files.append(Entry.File(file: file, digest: try listing.digest(of: file).text)) }
    try writeFile(Array(try JSONEncoder().encode(entry)), to: partial.appendingPathComponent(Self.entryFile).path)
    try synchronize(partial.path)
  }

  /// The compiled model of an entry; nil if any of its files has changed.
  ///
  /// Files whose size and modification time match the entry are not read.
  private func intactModel(in folder: URL) -> URL? {
    let description = folder.appendingPathComponent(Self.entryFile)
    guard let data = try? Data(contentsOf: description), let entry = try? JSONDecoder().decode(Entry.self, from: data),
      !entry.model.contains("/"), !entry.files.isEmpty
    else { return nil }
    let model = folder.appendingPathComponent(entry.model, isDirectory: true)
    guard let listing = try? FileListing(model.path), listing.files.map(\.path) == entry.files.map(\.file.path) else { return nil }
    for (file, written) in zip(listing.files, entry.files) where file != written.file {
      guard file.byteCount == written.file.byteCount, let digest = try? listing.digest(of: file), digest.text == written.digest else {
        return nil
      }
    }
    // Marks the entry as used.
    try? manager.setAttributes([.modificationDate: Date()], ofItemAtPath: description.path)
    return model
  }

  // MARK: Content

  private func contentDigest(_ listing: FileListing) throws -> SHA256.Digest {
    let known = directory.appendingPathComponent("known", isDirectory: true)
    let memory = known.appendingPathComponent(listing.stamp.text)
    // Zeros, which a crash of the system can leave, are no digest.
    if let text = try? String(contentsOf: memory, encoding: .utf8), let digest = SHA256.Digest(text: text) { return digest }
    let digest = try listing.contentDigest()
    // In range: this century.
    if Int64(Date().timeIntervalSince1970 * 1e9) - listing.newestChange > Self.uncertainty {
      try? manager.createDirectory(at: known, withIntermediateDirectories: true)
      try? Data(digest.text.utf8).write(to: memory, options: .atomic)
    }
    return digest
  }

  // MARK: Cleaning

  private func removePartialFolders(of name: String) {
    for partial in partialFolders where partial.hasPrefix(name + ".") {
      try? manager.removeItem(at: directory.appendingPathComponent(partial))
    }
  }

  private var partialFolders: [String] {
    ((try? manager.contentsOfDirectory(atPath: directory.path)) ?? []).filter { $0.hasSuffix(".partial") }
  }

  /// Removes the leftovers of terminated processes, and entries that have not been used for a long time.
  package func clean() {
    for partial in partialFolders {
      let name = String(partial.prefix { $0 != "." })
      guard let lock = try? FileLock.ifFree(directory.appendingPathComponent(name + ".lock").path) else { continue }
      try? manager.removeItem(at: directory.appendingPathComponent(partial))
      withExtendedLifetime(lock) {}
    }
    let limit = Date().addingTimeInterval(-Self.longestDisuse)
    for name in (try? manager.contentsOfDirectory(atPath: directory.path)) ?? [] {
      let entry = directory.appendingPathComponent(name)
      let description = entry.appendingPathComponent(Self.entryFile)
      guard let attributes = try? manager.attributesOfItem(atPath: description.path), let date = attributes[.modificationDate] as? Date,
        date < limit, let lock = try? FileLock.ifFree(entry.path + ".lock")
      else { continue }
      try? manager.removeItem(at: entry)
      withExtendedLifetime(lock) {}
    }
  }
}
