import Foundation

/// The files that are distributed with the program.
///
/// They are in a folder that the build places beside the executable. `Bundle.module` would find it too, but stops the process if it is
/// missing, for example after copying only the executable.
enum Resources {
  private static let folderName = "martlet_MartletCLI.resources"

  /// - Throws: if the folder was not copied along with the executable.
  static func path(of name: String) throws -> String {
    let executable = Bundle.main.executableURL?.resolvingSymlinksInPath() ?? Bundle.main.bundleURL
    let folder = executable.deletingLastPathComponent().appendingPathComponent(folderName)
    let file = folder.appendingPathComponent("Resources").appendingPathComponent(name)
    guard FileManager.default.isReadableFile(atPath: file.path) else {
      throw CommandFailure(
        "the file \(name), which comes with martlet, is not in \(folder.path): copy the folder \(folderName) "
          + "together with the executable, or specify your own files with --model and --labels")
    }
    return file.path
  }
}
