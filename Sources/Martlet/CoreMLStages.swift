import MartletBytes
import MartletCoreMLFile
import MartletFeatures
import MartletImport
import MartletTensor

/// The stages of a Core ML model's functions, and the importers of the graphs among them.
struct CoreMLStages {
  /// A graph among the stages of a function.
  struct StageGraph {
    let importer: any FunctionImporter
    let function: FunctionDescription
  }

  /// By method.
  private(set) var chains: [String: ModelChain] = [:]
  /// By the name that stages have for a graph.
  private(set) var graphs: [String: StageGraph] = [:]

  private let options: ModelOptions
  /// Implements layers of networks that the file leaves to the program.
  private let customLayers: CustomLayerProvider?
  private let memory: MemoryBudget
  private var finder: LinkedModelFinder
  private let path: String
  /// The stages before the model that is trained; empty unless made for training.
  private(set) var first: [ModelChain.Stage] = []

  /// The stages before the model that is trained.
  /// - Parameters:
  ///   - path: the model's path.
  ///   - function: the features of the whole model, with the inputs of the trained model as outputs.
  ///   - memory: the budget that functions on features charge their results to.
  init(before updatable: UpdatableModel, path: String, _ function: FunctionDescription, options: ModelOptions, memory: MemoryBudget) {
    self.options = options
    self.memory = memory
    self.path = path
    customLayers = options.customLayers?.provider
    finder = LinkedModelFinder(options.originalPath ?? path, locations: options.linkedModels, access: options.access)
    first = stages(of: updatable.stages, function, name: "stages", place: .whole)
  }

  /// - Parameter memory: the budget that functions on features charge their results to.
  init(_ model: CoreMLModel, options: ModelOptions, memory: MemoryBudget) {
    self.options = options
    self.memory = memory
    customLayers = options.customLayers?.provider
    path = model.path
    finder = LinkedModelFinder(options.originalPath ?? path, locations: options.linkedModels, access: options.access)
    let program = model.program.map { MILProgramImporter($0, file: model.path) }
    for function in model.description.functions where chains[function.programName] == nil {
      chains[function.programName] = chain(of: model, function, name: function.programName, place: .whole, program: program)
    }
  }

  /// The models of other files, which linked models stand for.
  var linkedModels: [CoreMLModel] { Array(finder.models.values) }

  /// The keys of `ModelOptions.linkedModels` that stand for no linked model.
  var unusedLocations: [String] { finder.unusedLocations }

  /// The chain of a function.
  /// - Parameters:
  ///   - name: names the graph, or is the prefix of the names of several.
  ///   - place: the place of the model among pipelines and links.
  ///   - program: the importer that the functions of a program share.
  private mutating func chain(
    of model: CoreMLModel, _ function: FunctionDescription, name: String, place: LinkedModelFinder.Place,
    program: MILProgramImporter? = nil
  ) -> ModelChain {
    let stages: [ModelChain.Stage]
    switch model.content {
    case .pipeline(let members): stages = self.stages(of: members, function, name: name, place: place)
    case .classic(.linkedModel(let link)): stages = self.stages(of: link, model, function, name: name, place: place)
    case .classic(let classic):
      if let member = ClassicMember(model) {
        stages = [graph(of: [member], function, model, name: name)] + labelling(function)
      } else {
        stages = [.function(self.function(of: classic, model))]
      }
    case .program(let content):
      graphs[name] = StageGraph(importer: program ?? MILProgramImporter(content, file: model.path), function: function)
      stages = [.graph(GraphStep(method: name, inputs: function.inputs, outputs: function.outputs))] + labelling(function)
    case .network(let network) where options.ignoresOutsideModels && network.hasCustomLayers: stages = [Self.unknownWhenCompiled]
    case .network(let network): stages = [graph(of: network, function, model, name: name)] + labelling(function)
    }
    return ModelChain(stages, inputs: function.inputs, outputs: function.outputs)
  }

  /// The stage of a model whose meaning lies in the program or in another file, when it is loaded to be compiled.
  private static let unknownWhenCompiled = ModelChain.Stage.function(
    RefusedFunction(.unsupported("the model is loaded to be compiled"), canLoad: true))

  /// The step of a classic model that is not a graph.
  private func function(of classic: ClassicModel, _ model: CoreMLModel) -> any FeatureFunction {
    switch classic {
    case .customModel where options.ignoresOutsideModels:
      RefusedFunction(MartletError(.customModel, "the model is loaded to be compiled"), canLoad: true)
    case .customModel(let custom):
      CustomModelFunction(CustomModel.Request(custom, of: model)) { [options] request in try options.customModel(request) }
    default: classic.featureFunction(model, memory: memory)
    }
  }

  /// The step that names the classes of a classifier; none for other functions.
  private func labelling(_ function: FunctionDescription) -> [ModelChain.Stage] {
    guard let classification = function.classification else { return [] }
    let isDictionary = function.outputs.contains { feature in
      if case .dictionary = feature.type { feature.name == classification.probabilities } else { false }
    }
    return [
      .function(
        ClassLabelling(
          Classification(
            labels: classification.labels, label: classification.label,
            probabilities: isDictionary ? classification.probabilities : nil)))
    ]
  }

  /// The stage of a network.
  private mutating func graph(
    of network: CoreMLNetwork, _ function: FunctionDescription, _ model: CoreMLModel, name: String
  ) -> ModelChain.Stage {
    let function = network.withZerosForOptional(function)
    graphs[name] = StageGraph(importer: NetworkImporter(network, file: model.path, customLayers: customLayers), function: function)
    let takesSequences = network.arrayMapping == .rank5 && function.inputs.contains { $0.type.isArray }
    let sequences = takesSequences ? name + " (sequences)" : nil
    if let sequences {
      graphs[sequences] = StageGraph(
        importer: NetworkImporter(network, file: model.path, sequences: .any, customLayers: customLayers), function: function)
    }
    return .graph(GraphStep(method: name, sequences: sequences, inputs: function.inputs, outputs: function.outputs))
  }

  // MARK: Linked models

  /// The stages of the model that a linked one stands for.
  private mutating func stages(
    of link: LinkedModel, _ model: CoreMLModel, _ function: FunctionDescription, name: String, place: LinkedModelFinder.Place
  ) -> [ModelChain.Stage] {
    if options.ignoresOutsideModels { return [Self.unknownWhenCompiled] }
    do {
      let path = model.path == path ? options.originalPath ?? path : model.path
      let target = try finder.enter(link, of: path, at: place)
      defer { finder.leave() }
      let inner = target.description.defaultFunction
      try Self.check(function, of: model, standsFor: inner, of: target)
      return stages(of: chain(of: target, inner, name: name, place: place.linked(target)), of: target)
    } catch {
      return [.function(RefusedFunction(MartletError(error)))]
    }
  }

  /// Checks that a link declares what the model takes, and only outputs that it gives.
  private static func check(
    _ declared: FunctionDescription, of link: CoreMLModel, standsFor function: FunctionDescription, of model: CoreMLModel
  ) throws(FileError) {
    let inputs = Set(declared.inputs.map(\.name))
    let outputs = Set(function.outputs.map(\.name))
    let lacking =
      function.inputs.first { !$0.isOptional && !inputs.contains($0.name) } ?? declared.outputs.first { !outputs.contains($0.name) }
    guard let lacking else { return }
    throw FileError(
      file: link.path, field: "description", reason: "the feature '\(lacking.name)' is not one of both the link and \(model.path)")
  }

  /// A chain as stages of another one. The features of a pipeline are its own.
  private func stages(of chain: ModelChain, of model: CoreMLModel) -> [ModelChain.Stage] {
    if case .pipeline = model.content { [.chain(chain)] } else { chain.stages }
  }

  // MARK: Pipelines

  /// The stages of a pipeline. Neighbouring numeric models become one graph, which ends with a classifier.
  private mutating func stages(
    of members: [CoreMLModel.PipelineStage], _ function: FunctionDescription, name: String, place: LinkedModelFinder.Place
  ) -> [ModelChain.Stage] {
    var stages: [ModelChain.Stage] = []
    var pending: [(position: Int, model: CoreMLModel, member: ClassicMember)] = []
    func needed(after position: Int) -> Set<String> {
      let later = members[(position + 1)...].flatMap(\.model.description.defaultFunction.inputs)
      return Set((later + function.outputs).map(\.name))
    }
    func flush(_ own: inout CoreMLStages) {
      guard let first = pending.first, let last = pending.last else { return }
      let isWhole = pending.count == members.count
      let declared = isWhole ? function : Self.segment(pending.map(\.member), needed: needed(after: last.position))
      stages.append(own.graph(of: pending.map(\.member), declared, last.model, name: isWhole ? name : "\(name)/\(first.position)"))
      stages += own.labelling(last.member.function)
      pending = []
    }
    for (position, stage) in members.enumerated() {
      let model = stage.model
      if let member = ClassicMember(model) {
        pending.append((position, model, member))
        if member.function.classification != nil { flush(&self) }
      } else {
        flush(&self)
        let chain = chain(of: model, model.description.defaultFunction, name: "\(name)/\(position)", place: place.stage(stage.name))
        stages += self.stages(of: chain, of: model)
      }
    }
    flush(&self)
    return stages
  }

  /// The features of neighbouring models that come from elsewhere, and those that are `needed` elsewhere.
  private static func segment(_ members: [ClassicMember], needed: Set<String>) -> FunctionDescription {
    var result = members[members.count - 1].function
    var produced: [String: FeatureDescription] = [:]
    var order: [String] = []
    result.inputs = []
    for member in members {
      for input in member.function.inputs where produced[input.name] == nil && !result.inputs.contains(where: { $0.name == input.name }) {
        result.inputs.append(input)
      }
      for output in member.function.outputs {
        if produced.updateValue(output, forKey: output.name) == nil { order.append(output.name) }
      }
    }
    result.outputs = order.filter { needed.contains($0) }.compactMap { produced[$0] }
    return result
  }

  /// The stage of numeric models as one graph.
  private mutating func graph(
    of members: [ClassicMember], _ function: FunctionDescription, _ model: CoreMLModel, name: String
  ) -> ModelChain.Stage {
    var function = function
    for index in function.inputs.indices where function.inputs[index].isOptional {
      let input = function.inputs[index].name
      let readers = members.filter { $0.function.inputs.contains { $0.name == input } }
      if readers.allSatisfy(\.acceptsMissingValues) { function.inputs[index].missingValue = .nan }
    }
    let importer = ClassicImporter(members, file: model.path)
    graphs[name] = StageGraph(importer: importer, function: function)
    let table = members.allSatisfy(\.hasRows) ? name + " (rows)" : nil
    if let table { graphs[table] = StageGraph(importer: importer.table, function: function) }
    return .graph(GraphStep(method: name, table: table, inputs: function.inputs, outputs: function.outputs))
  }
}

extension CoreMLNetwork {
  /// True for a network with layers that the file leaves to the program.
  fileprivate var hasCustomLayers: Bool {
    var hasOne = false
    visit { layer in if case .custom = layer.operation { hasOne = true } }
    return hasOne
  }

  /// The function with zeros for optional inputs that a caller omits, such as the initial states of recurrent layers.
  func withZerosForOptional(_ function: FunctionDescription) -> FunctionDescription {
    var function = function
    for index in function.inputs.indices where function.inputs[index].isOptional {
      if case .multiArray(let array) = function.inputs[index].type, array.defaultValue == nil { function.inputs[index].missingValue = 0 }
    }
    return function
  }
}
