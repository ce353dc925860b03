package import MartletGraph
package import MartletRuntime

/// Calls of a method from one thread at a time: its inputs, which stay set from run to run, and the memory that runs work in.
///
/// The one way to call a method: `Model.run` and the faces set inputs, run, and read results here. An invocation keeps the memory of
/// the inputs that are set and of the outputs of its last run. A warm run allocates nothing but what the caller's closure does.
@safe
package final class Invocation {
  private struct Input {
    /// Nil until the input is set.
    var argument: Argument?
    /// What the memory of a tensor that is read in place belongs to.
    var storage: TensorStorage?
    /// Memory of the invocation's own, for elements that are copied; kept for the next value.
    var copy: TensorStorage?
    /// Whether the elements are to be copied when the method runs: kernels cannot read them where they lie.
    var isMisaligned = false
  }

  package let method: CompiledMethod
  private let call: MethodCall
  private let declarations: [ValueType]
  private var inputs: [Input]
  private var outputs: [TensorStorage?]

  package init(_ method: CompiledMethod) {
    self.method = method
    call = method.takeCall()
    let graph = method.graph
    declarations = graph.inputs.map { graph[$0].type }
    inputs = declarations.map { _ in Input() }
    outputs = graph.outputs.map { _ in nil }
  }

  deinit { method.release(call) }

  package var inputCount: Int { inputs.count }

  /// Forgets the inputs, the last run's outputs and the states, and keeps the memory that runs work in.
  package func reset() {
    for position in inputs.indices {
      inputs[position].argument = nil
      inputs[position].storage = nil
      inputs[position].isMisaligned = false
    }
    for position in outputs.indices { outputs[position] = nil }
    call.reset()
  }

  /// Memory of the method's states, in the graph's order, that runs use in place of the method's own. Empty for its own.
  package var states: [TensorStorage] {
    get { call.states }
    set { call.states = newValue }
  }

  /// Whether runs stay on the caller's thread: true for one of several invocations that run at the same time.
  package var usesOneThread: Bool {
    get { call.usesOneThread }
    set { call.usesOneThread = newValue }
  }

  // MARK: Inputs

  /// Sets an input to a tensor that is read in place when the method runs, without gaps and with its axes in `order` from the outermost
  /// to the innermost; row-major if nil. Elements that do not start at a multiple of their size are copied for each run.
  /// - Throws: `MartletError.invalidInput` naming what is declared and what was found, and the input stays what it was; so do all of these.
  package func setInput(_ position: Int, to type: TensorType, in storage: TensorStorage, order: [Int]? = nil) throws(MartletError) {
    precondition(storage.byteCount >= type.byteCount)
    inputs[position].argument = try unsafe accept(.tensor(type, UnsafeRawPointer(storage.pointer), order: order), at: position)
    inputs[position].storage = storage
    inputs[position].isMisaligned = unsafe UInt(bitPattern: storage.pointer) % UInt(type.dtype.byteCount) != 0
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

  /// Sets an input to nothing: an optional one that is absent, or a text, which is part of the program.
  package func setInputToNone(_ position: Int) throws(MartletError) {
    setInput(position, try accept(.none, at: position))
  }

  /// Whether an input has been set.
  package func isSet(_ position: Int) -> Bool { inputs[position].argument != nil }

  private func setInput(_ position: Int, _ argument: Argument) {
    inputs[position].argument = argument
    inputs[position].storage = nil
    inputs[position].isMisaligned = false
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
  /// - Parameter output: gives the memory of output tensor `position`, at least `type.byteCount` bytes, aligned for its elements.
  /// - Throws: `MartletError.invalidInput` for an input that has not been set, what `output` throws, `CancellationError`, and the
  ///   engine's own errors, which `MartletError.init(_:file:)` takes.
  package func run(
    profile: Profile? = nil, cancellation: Cancellation? = nil, output: (_ position: Int, _ type: TensorType) throws -> TensorStorage
  ) throws {
    try bindInputs()
    for position in outputs.indices { outputs[position] = nil }
    try unsafe method.run(call, profile: profile, cancellation: cancellation) { position, type in
      let storage = try output(position, type)
      precondition(storage.byteCount >= type.byteCount)
      outputs[position] = storage
      return unsafe storage.pointer
    }
  }

  /// Runs the method on the inputs that are set and puts its results into `values`, in the memory of the tensors that are there where
  /// these have the right type and shape and are shared with nobody.
  func run(profile: Profile?, cancellation: Cancellation?, into values: inout [ModelValue]) throws {
    try bindInputs()
    for value in values { call.tensors.append(value.tensor?.host) }
    values.removeAll(keepingCapacity: true)
    values.reserveCapacity(outputs.count)
    try method.run(call, profile: profile, cancellation: cancellation, into: &values) { ModelValue($0) }
  }

  private func bindInputs() throws(MartletError) {
    call.arguments.removeAll(keepingCapacity: true)
    for position in inputs.indices {
      guard var argument = inputs[position].argument else {
        throw MartletError.logged(.invalidInput("input \(position) of \(method.graph.name) has not been set"))
      }
      if inputs[position].isMisaligned, case .tensor(let type, let source, let order) = argument {
        let copy = try copyMemory(position, byteCount: type.byteCount)
        unsafe copy.pointer.copyMemory(from: source, byteCount: type.byteCount)
        argument = unsafe .tensor(type, UnsafeRawPointer(copy.pointer), order: order)
      }
      call.arguments.append(argument)
    }
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

extension ValueType {
  /// The argument as an input that is declared so takes it.
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
  /// The argument as input `position` takes it.
  /// - Throws: `MartletError.invalidInput` naming what is declared and what was found.
  package func accept(_ argument: Argument, at position: Int) throws -> Argument {
    try self[inputs[position]].type.accept(argument, at: position) { name }
  }
}
