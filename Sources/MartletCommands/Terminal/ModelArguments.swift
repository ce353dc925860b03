package import ArgumentParser
import FoundationEssentials
package import Martlet

/// Options of the commands that load a model.
struct ModelArguments: ParsableArguments {
  @Option(
    name: .customLong("data"), parsing: .singleValue,
    help: ArgumentHelp("A file with the program's external weights (.ptd); may be repeated.", valueName: "file"))
  var dataFiles: [String] = []

  @Option(help: "The method to run; default: forward, or the first one.")
  var method: String?

  @Option(help: "Threads to compute with; without it one for each processor that the process may use.")
  var threads: Int?

  @Option(help: Precision.help, transform: Precision.named)
  var precision = Precision.exact

  @OptionGroup var limits: LimitOptions

  @OptionGroup var files: FileOptions

  func validate() throws {
    if let threads, threads < 1 { throw ValidationError("--threads must be at least 1, not \(threads).") }
  }

  func load(_ path: String) throws -> Model {
    try requireFile(path)
    return try Model(contentsOf: URL(fileURLWithPath: path), options: options())
  }

  /// The options for loading, whose limits hold from now on.
  func options() -> ModelOptions {
    var options = limits.begin(reading: files)
    options.dataFiles = dataFiles.map { URL(fileURLWithPath: $0) }
    options.threads = threads
    options.precision = precision
    return options
  }
}

extension Precision {
  package static let help: ArgumentHelp = "Precision of products: exact, near (pairs of bfloat16) or fast (bfloat16)."

  @Sendable
  package static func named(_ name: String) throws -> Precision {
    guard let precision = Precision(rawValue: name) else { throw ValidationError("--precision is exact, near or fast, not '\(name)'.") }
    return precision
  }
}

/// - Throws: if the file does not exist, or if the path is a folder that is not a Core ML model.
package func requireFile(_ path: String) throws {
  let isFolder = try isExistingFolder(path)
  let isPackage = [".mlpackage", ".mlmodelc"].contains { path.hasSuffix($0) || path.hasSuffix("\($0)/") }
  if isFolder, !isPackage { throw CommandFailure("\(path) is a folder, not a model file") }
}

/// True for a folder, false for a file.
/// - Throws: if nothing lies at the path.
func isExistingFolder(_ path: String) throws -> Bool {
  var isFolder = false
  guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { throw CommandFailure("there is no file \(path)") }
  return isFolder
}
