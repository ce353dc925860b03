package import MartletBytes
package import MartletFeatures
import MartletTensor

/// A Core ML model, completely read and checked.
///
/// Supported are `.mlpackage` folders, `.mlmodel` files, and `.mlmodelc` folders written by Apple's compiler (ML Programs and pipelines
/// of them) or by this engine (`CompiledForm`). Weight files stay mapped: the cost of reading depends on the size of the program, not on
/// that of the weights.
package struct CoreMLModel: Sendable {
  package indirect enum Content: Sendable {
    case program(MILProgram)
    case pipeline([PipelineStage])
    case network(CoreMLNetwork)
    /// A model without a network or a program.
    case classic(ClassicModel)
  }

  /// A model in a pipeline.
  package struct PipelineStage: Sendable {
    /// `model` and the position if the file does not name the stage.
    package let name: String
    package let model: CoreMLModel

    /// - Parameters:
    ///   - name: the name in the file; empty if there is none.
    ///   - position: counts the stages of the pipeline from 0.
    package init(name: String, at position: Int, _ model: CoreMLModel) {
      self.name = name.isEmpty ? "model\(position)" : name
      self.model = model
    }
  }

  /// The file or folder.
  package let path: String
  /// 1: iOS 11, 2: 11.2, 3: 12, 4: 13, 5: 14, 6: 15, 7: 16, 8: 17, 9: 18, 10: 26. 0 in a compiled model without this information.
  package let specificationVersion: Int
  package let kind: CoreMLModelKind
  package let isUpdatable: Bool
  package let description: ModelDescription
  package private(set) var content: Content
  /// The compiled form that the model was read from; nil if the folder was not compiled by this version of the engine.
  package internal(set) var compiledForm: CompiledForm?
  /// The files that the model was read from and that were mapped.
  private var readFiles: [ReadFile] = []

  private struct ReadFile: Sendable {
    weak let file: MappedFile?
  }

  /// The mapped files that still hold parts of the model, such as weights.
  package var mappedFiles: [MappedFile] { readFiles.compactMap(\.file) }

  init(
    path: String, specificationVersion: Int, kind: CoreMLModelKind, isUpdatable: Bool, description: ModelDescription, content: Content
  ) throws(FileError) {
    self.path = path
    self.specificationVersion = specificationVersion
    self.kind = kind
    self.isUpdatable = isUpdatable
    self.content = content
    switch content {
    case .program(let program):
      self.description = description.withLabels(of: program)
      try checkFeatures(of: program)
    case .network(let network): self.description = description.withLabels(network.classifier?.labels)
    case .classic(let model): self.description = description.withLabels(model.labels)
    case .pipeline(let stages):
      // The last stage that gives the label is its classifier.
      let classifier = stages.last { stage in
        description.defaultFunction.predictedFeatureName != nil
          && stage.model.description.defaultFunction.classification?.label == description.defaultFunction.predictedFeatureName
      }
      self.description = description.withLabels(classifier?.model.description.defaultFunction.classification?.labels)
    }
  }

  /// Reads the model at `path` in any supported form.
  ///
  /// - Throws: `FileError` naming the part and field that is missing or damaged.
  package init(contentsOfPath path: String, access: FileAccess = .map) throws(FileError) {
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
    let path = String(trimmed)
    let folder: CoreMLFolder
    let file: MappedFile?
    if CoreMLFolder.isFolder(path) {
      folder = CoreMLFolder(path: path, access: access)
      file = nil
    } else {
      let parent = CoreMLFolder.parent(of: path)
      folder = CoreMLFolder(around: parent, access: access)
      file = try MappedFile(contentsOfPath: path, access: access)
    }
    do throws(FileError) {
      if let file { try self.init(specification: file.bytes, weights: folder) } else { try self.init(folder) }
    } catch {
      // A change to the files may have caused the error.
      try file?.checkUnchanged()
      try folder.mappedFiles.checkUnchanged()
      throw error
    }
    let files = folder.mappedFiles + [file].compactMap { $0 }
    try files.checkUnchanged()
    readFiles = files.map { ReadFile(file: $0) }
  }

  /// Reads the package or the compiled model in `folder`.
  package init(_ folder: CoreMLFolder) throws(FileError) {
    if folder.hasFile(CompiledForm.modelPath), let model = try CompiledForm.read(folder) {
      self = model
    } else {
      try self.init(original: folder)
    }
  }

  /// Reads the package, or the model compiled by another tool, in `folder`.
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

  /// Reads a serialised model, the content of an `.mlmodel` file. `weights` is the folder that "@model_path" stands for.
  ///
  /// Memory: values inside an ML Program's file are copied, and its pages released; the weights of networks stay in the file.
  package init(specification: ByteView, weights: CoreMLFolder?) throws(FileError) {
    try self.init(specification: specification, weights: weights, path: specification.owner.path)
  }

  private init(specification: ByteView, weights: CoreMLFolder?, path: String) throws(FileError) {
    let filePath = specification.owner.path
    let outline = try SpecificationOutline(specification)
    try self.init(outline, path: path, filePath: filePath, weights: WeightFolder(folder: weights, modelPath: filePath))
    specification.owner.advise(.doNotNeed, for: specification)
  }

  init(_ outline: SpecificationOutline, path: String, filePath: String, weights: WeightFolder) throws(FileError) {
    let model = try SpecModel(checking: outline.message, against: .coreML, part: "model")
    try self.init(model, outline, path: path, filePath: filePath, weights: weights, at: [])
  }

  /// The newest specification version. A newer one may give known messages another meaning.
  private static let newestVersion = 10
  /// Maximum nesting depth of pipelines.
  static let maximumDepth = 8

  private init(
    _ model: SpecModel, _ outline: SpecificationOutline, path: String, filePath: String, weights: WeightFolder, at position: [Int]
  ) throws(FileError) {
    guard position.count <= Self.maximumDepth else { throw FileError(file: filePath, reason: "pipelines are nested too deeply") }
    guard model.specificationVersion >= 1 else {
      throw FileError(file: filePath, field: "specificationVersion", reason: "\(model.specificationVersion) is not a version")
    }
    guard model.specificationVersion <= Self.newestVersion else {
      throw FileError(
        file: filePath, field: "specificationVersion",
        reason: "\(model.specificationVersion) is newer than \(Self.newestVersion), the newest version that is known")
    }
    guard let type = model.type else { throw FileError(file: filePath, reason: "the file contains no model") }
    let kind = CoreMLModelKind(type)
    let rules = DescriptionRules(kind: kind, version: Int(widening: model.specificationVersion))
    let description = try locating("description") { () throws(FileError) in
      try ModelDescription(model.description_p, path: filePath, rules: rules)
    }

    func classic() throws(FileError) -> Content {
      let reader = ClassicReader(path: filePath, kind: kind, description: description, outline: outline, position: position)
      let classic = try reader.model(type)
      try reader.interface.checkOptional()
      return .classic(classic)
    }
    func stages(_ pipeline: SpecPipeline) throws(FileError) -> Content {
      let (names, models) = (pipeline.names, pipeline.models)
      guard names.isEmpty || names.count == models.count else {
        throw FileError(file: filePath, field: "pipeline.names", reason: "there are \(names.count) names for \(models.count) models")
      }
      var stages: [PipelineStage] = []
      for (index, stage) in models.enumerated() {
        do {
          stages.append(
            PipelineStage(
              name: names.isEmpty ? "" : names[index], at: index,
              try CoreMLModel(stage, outline, path: path, filePath: filePath, weights: weights, at: position + [index])))
        } catch {
          throw error.nested(in: "pipeline.models[\(index)]")
        }
      }
      return .pipeline(stages)
    }
    let networks = NetworkReader(path: filePath, outline: outline, function: description.defaultFunction)
    let content: Content =
      switch type {
      case .mlProgram(let program):
        .program(
          try locating("mlProgram") { () throws(FileError) in
            try MILSpecificationReader(path: filePath, weights: weights).program(program)
          })
      case .neuralNetwork(let network):
        .network(try locating("neuralNetwork") { () throws(FileError) in try networks.network(network) })
      case .neuralNetworkClassifier(let network):
        .network(try locating("neuralNetworkClassifier") { () throws(FileError) in try networks.network(network) })
      case .neuralNetworkRegressor(let network):
        .network(try locating("neuralNetworkRegressor") { () throws(FileError) in try networks.network(network) })
      case .pipeline(let pipeline): try stages(pipeline)
      case .pipelineClassifier(let classifier): try stages(classifier.pipeline)
      case .pipelineRegressor(let regressor): try stages(regressor.pipeline)
      default: try classic()
      }
    try self.init(
      path: path, specificationVersion: Int(widening: model.specificationVersion), kind: kind,
      isUpdatable: model.isUpdatable,
      description: description, content: content)
    try checkUpdatable()
  }
}

extension CoreMLModel {
  /// The model with another number of neighbours of a classifier by nearest neighbours.
  /// - Parameter path: the classifier's position in each pipeline around it, outermost first.
  package func withNeighborCount(_ count: Int, at path: ArraySlice<Int>) -> CoreMLModel {
    var model = self
    switch content {
    case .classic(.kNearestNeighborsClassifier(var neighbors)):
      neighbors.neighborCount = count
      model.content = .classic(.kNearestNeighborsClassifier(neighbors))
    case .pipeline(var stages):
      guard let position = path.first, stages.indices.contains(position) else { break }
      let stage = stages[position]
      stages[position] = PipelineStage(name: stage.name, at: position, stage.model.withNeighborCount(count, at: path.dropFirst()))
      model.content = .pipeline(stages)
    case .program, .network, .classic: break
    }
    return model
  }

  package var program: MILProgram? {
    if case .program(let program) = content { program } else { nil }
  }

  /// The program's function for `function` of the description.
  package func program(for function: FunctionDescription) -> MILFunction? {
    program?.function(named: function.programName)
  }

  /// Checks that the program has the features that the description declares.
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
