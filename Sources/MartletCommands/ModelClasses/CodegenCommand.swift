import ArgumentParser
import FoundationEssentials
import MartletSystem
import MartletBytes
import MartletModelClasses

/// `martlet codegen`: the Swift classes of a Core ML model.
struct CodegenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "codegen",
    abstract: "Writes the Swift class of a Core ML model, as Xcode does.",
    discussion: """
      The file NAME.swift has the classes NAMEInput, NAMEOutput, NAMEState for a model with states, and NAME, which loads the \
      model and predicts. It needs the module CoreML.

      The package plugin ModelClasses does this in each build for the models in a target's folder.
      """)

  @Argument(help: "A Core ML model: .mlpackage, .mlmodel or .mlmodelc.")
  var model: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file, the folder for it, or - for standard output; default: NAME.swift in the current folder.", valueName: "file"))
  var output: String?

  @Flag(name: .customLong("public"), help: "Declare the classes public instead of internal.")
  var isPublic = false

  @Option(help: ArgumentHelp("The name of the class; default: the model's name.", valueName: "class"))
  var name: String?

  func run() throws {
    let url = URL(fileURLWithPath: model)
    guard ["mlpackage", "mlmodel", "mlmodelc"].contains(url.pathExtension) else {
      throw CommandFailure("\(model) is neither an .mlpackage nor an .mlmodel nor an .mlmodelc")
    }
    guard FileManager.default.fileExists(atPath: model) else { throw CommandFailure("there is no file \(model)") }
    let interface: ModelInterface
    do {
      interface = try ModelInterface(contentsOfPath: model)
    } catch {
      throw CommandFailure("\(error)")
    }
    let resource = url.deletingPathExtension().lastPathComponent
    let text = ModelClassText(interface, resource: resource, className: name, access: isPublic ? .public : .internal)
    guard output != "-" else { return print(text.text, terminator: "") }
    var file = output ?? "\(text.name).swift"
    var isFolder = false
    if FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), isFolder { file += "/\(text.name).swift" }
    do {
      try text.text.write(toFile: file, atomically: true, encoding: .utf8)
    } catch {
      throw CommandFailure("\(file) cannot be written: \(error.fileReason)")
    }
    print(file)
  }
}
