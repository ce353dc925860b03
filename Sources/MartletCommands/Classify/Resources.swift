import FoundationEssentials
import MartletBytes

/// The files that are distributed with the program.
///
/// They are those of the target CMartletDemo, in a folder that the build places beside the executable.
enum Resources {
  private static let folderName = "martlet_CMartletDemo.resources"

  /// - Throws: if the folder was not copied along with the executable.
  static func path(of name: String) throws -> String {
    let folder = URL(fileURLWithPath: ExecutableFolder.path).appendingPathComponent(folderName)
    let file = folder.appendingPathComponent("Resources").appendingPathComponent(name)
    guard FileManager.default.isReadableFile(atPath: file.path) else {
      throw CommandFailure(
        "the file \(name), which comes with martlet, is not in \(folder.path): copy the folder \(folderName) "
          + "together with the executable, or specify your own files with --model and --labels")
    }
    return file.path
  }
}
