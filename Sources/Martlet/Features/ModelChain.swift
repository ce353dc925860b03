package import MartletFeatures
import MartletGraph
import MartletRuntime
import MartletTensor

/// The steps of a method in execution order. Each step has features by name as inputs and outputs.
package struct ModelChain: Sendable {
  package indirect enum Stage: Sendable {
    case graph(GraphStep)
    case function(any FeatureFunction)
    /// A chain whose other features than its inputs and outputs are its own.
    case chain(ModelChain)
  }

  package let stages: [Stage]
  /// The features of the method, in the order of its signature.
  package let inputs: [FeatureDescription]
  package let outputs: [FeatureDescription]

  /// True for a single graph whose inputs and outputs are those of the method, so that it can be called directly.
  package let isDirect: Bool
  /// The graph of a chain that only names classes after it, with the inputs and outputs of the method; nil for other chains.
  package let onlyGraph: GraphStep?

  package init(_ stages: [Stage], inputs: [FeatureDescription], outputs: [FeatureDescription]) {
    self.stages = stages
    self.inputs = inputs
    self.outputs = outputs
    onlyGraph =
      if case .graph(let step)? = stages.first, stages.dropFirst().allSatisfy(\.isLabelling),
        step.inputs.map(\.name) == inputs.map(\.name), step.outputs.map(\.name) == outputs.map(\.name)
      { step } else { nil }
    isDirect = if stages.count == 1, let onlyGraph { onlyGraph.isPlain } else { false }
  }

  /// True if the graph can be called directly with these values.
  func isDirect(for values: [ModelValue]) -> Bool {
    guard isDirect, let onlyGraph else { return false }
    return onlyGraph.sequences == nil || onlyGraph.graph(for: values) == onlyGraph.method
  }

  /// The graphs of all stages.
  package var graphs: [GraphStep] {
    stages.flatMap { stage in
      switch stage {
      case .graph(let step): [step]
      case .function: [GraphStep]()
      case .chain(let chain): chain.graphs
      }
    }
  }

  /// True if a batch is run stage by stage, because a function takes the features of all its calls at once.
  package var takesBatches: Bool { functions.contains { $0.takesBatches } }

  /// The functions of all stages.
  package var functions: [any FeatureFunction] {
    stages.flatMap { stage in
      switch stage {
      case .graph: [any FeatureFunction]()
      case .function(let function): [function]
      case .chain(let chain): chain.functions
      }
    }
  }
}

extension ModelChain.Stage {
  fileprivate var isLabelling: Bool {
    if case .function(let function) = self { function is ClassLabelling } else { false }
  }
}

/// A step on features that is not a graph. Unlike a graph, it supports strings, dictionaries and sequences.
package protocol FeatureFunction: Sendable {
  /// Applies the step: replaces features and adds new ones.
  func apply(to features: inout [String: ModelValue]) throws

  /// Applies the step to the features of several calls.
  func apply(toAll features: inout [[String: ModelValue]]) throws

  /// True for a step that gains from the features of a whole batch.
  var takesBatches: Bool { get }

  /// Called before the first call of `apply`, when the method is loaded. May be called again.
  /// - Throws: the reason why the step cannot run.
  func prepare() throws
}

extension FeatureFunction {
  package func prepare() throws {}

  package func apply(toAll features: inout [[String: ModelValue]]) throws {
    for index in features.indices { try apply(to: &features[index]) }
  }

  package var takesBatches: Bool { false }
}

extension Model {
  /// The features of a call between two stages.
  private struct ChainCall {
    var features: [String: ModelValue]
    /// The features that no stage has given yet.
    var callers: Set<String>
  }

  /// Runs the stages of a method.
  /// - Parameter runGraph: runs a graph among the stages with a value for each of its inputs.
  /// - Returns: the method's outputs, in order.
  func run(
    _ chain: ModelChain, _ inputs: [ModelValue], runGraph: (_ method: String, _ inputs: [ModelValue]) throws -> [ModelValue]
  ) throws -> [ModelValue] {
    try run(chain, batch: [inputs], runGraph: runGraph)[0]
  }

  /// Runs the stages of a method, each one for all calls of a batch before the next one.
  func run(
    _ chain: ModelChain, batch: [[ModelValue]], runGraph: (_ method: String, _ inputs: [ModelValue]) throws -> [ModelValue]
  ) throws -> [[ModelValue]] {
    let names = chain.inputs.map(\.name)
    var calls = try batch.map { inputs in
      guard inputs.count == names.count else {
        throw MartletError.invalidInput("\(name) takes \(names.count) inputs, not \(inputs.count)")
      }
      return ChainCall(
        features: Dictionary(zip(names, inputs), uniquingKeysWith: { first, _ in first }), callers: Set(names))
    }
    for stage in chain.stages {
      switch stage {
      case .function(let function): try apply(function, to: &calls)
      case .chain(let inner):
        let inputs = calls.map { call in inner.inputs.map { call.features[$0.name] ?? .none } }
        for (index, results) in try run(inner, batch: inputs, runGraph: runGraph).enumerated() {
          for (feature, result) in zip(inner.outputs, results) { calls[index].features[feature.name] = result }
        }
      case .graph(let step): for index in calls.indices { try run(step, &calls[index], runGraph) }
      }
    }
    return calls.map { call in chain.outputs.map { call.features[$0.name] ?? .none } }
  }

  private func apply(_ function: any FeatureFunction, to calls: inout [ChainCall]) throws {
    do {
      if calls.count > 1, function.takesBatches {
        var all = calls.map(\.features)
        try function.apply(toAll: &all)
        for (index, features) in all.enumerated() { calls[index].features = features }
      } else {
        for index in calls.indices { try function.apply(to: &calls[index].features) }
      }
    } catch let error as AllocationError {
      throw MartletError(error, file: name)
    }
  }

  private func run(
    _ step: GraphStep, _ call: inout ChainCall, _ runGraph: (_ method: String, _ inputs: [ModelValue]) throws -> [ModelValue]
  ) throws {
    let given = step.inputs.map { call.features[$0.name] ?? .none }
    let name = step.graph(for: given)
    guard name == step.method else {
      let results = try step.results(ofSequences: name, given, run: runGraph)
      for (feature, result) in zip(step.outputs, results) { call.features[feature.name] = try feature.value(of: result) }
      return
    }
    let graph = try compiled(step.method).graph
    let values = try step.inputs.enumerated().map { position, feature in
      let type = graph[graph.inputs[position]].type
      // What another stage gave may have another element type.
      return try feature.graphValue(
        call.callers.contains(feature.name) ? given[position] : given[position].converted(to: type), as: type)
    }
    for (feature, result) in zip(step.outputs, try runGraph(step.method, values)) {
      call.features[feature.name] = try feature.value(of: result)
      call.callers.remove(feature.name)
    }
  }
}

extension ModelValue {
  /// A tensor with the element type and, if that has as many elements, the shape that a graph declares; other values as they are.
  fileprivate func converted(to type: ValueType) throws -> ModelValue {
    guard case .tensor(let tensor) = self, case .tensor(let signature) = type else { return self }
    let host = tensor.host
    var shape = host.shape
    if let fixed = signature.fixedShape, Shape.haveEqualCounts(fixed, shape) { shape = fixed }
    guard host.dtype != signature.dtype || host.shape != shape else { return self }
    guard host.dtype != signature.dtype else {
      return .tensor(Tensor(HostTensor(dtype: host.dtype, shape: shape, storage: host.sharedStorage)))
    }
    let storage = try TensorStorage(for: signature.dtype, shape: shape)
    unsafe copyElements(
      shape: shape, from: host.sharedStorage.pointer, ElementPlacement(host.dtype, strides: Shape.contiguousStrides(shape)),
      to: storage.pointer, ElementPlacement(signature.dtype, strides: Shape.contiguousStrides(shape)))
    return .tensor(Tensor(HostTensor(dtype: signature.dtype, shape: shape, storage: storage)))
  }
}
