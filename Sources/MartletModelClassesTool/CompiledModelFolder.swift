#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder NAME.mlmodelc of a model. A compiled model is copied. A package's content is taken as it is, and a model's file becomes one of
/// a package: both can be loaded under that name, and nothing has to be computed during a build.
struct CompiledModelFolder {
  private let model: URL

  init(of model: URL) {
    self.model = model
  }

  /// Writes the folder in place of an earlier one.
  func write(to folder: URL) throws {
    let files = FileManager.default
    let partial = folder.appendingPathExtension("partial")
    try? files.removeItem(at: partial)
    if model.pathExtension == "mlmodel" {
      let data = partial.appendingPathComponent("Data/com.apple.CoreML", isDirectory: true)
      try files.createDirectory(at: data, withIntermediateDirectories: true)
      try files.copyItem(at: model.resolvingSymlinksInPath(), to: data.appendingPathComponent("model.mlmodel"))
      try Self.manifest.write(to: partial.appendingPathComponent("Manifest.json"), atomically: false, encoding: .utf8)
    } else {
      try files.copyItem(at: model.resolvingSymlinksInPath(), to: partial)
    }
    try? files.removeItem(at: folder)
    try files.moveItem(at: partial, to: folder)
  }

  private static let manifest = """
    {
      "fileFormatVersion": "1.0.0",
      "itemInfoEntries": {
        "model": {
          "author": "com.apple.CoreML",
          "description": "CoreML Model Specification",
          "name": "model.mlmodel",
          "path": "com.apple.CoreML/model.mlmodel"
        }
      },
      "rootModelIdentifier": "model"
    }

    """
}
