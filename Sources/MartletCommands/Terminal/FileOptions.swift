package import ArgumentParser
import Martlet

/// How a command that loads a model reads its files.
package struct FileOptions: ParsableArguments {
  @Option(
    name: .customLong("file-access"),
    help: ArgumentHelp(
      "map: use files in place, and fail if one changes meanwhile (default); read: copy them into memory first.", valueName: "map|read"),
    transform: Self.access)
  var access = ModelOptions.FileAccess.map

  package init() {}

  @Sendable
  private static func access(_ name: String) throws -> ModelOptions.FileAccess {
    switch name {
    case "map": .map
    case "read": .read
    default: throw ValidationError("--file-access is map or read, not '\(name)'.")
    }
  }
}
