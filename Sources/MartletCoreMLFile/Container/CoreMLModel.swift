package import MartletBytes
import MartletCoreMLSpecification
import MartletFeatures

/// A Core ML model, read and checked as a whole.
///
/// Read are `.mlpackage` folders, `.mlmodel` files and `.mlmodelc` folders as Apple's compiler writes them (ML Programs and
/// pipelines of them) and as this engine does (`CompiledForm`). Weights in weight files stay mapped: reading costs time in proportion to the program, not to the weights.
package struct CoreMLModel: Sendable {
  package enum Content: Sendable {
    case program(MILProgram)
    case pipeline([PipelineStage])
    /// A model of another kind.
    case other(CoreMLOtherModel)
  }

  /// A model of a pipeline.
  package struct PipelineStage: Sendable {
    /// Empty where the file names no stages.
    package let name: String
    package let model: CoreMLModel
  }

  /// The file or folder.
  package let path: String
  /// 1: iOS 11, 2: 11.2, 3: 12, 4: 13, 5: 14, 6: 15, 7: 16, 8: 17, 9: 18, 10: 26. 0 in a compiled model that does not tell.
  package let specificationVersion: Int
  package let kind: CoreMLModelKind
  package let isUpdatable: Bool
  package let description: CoreMLModelDescription
  package let content: Content
  /// What the model was read from if that is a folder compiled by this version of the engine.
  package internal(set) var compiledForm: CompiledForm?

  init(
    path: String, specificationVersion: Int, kind: CoreMLModelKind, isUpdatable: Bool, description: CoreMLModelDescription, content: Content
  ) throws(FileError) {
    self.path = path
    self.specificationVersion = specificationVersion
    self.kind = kind
    self.isUpdatable = isUpdatable
    self.description = description
    self.content = content
    if case .program(let program) = content { try checkFeatures(of: program) }
  }

  /// Reads the model at `path`, whichever form it has.
  ///
  /// - Throws: `FileError` naming the part and the field that is missing or damaged.
  package init(contentsOfPath path: String) throws(FileError) {
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
    let path = String(trimmed)
    if CoreMLFolder.isFolder(path) {
      try self.init(CoreMLFolder(path: path))
    } else {
      let file = try MappedFile(contentsOfPath: path)
      let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
      try self.init(specification: file.bytes, weights: CoreMLFolder(path: parent))
    }
  }

  /// Reads the package or the compiled model in `folder`.
  package init(_ folder: CoreMLFolder) throws(FileError) {
    if folder.hasFile(CompiledForm.modelPath), let model = try CompiledForm.read(folder) {
      self = model
    } else {
      try self.init(original: folder)
    }
  }

  /// Reads the package or the compiled model of another maker in `folder`.
  private init(original folder: CoreMLFolder) throws(FileError) {
    if folder.hasFile("Manifest.json") {
      let manifest = try PackageManifest(folder)
      let (parent, name) = manifest.rootModel
      let weights = try parent.isEmpty ? folder : folder.subfolder(parent)
      try self.init(specification: weights.open(name, part: "model"), weights: weights, path: folder.path)
    } else if CompiledModel.isCompiledModel(folder) {
      self = try CompiledModel.read(folder, depth: 0)
    } else {
      throw FileError(file: folder.path, reason: "is neither a model package (no Manifest.json) nor a compiled model (no coremldata.bin)")
    }
  }

  /// Reads a serialised model, as `.mlmodel` files are. `weights` is the folder that "@model_path" stands for.
  ///
  /// Memory: weights inside the file are copied once; the file's pages are let go afterwards.
  package init(specification: ByteView, weights: CoreMLFolder?) throws(FileError) {
    try self.init(specification: specification, weights: weights, path: specification.owner.path)
  }

  private init(specification: ByteView, weights: CoreMLFolder?, path: String) throws(FileError) {
    let filePath = specification.owner.path
    let model = try SpecModel(checking: specification, part: "model")
    specification.owner.advise(.doNotNeed, for: specification)
    try self.init(
      model, path: path, filePath: filePath, weights: WeightFolder(folder: weights, modelPath: filePath), depth: 0)
  }

  /// Pipelines may hold pipelines; this deep.
  static let maximumDepth = 8

  private init(_ model: SpecModel, path: String, filePath: String, weights: WeightFolder, depth: Int) throws(FileError) {
    guard depth <= Self.maximumDepth else { throw FileError(file: filePath, reason: "pipelines are nested too deeply") }
    guard model.specificationVersion >= 1 else {
      throw FileError(file: filePath, field: "specificationVersion", reason: "\(model.specificationVersion) is not a version")
    }
    guard let type = model.type else { throw FileError(file: filePath, reason: "the file has no model") }
    let description = try locating("description") { () throws(FileError) in
      try CoreMLModelDescription(model.description_p, path: filePath)
    }

    func stages(_ pipeline: SpecPipeline) throws(FileError) -> Content {
      guard pipeline.names.isEmpty || pipeline.names.count == pipeline.models.count else {
        throw FileError(
          file: filePath, field: "pipeline.names", reason: "there are \(pipeline.names.count) names for \(pipeline.models.count) models")
      }
      var stages: [PipelineStage] = []
      for (index, stage) in pipeline.models.enumerated() {
        do {
          stages.append(
            PipelineStage(
              name: pipeline.names.isEmpty ? "" : pipeline.names[index],
              model: try CoreMLModel(stage, path: path, filePath: filePath, weights: weights, depth: depth + 1)))
        } catch {
          throw error.nested(in: "pipeline.models[\(index)]")
        }
      }
      return .pipeline(stages)
    }
    let content: Content =
      switch type {
      case .mlProgram(let program):
        .program(
          try locating("mlProgram") { () throws(FileError) in
            try MILSpecificationReader(path: filePath, weights: weights).program(program)
          })
      case .pipeline(let pipeline): try stages(pipeline)
      case .pipelineClassifier(let classifier): try stages(classifier.pipeline)
      case .pipelineRegressor(let regressor): try stages(regressor.pipeline)
      default: .other(CoreMLOtherModel(type: type))
      }
    try self.init(
      path: path, specificationVersion: Int(model.specificationVersion), kind: CoreMLModelKind(type), isUpdatable: model.isUpdatable,
      description: description, content: content)
  }
}

/// A model that is not made of MIL operations: its parameters, as the file has them.
package struct CoreMLOtherModel: Sendable {
  let type: SpecModel.OneOf_Type
}

extension CoreMLModel {
  package var program: MILProgram? {
    if case .program(let program) = content { program } else { nil }
  }

  /// Function of the program that `function` of the description stands for.
  package func program(for function: CoreMLFunctionDescription) -> MILFunction? {
    program?.function(named: function.programName)
  }

  /// Checks that the program has what the description declares.
  private func checkFeatures(of program: MILProgram) throws(FileError) {
    for declared in description.functions {
      let name = declared.programName
      guard let function = program.function(named: name) else {
        throw FileError(file: path, field: "description", reason: "the program has no function '\(name)'")
      }
      let inputs = Set(function.inputs.map(\.name))
      for feature in declared.inputs + declared.states where !inputs.contains(feature.name) {
        throw FileError(file: path, field: "description", reason: "the function '\(name)' has no input '\(feature.name)'")
      }
      let outputs = Set(function.block.outputs)
      for feature in declared.outputs where !outputs.contains(feature.name) {
        throw FileError(file: path, field: "description", reason: "the function '\(name)' has no output '\(feature.name)'")
      }
    }
  }
}
