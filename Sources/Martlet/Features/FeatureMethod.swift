package import MartletFeatures
import MartletGraph
import MartletLock
import MartletRuntime
package import MartletTensor

/// A loaded method with features. Any number of threads may call it.
///
/// A method that is one graph, followed by functions that name classes, has invocations for callers that own the memory of inputs and
/// outputs: an invocation on such memory neither copies nor allocates. Other methods run on feature values, with `run`.
package final class FeatureMethod: Sendable {
  /// A state of the graph.
  package struct State: Sendable, Equatable {
    package let name: String
    package let type: TensorType
  }

  package let model: Model
  package let name: String
  /// The features of the method's inputs and outputs, in its order.
  package let inputs: [FeatureDescription]
  package let outputs: [FeatureDescription]
  package let states: [State]
  /// The stages after the graph.
  package let functions: [any FeatureFunction]
  /// Total byte count of a call's outputs, each rounded up to the alignment; nil if the size of an output is not fixed.
  package let outputByteCount: Int?
  /// The types of the graph's inputs.
  let types: [ValueType]
  /// Nil for a method of several stages.
  private let graph: CompiledMethod?

  /// Loads a method.
  /// - Throws: `MartletError`.
  package init(_ model: Model, method name: String) throws {
    try model.load(method: name)
    guard let chain = model.source.chain(of: name) else {
      throw MartletError.unsupported("\(model.name): the method \(name) has no features")
    }
    self.model = model
    self.name = name
    guard let step = chain.onlyGraph else {
      (inputs, outputs, states, functions, types) = (chain.inputs, chain.outputs, [], [], [])
      takesSequences = false
      (outputByteCount, graph) = (nil, nil)
      return
    }
    functions = chain.functions
    takesSequences = step.sequences != nil
    inputs = step.inputs
    outputs = step.outputs
    let method = try model.compiled(step.method)
    self.graph = method
    let graph = method.graph
    states = graph.states.map { State(name: $0.name, type: $0.type) }
    types = graph.inputs.map { graph[$0].type }
    outputByteCount = graph.outputs.reduce(0) { sum, output in
      guard let sum else { return nil }
      guard case .tensor(let signature) = graph[output].type else { return sum }
      guard let shape = signature.fixedShape, let byteCount = HostTensor.byteCount(dtype: signature.dtype, shape: shape) else { return nil }
      return (Extent(sum) + TensorStorage.alignedByteCount(byteCount)).value
    }
  }

  /// True for a method that is one graph, followed by functions that name classes.
  package var isGraph: Bool { graph != nil }

  /// True if arrays may have Seq and Batch; see `GraphStep.sequences`. A call with such arrays is made with `run`.
  package let takesSequences: Bool

  /// The graph of a method that is one.
  var method: CompiledMethod {
    guard let graph else { preconditionFailure("\(name) is not a graph") }
    return graph
  }

  /// The only tensor type that the graph accepts at a position; nil if it accepts several types or no tensor.
  package func fixedType(ofInput position: Int) -> TensorType? {
    guard case .tensor(let signature) = types[position], let shape = signature.fixedShape else { return nil }
    return TensorType(signature.dtype, shape)
  }

  /// Memory for the states, with their initial values.
  package func makeStates() throws -> [TensorStorage] { try graph?.makeStates() ?? [] }

  /// Number of cached plans: one for each combination of input shapes so far.
  package var planCount: Int { graph?.planCount ?? 0 }

  /// Maximum number of threads of a call.
  package var threads: Int { method.threads }

  /// Calls `body` in parallel for each of `count` parts of independent calls. Passes the index of the part and of the thread.
  package func concurrently(_ count: Int, _ body: (_ part: Int, _ thread: Int) -> Void) { method.concurrently(count, body) }

  // MARK: Tables

  /// Memory for the inputs of `count` calls that are computed as one; nil for a method that cannot do that.
  /// - Throws: `MartletError`.
  package func makeTable(count: Int) throws -> FeatureTable? {
    try model.tableMethod(name).map { try FeatureTable($0, count: count) }
  }

  /// Computes all calls of a table that `makeTable` made.
  /// - Throws: as `Model.run`.
  package func run(_ table: FeatureTable) throws -> FeatureTable.Results {
    guard let method = try model.tableMethod(name) else { throw MartletError.unsupported("\(name) has no rows") }
    return try model.run(table, of: method, cancellation: nil)
  }

  // MARK: Calls

  /// Runs the method, whatever its stages.
  /// - Parameter values: one for each input, in order.
  /// - Throws: as `Model.run`.
  package func run(_ values: [ModelValue], cancellation: CallCancellation?) throws -> [ModelValue] {
    var outputs: [ModelValue] = []
    try model.run(values, into: &outputs, method: name, profile: nil, cancellation: cancellation)
    return outputs
  }

  /// True if a batch is run stage by stage; see `run(batch:)`.
  package var takesBatches: Bool { model.source.chain(of: name)?.takesBatches ?? false }

  /// Runs the method for each element of a batch.
  /// - Throws: as `Model.run(batch:method:)`.
  package func run(batch: [[ModelValue]]) throws -> [[ModelValue]] { try model.run(batch: batch, method: name) }

  /// Makes an invocation without inputs. `bind` converts features to its inputs.
  package func makeInvocation() -> Invocation { Invocation(method, files: model.source.mappedFiles) }

  /// The feature value of a result that is not an array. Functions after the graph may still change it.
  /// - Parameter memory: the memory of a result that is a tensor.
  package func value(of result: Invocation.Result, in memory: TensorStorage?, at position: Int) throws -> ModelValue {
    guard case .tensor(let type) = result else { return ModelValue(result) ?? .none }
    guard let memory else { throw MartletError.executionFailed("the output \(outputs[position].name) is missing") }
    let storage = unsafe TensorStorage(reading: memory.pointer, byteCount: type.byteCount, of: memory)
    return try outputs[position].value(of: .tensor(Tensor(HostTensor(dtype: type.dtype, shape: type.shape, storage: storage))))
  }

  /// The common part of runs with tensors of these types; nil if the runs differ in more than addresses or have results other than
  /// tensors.
  package func uniformRuns(for inputs: [TensorType]) throws -> UniformRuns? { try UniformRuns(method, inputs: inputs) }
}
