import MartletBytes
import MartletModelClasses
import MartletSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Writes the class of a model and the compiled model that the class loads. `Plugins/ModelClasses` runs it during a build.
//
//   MartletModelClassesTool MODEL --class-file FILE.swift [--class-name NAME] [--public] [--compiled-model NAME.mlmodelc]

/// Arguments of the tool.
struct Arguments {
  var model = ""
  var classFile = ""
  var className: String?
  var access = ModelClassText.Access.internal
  var compiledModel: String?

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func value(of option: String) throws -> String {
      guard let value = rest.popFirst() else { throw Failure("\(option) needs a value") }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--class-file": classFile = try value(of: argument)
      case "--class-name": className = try value(of: argument)
      case "--compiled-model": compiledModel = try value(of: argument)
      case "--public": access = .public
      default:
        guard model.isEmpty, !argument.hasPrefix("-") else { throw Failure("'\(argument)' is not an argument") }
        model = argument
      }
    }
    guard !model.isEmpty, !classFile.isEmpty else { throw Failure("a model and --class-file are needed") }
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

do {
  let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
  let model = URL(fileURLWithPath: arguments.model)
  let text = ModelClassText(
    try ModelInterface(contentsOfPath: arguments.model), resource: model.deletingPathExtension().lastPathComponent,
    className: arguments.className, access: arguments.access
  ).text
  // A file that stays as it is need not be compiled again.
  if (try? String(contentsOfFile: arguments.classFile, encoding: .utf8)) != text {
    try text.write(toFile: arguments.classFile, atomically: true, encoding: .utf8)
  }
  if let compiledModel = arguments.compiledModel { try CompiledModelFolder(of: model).write(to: URL(fileURLWithPath: compiledModel)) }
} catch {
  let message = (error as? Failure)?.description ?? error.fileReason
  OutputDescriptor.write("error: \(message)\n", to: STDERR_FILENO)
  exit(1)
}
