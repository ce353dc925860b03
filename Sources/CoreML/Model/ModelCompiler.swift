import Foundation
import MartletCoreMLFile

/// Makes compiled models: folders with the specification and the weights of a model.
enum ModelCompiler {
  /// - Returns: a new folder `NAME.mlmodelc` in a temporary folder of its own.
  /// - Throws: `MLModelError.io` if the model cannot be read or the folder not be written.
  static func compile(_ url: URL) throws -> URL {
    // Damage is found now, not when the compiled model is loaded.
    _ = try LoadedModel.read(url)
    let manager = FileManager.default
    let parent = manager.temporaryDirectory.appendingPathComponent(UUID().uuidString, isDirectory: true)
    let folder = parent.appendingPathComponent(url.deletingPathExtension().lastPathComponent + ".mlmodelc", isDirectory: true)
    do {
      try manager.createDirectory(at: parent, withIntermediateDirectories: true)
      var isFolder: ObjCBool = false
      _ = unsafe manager.fileExists(atPath: url.path, isDirectory: &isFolder)
      if isFolder.boolValue {
        try manager.copyItem(at: url.resolvingSymlinksInPath(), to: folder)
      } else {
        try writePackage(of: url, to: folder)
      }
    } catch {
      try? manager.removeItem(at: parent)
      throw MLModelError(.io, "The model \(url.path) cannot be compiled: \(error.localizedDescription)")
    }
    return folder
  }

  private struct Manifest: Encodable {
    struct Item: Encodable {
      var author = "com.apple.CoreML"
      var description = "CoreML Model Specification"
      var name = "model.mlmodel"
      var path = "com.apple.CoreML/model.mlmodel"
    }

    var fileFormatVersion = "1.0.0"
    var itemInfoEntries: [String: Item]
    var rootModelIdentifier: String
  }

  /// A single file becomes a package, with the weights that lie beside it.
  private static func writePackage(of file: URL, to folder: URL) throws {
    let manager = FileManager.default
    let data = folder.appendingPathComponent("Data/com.apple.CoreML", isDirectory: true)
    try manager.createDirectory(at: data, withIntermediateDirectories: true)
    try manager.copyItem(at: file.resolvingSymlinksInPath(), to: data.appendingPathComponent("model.mlmodel"))
    let weights = file.deletingLastPathComponent().appendingPathComponent("weights", isDirectory: true)
    if manager.fileExists(atPath: weights.appendingPathComponent("weight.bin").path) {
      try manager.copyItem(at: weights, to: data.appendingPathComponent("weights", isDirectory: true))
    }
    let identifier = UUID().uuidString
    let manifest = Manifest(itemInfoEntries: [identifier: Manifest.Item()], rootModelIdentifier: identifier)
    try JSONEncoder().encode(manifest).write(to: folder.appendingPathComponent("Manifest.json"))
  }
}
