import Foundation

/// The files that come with the program.
///
/// They lie in a folder that the build puts beside the executable. `Bundle.module` would find it too, but ends the process
/// where it is missing, as after copying the executable alone.
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
          + "together with the executable, or name your own files with --model and --labels")
    }
    return file.path
  }
}
