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

  /// Called before the first call of `apply`, when the method is loaded. May be called again.
  /// - Throws: the reason why the step cannot run.
  func prepare() throws
}

extension FeatureFunction {
  package func prepare() throws {}
}

extension Model {
  /// Runs the stages of a method.
  /// - Parameter runGraph: runs a graph among the stages with a value for each of its inputs.
  /// - Returns: the method's outputs, in order.
  func run(
    _ chain: ModelChain, _ inputs: [ModelValue], runGraph: (_ method: String, _ inputs: [ModelValue]) throws -> [ModelValue]
  ) throws -> [ModelValue] {
    guard inputs.count == chain.inputs.count else {
      throw MartletError.invalidInput("\(name) takes \(chain.inputs.count) inputs, not \(inputs.count)")
    }
    var features = Dictionary(zip(chain.inputs.map(\.name), inputs), uniquingKeysWith: { first, _ in first })
    // The features that no stage has given yet.
    var callers = Set(chain.inputs.map(\.name))
    for stage in chain.stages {
      switch stage {
      case .function(let function):
        do {
          try function.apply(to: &features)
        } catch let error as AllocationError {
          throw MartletError(error, file: name)
        }
      case .chain(let inner):
        let results = try run(inner, inner.inputs.map { features[$0.name] ?? .none }, runGraph: runGraph)
        for (feature, result) in zip(inner.outputs, results) { features[feature.name] = result }
      case .graph(let stage):
        let given = stage.inputs.map { features[$0.name] ?? .none }
        let name = stage.graph(for: given)
        guard name == stage.method else {
          let results = try stage.results(ofSequences: name, given, run: runGraph)
          for (feature, result) in zip(stage.outputs, results) { features[feature.name] = try feature.value(of: result) }
          continue
        }
        let graph = try compiled(stage.method).graph
        let values = try stage.inputs.enumerated().map { position, feature in
          let type = graph[graph.inputs[position]].type
          let value = features[feature.name] ?? .none
          // What another stage gave may have another element type.
          return try feature.graphValue(callers.contains(feature.name) ? value : value.converted(to: type), as: type)
        }
        let results = try runGraph(stage.method, values)
        for (feature, result) in zip(stage.outputs, results) {
          features[feature.name] = try feature.value(of: result)
          callers.remove(feature.name)
        }
      }
    }
    return chain.outputs.map { features[$0.name] ?? .none }
  }
}

extension ModelValue {
  /// A tensor with the element type and, if that has as many elements, the shape that a graph declares; other values as they are.
  fileprivate func converted(to type: ValueType) throws -> ModelValue {
    guard case .tensor(let tensor) = self, case .tensor(let signature) = type else { return self }
    let host = tensor.host
    var shape = host.shape
    if let fixed = signature.fixedShape, Shape.elementCount(fixed) == host.elementCount { shape = fixed }
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
