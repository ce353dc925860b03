import Foundation
import Martlet
import MartletBytes
import MartletCoreMLFile
import MartletImport
import Synchronization

/// Compiled forms of models, made when they are first asked for.
final class CompiledFolders: Sendable {
  private let folders = Mutex<[URL: [String: [UInt8]]?]>([:])

  /// The files of a compiled model that are read from it, by their paths in its folder; nil for a model that cannot be compiled.
  func files(of model: URL) -> [String: [UInt8]]? {
    if let known = folders.withLock({ $0[model] }) { return known }
    let made = try? Self.compile(model)
    folders.withLock { $0[model] = .some(made) }
    return made
  }

  /// The identifier that says which compilation a file is of is 0, so that a mutant is the same in every process.
  private static func compile(_ model: URL) throws -> [String: [UInt8]] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-\(UUID().uuidString).mlmodelc")
    defer { try? FileManager.default.removeItem(at: folder) }
    var options = ModelOptions()
    options.threads = 1
    options.memoryLimit = 256 << 20
    options.callLimits.operationCount = 1e9
    try Model.compile(model, to: folder, options: options)
    var files: [String: [UInt8]] = [:]
    for path in [CompiledForm.modelPath, CompiledForm.packedWeightsPath] {
      guard let data = try? Data(contentsOf: folder.appendingPathComponent(path)) else { continue }
      files[path] = [UInt8](data)
    }
    let original = CoreMLFolder(path: folder.path)
    let source = try CoreMLModel(contentsOfPath: model.path)
    if case .program = source.content {
    } else {
      // With tables also where they are small.
      let identifier = CompiledForm.Identifier(high: 0, low: 0)
      files[CompiledForm.modelPath] = try source.compiledForm(identifier: identifier, in: original, leastTableCount: 1) { try $0.packed() }
    }
    for path in files.keys { files[path]?.replaceSubrange(16..<32, with: [UInt8](repeating: 0, count: 16)) }
    return files
  }
}
