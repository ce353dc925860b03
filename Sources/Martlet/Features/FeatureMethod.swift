package import MartletFeatures
import MartletGraph
import MartletLock
import MartletRuntime
package import MartletTensor

/// A loaded method with features: a graph followed by functions on features. Any number of threads may call it.
///
/// For callers that own the memory of inputs and outputs: a call on such memory neither copies nor allocates.
package final class FeatureMethod: Sendable {
  /// A state of the graph.
  package struct State: Sendable, Equatable {
    package let name: String
    package let type: TensorType
  }

  package let model: Model
  package let name: String
  /// The features of the graph's inputs and outputs, in its order.
  package let inputs: [FeatureDescription]
  package let outputs: [FeatureDescription]
  package let states: [State]
  /// The stages after the graph.
  package let functions: [any FeatureFunction]
  /// Total byte count of a call's outputs, each rounded up to the alignment; nil if the size of an output is not fixed.
  package let outputByteCount: Int?
  /// The types of the graph's inputs.
  let types: [ValueType]
  let method: CompiledMethod

  /// Loads a method.
  /// - Throws: `MartletError`.
  package init(_ model: Model, method name: String) throws {
    try model.load(method: name)
    guard let chain = model.source.chain(of: name), case .graph(let step)? = chain.stages.first else {
      throw MartletError.unsupported("\(model.name): the method \(name) does not begin with a graph")
    }
    functions = try chain.stages.dropFirst().map { stage in
      guard case .function(let function) = stage else {
        throw MartletError.unsupported("\(model.name): the method \(name) has more than one graph")
      }
      return function
    }
    self.model = model
    self.name = name
    inputs = step.inputs
    outputs = step.outputs
    method = try model.compiled(step.method)
    let graph = method.graph
    states = graph.states.map { State(name: $0.name, type: $0.type) }
    types = graph.inputs.map { graph[$0].type }
    outputByteCount = graph.outputs.reduce(0) { sum, output in
      guard let sum else { return nil }
      guard case .tensor(let signature) = graph[output].type else { return sum }
      guard let shape = signature.fixedShape, let byteCount = HostTensor.byteCount(dtype: signature.dtype, shape: shape) else { return nil }
      let (total, overflow) = sum.addingReportingOverflow(TensorStorage.alignedByteCount(byteCount))
      return overflow ? nil : total
    }
  }

  /// The only tensor type that the graph accepts at a position; nil if it accepts several types or no tensor.
  package func fixedType(ofInput position: Int) -> TensorType? {
    guard case .tensor(let signature) = types[position], let shape = signature.fixedShape else { return nil }
    return TensorType(signature.dtype, shape)
  }

  /// Memory for the states, with their initial values.
  package func makeStates() throws -> [TensorStorage] { try method.makeStates() }

  /// Number of cached plans: one for each combination of input shapes so far.
  package var planCount: Int { method.planCount }

  /// Maximum number of threads of a call.
  package var threads: Int { method.threads }

  /// Calls `body` in parallel for each of `count` parts of independent calls. Passes the index of the part and of the thread.
  package func concurrently(_ count: Int, _ body: (_ part: Int, _ thread: Int) -> Void) { method.concurrently(count, body) }

  // MARK: Calls

  /// Makes a call without inputs. One thread at a time may use it, and it keeps its memory for later runs.
  package func makeCall() -> FeatureCall { FeatureCall(method.takeCall()) }

  /// Runs the graph with the call's inputs.
  ///
  /// - Parameter output: returns the memory for output tensor `position`, at least `type.byteCount` bytes.
  package func run(
    _ call: FeatureCall, cancellation: CallCancellation? = nil,
    output: (_ position: Int, _ type: TensorType) throws -> UnsafeMutableRawPointer
  ) throws {
    try unsafe method.run(call.call, cancellation: cancellation?.cancellation, output: output)
  }

  /// The feature value of a result that is not an array. Functions after the graph may still change it.
  /// - Parameter memory: the memory of a result that is a tensor.
  package func value(of result: FeatureResult, in memory: TensorStorage?, at position: Int) throws -> ModelValue {
    switch result {
    case .value(let value): return value
    case .tensor(let type):
      guard let memory else { throw MartletError.executionFailed("the output \(outputs[position].name) is missing") }
      let storage = unsafe TensorStorage(reading: memory.pointer, byteCount: type.byteCount, of: memory)
      return try outputs[position].value(of: .tensor(Tensor(HostTensor(dtype: type.dtype, shape: type.shape, storage: storage))))
    }
  }

  // MARK: Uniform calls

  /// The common part of calls with tensors of these types; nil if the calls differ in more than addresses or have results other than
  /// tensors.
  package func uniformCalls(for inputs: [TensorType]) throws -> UniformFeatureCalls? {
    try method.uniformCalls(for: inputs).map { UniformFeatureCalls(calls: $0) }
  }

  /// Runs calls in order, in the memory of `call`.
  ///
  /// - Parameters:
  ///   - addresses: `addressCount` for each call.
  ///   - finished: incremented after each call. If a call throws, this is its index.
  package func run(
    _ calls: UniformFeatureCalls, on call: FeatureCall, addresses: UnsafeBufferPointer<UInt>, finished: inout Int
  ) throws {
    try unsafe method.run(calls.calls, on: call.call, addresses: addresses, finished: &finished)
  }
}

/// A call of a method with features: its inputs and its results.
package final class FeatureCall {
  let call: MethodCall

  init(_ call: MethodCall) { self.call = call }

  package func append(_ input: BoundInput) { call.arguments.append(input.argument) }

  /// Memory of the graph's states, in graph order. No other call may use it at the same time.
  package func use(_ states: [TensorStorage]) { call.states = states }

  /// True if the call runs in parallel with others and must use its own thread only.
  package var usesOneThread: Bool {
    get { call.usesOneThread }
    set { call.usesOneThread = newValue }
  }

  /// Removes inputs and results.
  package func reset() { call.reset() }

  package var resultCount: Int { call.results.count }

  package func result(_ position: Int) -> FeatureResult {
    switch call.results[position] {
    case .tensor(let type): .tensor(type)
    case .scalar(.int(let number)): .value(.int(Int(number)))
    case .scalar(.double(let number)): .value(.double(number))
    case .scalar(.bool(let truth)): .value(.bool(truth))
    case .string(let text): .value(.string(text))
    case .none: .value(.none)
    }
  }
}

/// The result of a graph for an output.
package enum FeatureResult: Sendable {
  /// A tensor in the memory that the caller provided.
  case tensor(TensorType)
  case value(ModelValue)
}

/// The common part of calls that differ only in addresses.
package struct UniformFeatureCalls: Sendable {
  let calls: UniformCalls
  package var outputs: [TensorType] { calls.outputs }
  /// Number of addresses of a call: inputs, then outputs.
  package var addressCount: Int { calls.addressCount }
}

/// Lets another thread stop a call between two kernels.
package final class CallCancellation: Sendable {
  let cancellation = Cancellation()
  package init() {}
  package var isCancelled: Bool { cancellation.isCancelled }
  package func cancel() { cancellation.cancel() }
}
