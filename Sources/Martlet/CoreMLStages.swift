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

  private let customLayers: CustomLayerProvider?
  private let memory: MemoryBudget

  /// - Parameters:
  ///   - customLayers: implements layers of networks that the file leaves to the program.
  ///   - memory: the budget that functions on features charge their results to.
  init(_ model: CoreMLModel, customLayers: CustomLayerProvider?, memory: MemoryBudget) {
    self.customLayers = customLayers
    self.memory = memory
    let program = model.program.map { MILProgramImporter($0, file: model.path) }
    for function in model.description.functions where chains[function.programName] == nil {
      chains[function.programName] = chain(of: model, function, name: function.programName, program: program)
    }
  }

  /// The chain of a function.
  /// - Parameters:
  ///   - name: names the graph, or is the prefix of the names of several.
  ///   - program: the importer that the functions of a program share.
  private mutating func chain(
    of model: CoreMLModel, _ function: FunctionDescription, name: String, program: MILProgramImporter? = nil
  ) -> ModelChain {
    let stages: [ModelChain.Stage]
    switch model.content {
    case .pipeline(let members): stages = self.stages(of: members.map(\.model), function, name: name)
    case .classic(let classic):
      if let member = ClassicMember(model) {
        stages = [graph(of: [member], function, model, name: name)] + labelling(function)
      } else {
        stages = [.function(classic.featureFunction(model, memory: memory))]
      }
    case .program(let content):
      graphs[name] = StageGraph(importer: program ?? MILProgramImporter(content, file: model.path), function: function)
      stages = [.graph(GraphStep(method: name, inputs: function.inputs, outputs: function.outputs))] + labelling(function)
    case .network(let network): stages = [graph(of: network, function, model, name: name)] + labelling(function)
    }
    return ModelChain(stages, inputs: function.inputs, outputs: function.outputs)
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

  /// The stage of a network. Optional inputs that a caller omits, such as the initial states of recurrent layers, are zeros.
  private mutating func graph(
    of network: CoreMLNetwork, _ function: FunctionDescription, _ model: CoreMLModel, name: String
  ) -> ModelChain.Stage {
    var function = function
    for index in function.inputs.indices where function.inputs[index].isOptional {
      if case .multiArray(let array) = function.inputs[index].type, array.defaultValue == nil { function.inputs[index].missingValue = 0 }
    }
    graphs[name] = StageGraph(importer: NetworkImporter(network, file: model.path, customLayers: customLayers), function: function)
    let takesSequences = network.arrayMapping == .rank5 && function.inputs.contains { $0.type.isArray }
    let sequences = takesSequences ? name + " (sequences)" : nil
    if let sequences {
      graphs[sequences] = StageGraph(
        importer: NetworkImporter(network, file: model.path, sequences: .any, customLayers: customLayers), function: function)
    }
    return .graph(GraphStep(method: name, sequences: sequences, inputs: function.inputs, outputs: function.outputs))
  }

  // MARK: Pipelines

  /// The stages of a pipeline. Neighbouring numeric models become one graph, which ends with a classifier.
  private mutating func stages(of members: [CoreMLModel], _ function: FunctionDescription, name: String) -> [ModelChain.Stage] {
    var stages: [ModelChain.Stage] = []
    var pending: [(position: Int, model: CoreMLModel, member: ClassicMember)] = []
    func needed(after position: Int) -> Set<String> {
      Set(members[(position + 1)...].flatMap { $0.description.defaultFunction.inputs.map(\.name) }).union(function.outputs.map(\.name))
    }
    func flush(_ own: inout CoreMLStages) {
      guard let first = pending.first, let last = pending.last else { return }
      let isWhole = pending.count == members.count
      let declared = isWhole ? function : Self.segment(pending.map(\.member), needed: needed(after: last.position))
      stages.append(own.graph(of: pending.map(\.member), declared, last.model, name: isWhole ? name : "\(name)/\(first.position)"))
      stages += own.labelling(last.member.function)
      pending = []
    }
    for (position, model) in members.enumerated() {
      if let member = ClassicMember(model) {
        pending.append((position, model, member))
        if member.function.classification != nil { flush(&self) }
      } else {
        flush(&self)
        let function = model.description.defaultFunction
        let chain = chain(of: model, function, name: "\(name)/\(position)")
        // Features of a pipeline within this one are its own.
        if case .pipeline = model.content { stages.append(.chain(chain)) } else { stages += chain.stages }
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
