import MartletBytes
import MartletCoreMLFile
import MartletFeatures
import MartletGraph
import MartletImport
import MartletLock
import MartletOps
import MartletTensor

/// The parts of a model that training runs: what comes before the weights that change, as the method `features`, and steps as graphs.
final class TrainingSource: ModelSource {
  /// The method that gives the blobs of a sample, or for nearest neighbours the inputs of the classifier.
  static let features = "features"
  private static let sequences = "features (sequences)"

  let updatable: UpdatableModel
  /// The keys of `ModelOptions.linkedModels` that stand for no linked model.
  let unusedLocations: [String]
  private let model: CoreMLModel
  private let chain: ModelChain
  private let stages: Guarded<[String: CoreMLStages.StageGraph]>
  private let importer: Guarded<TrainingImporter?>
  private let steps = Guarded<[String: (blobs: [SampleBlob], count: Int)]>([:])
  /// The weights and the number of classes of the steps; empty before the first one is imported.
  private let stepParts = Guarded<(weights: [Int], classCount: Int?)>(([], nil))
  let methods: [MethodSignature] = []

  init(_ model: CoreMLModel, _ updatable: UpdatableModel, options: ModelOptions, memory: MemoryBudget) {
    self.model = model
    self.updatable = updatable
    let member = updatable.member.description.defaultFunction
    var whole = model.description.defaultFunction
    whole.outputs = member.inputs
    let made = CoreMLStages(before: updatable, path: model.path, whole, options: options, memory: memory)
    let first = made.first
    unusedLocations = made.unusedLocations
    stages = Guarded(made.graphs)
    switch updatable.trained {
    case .neighbors:
      importer = Guarded(nil)
      chain = ModelChain(first, inputs: whole.inputs, outputs: member.inputs)
    case .network(let network):
      let function = network.network.withZerosForOptional(member)
      importer = Guarded(TrainingImporter(network, function: function, file: model.path, customLayers: options.customLayers?.provider))
      let blobs = network.inputs.map { name in
        FeatureDescription(
          name: name, shortDescription: "",
          type: .multiArray(ArrayFeature(dataType: .float32, shape: [], flexibility: .fixed)), isOptional: false)
      }
      let hasSequences = network.network.arrayMapping == .rank5 && function.inputs.contains { $0.type.isArray }
      let step = GraphStep(
        method: Self.features, sequences: hasSequences ? Self.sequences : nil, inputs: function.inputs, outputs: blobs)
      if updatable.stages.isEmpty { whole = function }
      chain = ModelChain(first + [.graph(step)], inputs: whole.inputs, outputs: blobs)
    }
  }

  /// Registers the graph of a step and returns its name.
  func addStep(_ blobs: [SampleBlob], count: Int) -> String {
    let name = "step \(count) \(blobs.map(\.shape))"
    steps.withLock { $0[name] = (blobs, count) }
    return name
  }

  func removeStep(_ name: String) { steps.withLock { $0[name] = nil } }

  /// The weights in the states of a step, as `NetworkWeights.position`; empty before the first step is imported.
  var weights: [Int] { stepParts.withLock { $0.weights } }
  /// Number of classes of a cross entropy; nil for other losses and before the first step is imported.
  var classCount: Int? { stepParts.withLock { $0.classCount } }

  // MARK: ModelSource

  var defaultMethod: String { Self.features }
  var summary: String { "training of \(model.kind), version \(model.specificationVersion)" }
  var mappedFiles: [MappedFile] { model.mappedFiles }
  func hasMethod(_ name: String) -> Bool { name == Self.features }
  func chain(of method: String) -> ModelChain? { method == Self.features ? chain : nil }
  func release() {}

  /// The name of a graph. A method that is one graph is called by its own name.
  private func graphName(_ name: String) -> String {
    name == Self.features ? chain.onlyGraph?.method ?? name : name
  }

  func hasGraph(_ name: String) -> Bool {
    let name = graphName(name)
    return name == Self.features || name == Self.sequences || stages.withLock { $0[name] != nil } || steps.withLock { $0[name] != nil }
  }

  func graph(of name: String, limits: ResourceLimits) throws -> Graph {
    let name = graphName(name)
    if var graph = try stages.withLock({ try $0[name]?.imported(limits) }) {
      graph.name = name
      return graph
    }
    let step = steps.withLock { $0[name] }
    var graph = try importer.withLock { importer in
      guard let importer else { throw MartletError.invalidInput("the model has no graph \(name)") }
      guard let step else { return try importer.features(name == Self.sequences ? .any : .single, limits: limits) }
      let imported = try importer.step(step.blobs, count: step.count, limits: limits)
      stepParts.withLock { $0 = (imported.weights, imported.classCount) }
      return imported.graph
    }
    graph.name = name
    return graph
  }
}

extension CoreMLStages.StageGraph {
  fileprivate func imported(_ limits: ResourceLimits) throws -> Graph {
    try importer.graph(of: function, limits: limits)
  }
}
