import MartletBytes
import MartletCoreMLFile
import MartletExecuTorchFile
import MartletFeatures
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Adds the ML Program in a Core ML delegate's payload to a method.
struct CoreMLDelegateImporter: PayloadImporter {
  private let payload: CoreMLPayload
  private let function: MILFunction
  private let declared: FunctionDescription
  let importer: MethodImporter

  init(_ payload: CoreMLPayload, file: String, importer: MethodImporter) throws {
    self.payload = payload
    self.importer = importer
    let files = CoreMLFolder(files: payload.files, name: "\(file) (\(importer.builder.source))")
    let folder = payload.files.keys.contains { $0.hasPrefix("model.mlmodelc/") } ? "model.mlmodelc" : "model.mlpackage"
    let model = try CoreMLModel(files.subfolder(folder))
    let declared = payload.function.flatMap { model.description.function(named: $0) } ?? model.description.defaultFunction
    guard let function = model.program(for: declared) else { throw CallError("the model is a \(model.kind), not an ML Program") }
    self.declared = declared
    self.function = function
  }

  /// Appends the program's nodes. `arguments` are the method's values for the model's inputs, followed by those for its outputs.
  func importAll(_ arguments: [Int]) throws {
    try requireArguments(arguments, inputs: payload.inputNames.count, outputs: payload.outputNames.count)
    let program = try MILFunctionImporter(
      function, declared: declared, file: importer.context.file, constants: importer.context.constants,
      limits: builder.limits
    ).importFunction()

    let given = Dictionary(zip(payload.inputNames, arguments), uniquingKeysWith: { first, _ in first })
    let inputs = try program.inputs.map { id -> ValueID in
      let name = program[id].name ?? ""
      guard let argument = given[name] else { throw CallError("the call has no argument for the input '\(name)'") }
      guard let type = program.signature(id) else { throw CallError("the input '\(name)' is not a tensor") }
      return try fitted(importer.readTensor(argument), to: type, "'\(name)'")
    }
    let results = builder.inline(program, inputs: inputs, identifier: payload.identifier)
    let outputs = Dictionary(zip(declared.outputs.map(\.name), results), uniquingKeysWith: { first, _ in first })
    for (name, argument) in zip(payload.outputNames, arguments.dropFirst(payload.inputNames.count)) {
      guard let result = outputs[name] else { throw CallError("the model has no output '\(name)'") }
      try importer.write(argument, fitted(result, to: importer.signature(importer.tensorArgument(argument)), "'\(name)'"))
    }
  }
}
