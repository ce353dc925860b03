import Foundation
import Martlet

/// Compiles models into temporary folders.
enum ModelCompiler {
  /// - Returns: the URL of a folder `NAME.mlmodelc` in a new temporary folder.
  /// - Throws: `CancellationError` if the task is cancelled; `MLModelError.io` if the model cannot be read or the folder cannot be written.
  static func compile(_ url: URL) throws -> URL {
    guard url.isFileURL else { throw MLModelError(.io, "\(url) is not the URL of a file") }
    let parent = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString, isDirectory: true)
    let folder = parent.appendingPathComponent(url.deletingPathExtension().lastPathComponent + ".mlmodelc", isDirectory: true)
    do {
      try Model.compile(url, to: folder)
    } catch {
      try? FileManager.default.removeItem(at: parent)
      if error is CancellationError { throw error }
      throw MLModelError(.io, "The model \(url.path) cannot be compiled: \(error)")
    }
    return folder
  }
}
