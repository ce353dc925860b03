import ArgumentParser
import FoundationEssentials
import Martlet

struct CompileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compile",
    abstract: "Compiles a model so that it loads faster.",
    discussion: """
      A compiled model is a folder NAME.mlmodelc that can be moved. It holds the original, the program in a form that \
      needs no parsing, and weights packed for this machine's kernels. It also works on other machines, but loads more slowly.
      """)

  @Argument(help: "A Core ML model, .mlpackage or .mlmodel.")
  var model: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The compiled model; default: NAME.mlmodelc in the current folder.", valueName: "folder"))
  var output: String?

  @Flag(help: "Replace an existing compiled model.")
  var force = false

  @OptionGroup var limits: LimitOptions

  @OptionGroup var files: FileOptions

  func run() throws {
    let options = limits.begin(reading: files)
    let url = URL(fileURLWithPath: model)
    guard ["mlpackage", "mlmodel"].contains(url.pathExtension.lowercased()) else {
      throw CommandFailure("\(model) is neither an .mlpackage nor an .mlmodel: only these can be compiled")
    }
    try requireFile(model)
    let folder = URL(fileURLWithPath: output ?? url.deletingPathExtension().lastPathComponent + ".mlmodelc")
    guard folder.pathExtension.lowercased() == "mlmodelc" else { throw CommandFailure("\(folder.path) does not end in .mlmodelc") }
    if !force, FileManager.default.fileExists(atPath: folder.path) {
      throw CommandFailure("\(folder.path) already exists; --force replaces it")
    }
    do {
      try Model.compile(url, to: folder, replacesExisting: force, options: options)
    } catch {
      throw CommandFailure("\(error)")
    }
    print(folder.path)
  }
}
