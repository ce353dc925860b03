import FoundationEssentials
import MartletBytes

/// A model whose specification has another content than on disk.
struct ChangedModel {
  let original: URL
  /// The path of the specification in the model's folder; empty for a model that is a single file.
  let specification: String
  let content: [UInt8]

  /// Writes the model and replaces what is there.
  /// - Throws: `FileError`, or `MartletError` as for loading the model.
  func write(to url: URL, options: ModelOptions) throws {
    switch url.pathExtension.lowercased() {
    case "mlmodel": try writeFile(to: url)
    case "mlpackage":
      let staging = try StagingFolder(for: url)
      try compiler(options).copy(original, into: staging.url)
      try staging.commit(replacing: true)
    default:
      let staging = try StagingFolder(for: url)
      try compiler(options).compile(original, into: staging.url)
      try staging.commit(replacing: true)
    }
  }

  private func compiler(_ options: ModelOptions) -> ModelCompiler {
    ModelCompiler(options: options, changed: (path: specification, content: content))
  }

  /// A single file beside its place, which then becomes it.
  private func writeFile(to url: URL) throws {
    let others = try FileListing(original.path).files.filter { $0.path != specification && $0.path.contains("weights/") }
    guard others.isEmpty else {
      throw FileError(file: url.path, reason: "a model with files of weights is written as .mlpackage or .mlmodelc")
    }
    let partial = url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString).partial")
    do {
      try Martlet.writeFile(content, to: partial.path)
      guard unsafe rename(partial.path, url.path) == 0 else {
        throw FileError(file: url.path, reason: "cannot be written: \(systemMessage(errno))")
      }
    } catch {
      try? FileManager.default.removeItem(at: partial)
      throw error
    }
    try synchronize(url.deletingLastPathComponent().path)
  }
}

import MartletSystem
