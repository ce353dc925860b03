package import MartletBytes
package import MartletGraph
package import MartletRuntime
import MartletTensor

/// Calls of a method from one thread at a time: its inputs, which stay set from run to run, and the working memory of runs.
///
/// This is the only way to call a method: `Model.run`, `FeatureMethod` and the faces set inputs, run, and read results here. An
/// invocation keeps the memory of the inputs that are set and of the outputs of its last run. A warm run allocates nothing itself.
@safe
package final class Invocation {
  private struct Input {
    /// Nil until the input is set.
    var argument: Argument?
    /// The memory of a tensor that is read in place.
    var storage: TensorStorage?
    /// The invocation's own memory for copied elements; kept for the next value.
    var copy: TensorStorage?
    /// True if kernels cannot read the elements in place, so that each run copies them.
    var isMisaligned = false

    // One access to the array of inputs is cheaper than one for each property.
    mutating func set(_ argument: Argument?, _ storage: TensorStorage?, isMisaligned: Bool = false) {
      self.argument = argument
      self.storage = storage
      self.isMisaligned = isMisaligned
    }
  }

  package let method: CompiledMethod
  private let call: MethodCall
  private let declarations: [ValueType]
  private var inputs: [Input]
  private var outputs: [TensorStorage?]
  /// The mapped files whose bytes the method reads.
  private let files: [MappedFile]

  /// - Parameter files: the mapped files whose bytes the method reads. A run fails if one has changed.
  package init(_ method: CompiledMethod, files: [MappedFile] = []) {
    self.method = method
    self.files = files
    call = method.takeCall()
    let graph = method.graph
    declarations = graph.inputs.map { graph[$0].type }
    inputs = declarations.map { _ in Input() }
    outputs = graph.outputs.map { _ in nil }
  }

  package var inputCount: Int { inputs.count }

  /// Number of plans that the method has made so far.
  package var plansMade: Int { method.plansMade }

  /// Size of the temporary memory that the next run reuses, in bytes.
  var arenaByteCount: Int { call.arenaByteCount }

  /// Removes the inputs, the last run's outputs and the states. Keeps the working memory.
  package func reset() {
    for position in inputs.indices { inputs[position].set(nil, nil) }
    for position in outputs.indices { outputs[position] = nil }
    call.reset()
  }

  /// Memory for the method's states, in graph order, that runs use instead of the method's own; empty for the method's own. No other
  /// invocation may use it at the same time.
  package var states: [TensorStorage] {
    get { call.states }
    set { call.states = newValue }
  }

  /// True if runs use the caller's thread only: for one of several invocations that run in parallel.
  package var usesOneThread: Bool {
    get { call.usesOneThread }
    set { call.usesOneThread = newValue }
  }

  // MARK: Inputs

  /// Sets an input to a tensor that is read in place when the method runs, without gaps and with its axes in `order` from the outermost
  /// to the innermost; row-major if nil. Elements that do not start at a multiple of their size are copied for each run.
  /// - Throws: `MartletError.invalidInput` with the declared and the given type; the input is not changed. The other functions that set
  ///   inputs throw the same.
  package func setInput(_ position: Int, to type: TensorType, in storage: TensorStorage, order: [Int]? = nil) throws(MartletError) {
    precondition(storage.byteCount >= type.byteCount)
    let argument = try unsafe accept(.tensor(type, UnsafeRawPointer(storage.pointer), order: order), at: position)
    let isMisaligned = unsafe UInt(bitPattern: storage.pointer) % UInt(clamping: type.dtype.byteCount) != 0
    inputs[position].set(argument, storage, isMisaligned: isMisaligned)
  }

  /// Sets an input that was bound to this position of the method. It is not checked again.
  package func setInput(_ position: Int, to input: BoundInput) {
    inputs[position].set(input.argument, input.storage)
  }

  /// Sets an input to a copy of a tensor without gaps, made now.
  package func setInput(_ position: Int, toCopyOf type: TensorType, in storage: TensorStorage, order: [Int]? = nil) throws(MartletError) {
    precondition(storage.byteCount >= type.byteCount)
    _ = try unsafe accept(.tensor(type, UnsafeRawPointer(storage.pointer), order: order), at: position)
    let copy = try copyMemory(position, byteCount: type.byteCount)
    unsafe copy.pointer.copyMemory(from: storage.pointer, byteCount: type.byteCount)
    setInput(position, unsafe .tensor(type, UnsafeRawPointer(copy.pointer), order: order))
  }

  /// Sets an input to a row-major copy, made now, of elements that lie at `source` a stride apart, converted to the type `dtype`.
  /// - Precondition: as `copyElements`.
  package func setInput(
    _ position: Int, toConverted source: UnsafeRawPointer, _ placement: ElementPlacement, shape: [Int], as dtype: DType
  ) throws(MartletError) {
    let type = TensorType(dtype, shape)
    _ = try unsafe accept(.tensor(type, source), at: position)
    let copy = try copyMemory(position, byteCount: type.byteCount)
    unsafe copyElements(
      shape: shape, from: source, placement, to: copy.pointer, ElementPlacement(dtype, strides: Shape.contiguousStrides(shape)))
    setInput(position, unsafe .tensor(type, UnsafeRawPointer(copy.pointer)))
  }

  package func setInput(_ position: Int, to scalar: Scalar) throws(MartletError) {
    setInput(position, try accept(.scalar(scalar), at: position))
  }

  /// Sets an input that has no value: an optional one that is omitted, or a string, which is part of the program.
  package func setInputToNone(_ position: Int) throws(MartletError) {
    setInput(position, try accept(.none, at: position))
  }

  /// Returns true if an input has been set.
  package func isSet(_ position: Int) -> Bool { inputs[position].argument != nil }

  /// Returns true if an input that is set is read in place from this memory.
  package func reads(_ storage: TensorStorage) -> Bool { inputs.contains { $0.storage === storage } }

  private func setInput(_ position: Int, _ argument: Argument) {
    inputs[position].set(argument, nil)
  }

  private func accept(_ argument: Argument, at position: Int) throws(MartletError) -> Argument {
    try declarations[position].accept(argument, at: position) { method.graph.name }
  }

  /// Memory of the invocation's own for an input.
  private func copyMemory(_ position: Int, byteCount: Int) throws(MartletError) -> TensorStorage {
    if let copy = inputs[position].copy, copy.byteCount >= byteCount { return copy }
    do {
      let copy = try TensorStorage(allocating: byteCount)
      inputs[position].copy = copy
      return copy
    } catch {
      throw MartletError.logged(.executionFailed("input \(position) of \(method.graph.name): \(error)"))
    }
  }

  // MARK: Running

  /// Runs the method on the inputs that are set.
  ///
  /// - Parameter output: returns the memory for output tensor `position`: at least `type.byteCount` bytes, aligned for its elements.
  /// - Throws: `MartletError.invalidInput` for an input that has not been set, the errors of `output`, `CancellationError`, and the
  ///   errors of lower layers, which `MartletError.init(_:file:)` converts.
  package func run(
    cancellation: CallCancellation? = nil, output: (_ position: Int, _ type: TensorType) throws -> TensorStorage
  ) throws {
    try bindInputs()
    for position in outputs.indices { outputs[position] = nil }
    try unsafe method.run(call, cancellation: cancellation?.cancellation) { position, type in
      let storage = try output(position, type)
      precondition(storage.byteCount >= type.byteCount)
      outputs[position] = storage
      return unsafe storage.pointer
    }
    try files.checkUnchanged()
  }

  /// Runs the method on the inputs that are set and replaces `values` by its results. Tensors in `values` with the right type and shape
  /// and without other references are overwritten in place.
  func run(profile: Profile?, cancellation: CallCancellation?, into values: inout [ModelValue]) throws {
    try bindInputs()
    for value in values { call.tensors.append(value.tensor?.host) }
    values.removeAll(keepingCapacity: true)
    values.reserveCapacity(outputs.count)
    try method.run(call, profile: profile, cancellation: cancellation?.cancellation, into: &values) { ModelValue($0) }
    try files.checkUnchanged()
  }

  /// Makes several runs in order that differ only in addresses. Ignores the inputs that are set.
  ///
  /// - Parameters:
  ///   - addresses: `addressCount` for each run.
  ///   - finished: incremented after each run. If a run throws, this is its index.
  package func run(_ runs: UniformRuns, addresses: UnsafeBufferPointer<UInt>, finished: inout Int) throws {
    try unsafe method.run(runs.calls, on: call, addresses: addresses, finished: &finished)
    try files.checkUnchanged()
  }

  private func bindInputs() throws(MartletError) {
    call.arguments.removeAll(keepingCapacity: true)
    for position in inputs.indices {
      guard let argument = inputs[position].argument else {
        throw MartletError.logged(.invalidInput("input \(position) of \(method.graph.name) has not been set"))
      }
      call.arguments.append(inputs[position].isMisaligned ? try aligned(argument, at: position) : argument)
    }
  }

  /// A copy of a tensor that kernels cannot read in place.
  private func aligned(_ argument: Argument, at position: Int) throws(MartletError) -> Argument {
    guard case .tensor(let type, let source, let order) = argument else { return argument }
    let copy = try copyMemory(position, byteCount: type.byteCount)
    unsafe copy.pointer.copyMemory(from: source, byteCount: type.byteCount)
    return unsafe .tensor(type, UnsafeRawPointer(copy.pointer), order: order)
  }

  // MARK: Results

  /// A result of a run.
  package enum Result {
    /// A tensor, in the memory that the caller gave for it.
    case tensor(TensorType)
    case scalar(Scalar)
    case string(String)
    case none
  }

  package var resultCount: Int { call.results.count }

  /// Result `position` of the last run.
  package func result(_ position: Int) -> Result {
    switch call.results[position] {
    case .tensor(let type): .tensor(type)
    case .scalar(let scalar): .scalar(scalar)
    case .string(let string): .string(string)
    case .none: .none
    }
  }

  /// The memory of an output tensor of the last run.
  package func storage(ofOutput position: Int) -> TensorStorage? { outputs[position] }
}

/// The common part of runs of a method that differ only in addresses.
package struct UniformRuns: Sendable {
  fileprivate let calls: UniformCalls
  /// The types of a run's outputs, all of which are tensors.
  package var outputs: [TensorType] { calls.outputs }
  /// Number of addresses of a run: inputs, then outputs.
  package var addressCount: Int { calls.addressCount }

  /// Returns nil if runs with inputs of these types differ in more than addresses, or have results other than tensors.
  init?(_ method: CompiledMethod, inputs: [TensorType]) throws {
    guard let calls = try method.uniformCalls(for: inputs) else { return nil }
    self.calls = calls
  }
}

/// Lets another thread stop a run, or the loading of a method, within milliseconds.
package struct CallCancellation: Sendable {
  let cancellation: Cancellation
  package init() { cancellation = Cancellation() }

  private init(_ cancellation: Cancellation) { self.cancellation = cancellation }

  /// That of the task or command that is running.
  static var current: CallCancellation? { Cancellation.current.map { CallCancellation($0) } }

  package var isCancelled: Bool { cancellation.isCancelled }
  package func cancel() { cancellation.cancel() }
}

extension ValueType {
  /// Converts an argument to an input of this declared type.
  /// - Parameters:
  ///   - position: position among the method's inputs, for the error.
  ///   - method: name of the method, for the error.
  /// - Throws: `MartletError` of the kind `invalidInput` with the declared and the given type.
  fileprivate func accept(_ argument: Argument, at position: Int, of method: () -> String) throws(MartletError) -> Argument {
    func mismatch(_ found: String) -> MartletError {
      var error = MartletError.invalidInput("input \(position)", expected: "\(self)", found: found)
      error.method = method()
      return MartletError.logged(error)
    }
    switch (self, argument) {
    case (.tensor(let signature), .tensor(let type, _, _)):
      guard signature.dtype == type.dtype, signature.allows(type.shape) else { throw mismatch("\(type)") }
      return argument
    case (.scalar(.double), .scalar(.int(let value))): return .scalar(.double(Double(value)))
    case (.scalar(let kind), .scalar(let scalar)) where scalar.kind == kind: return argument
    case (.none, .none), (.string, .none): return .none
    case (_, .tensor(let type, _, _)): throw mismatch("\(type)")
    case (_, .scalar(let scalar)): throw mismatch("\(scalar)")
    case (_, .none): throw mismatch("nothing")
    }
  }
}

extension Graph {
  /// Converts an argument to the type of the input `position`.
  /// - Throws: `MartletError.invalidInput` with the declared and the given type.
  package func accept(_ argument: Argument, at position: Int) throws -> Argument {
    try self[inputs[position]].type.accept(argument, at: position) { name }
  }
}
