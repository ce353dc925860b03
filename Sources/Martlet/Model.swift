public import FoundationEssentials
import MartletSystem
package import MartletBytes
import MartletCompiler
package import MartletCoreMLFile
package import MartletExecuTorchFile
package import MartletGraph
import MartletImport
import MartletOps
package import MartletRuntime
import MartletTensor
import MartletLock
import MartletLog

/// A loaded model file.
///
/// ```swift
/// let model = try Model(contentsOf: URL(fileURLWithPath: "model.pte"))
/// let image = try Tensor([Float](repeating: 0, count: 3 * 224 * 224), shape: [1, 3, 224, 224])
/// let outputs = try model.run([.tensor(image)])
/// ```
///
/// A model is safe to use from several threads. Calls of a method with mutable state wait for each other; other calls run concurrently.
public final class Model: Sendable {
  public let url: URL
  public let options: ModelOptions
  package let source: any ModelSource
  /// The model's name in messages.
  package let name: String

  private let states = StateStore()
  let packed: PackedStore
  /// The budget for the model's states, weights and constants.
  private let memory: MemoryBudget
  private let workers: WorkerThreads
  private let methodTable = Guarded<[String: InvocationPool]>([:])
  /// The methods that have run with rows.
  let tableMethods = Guarded<[String: TableMethod]>([:])
  /// The methods whose functions are prepared.
  private let preparedMethods = Guarded<Set<String>>([])
  private let importLock = Lock()
  /// Measured times of batches by method.
  let batchPaces = Guarded<[String: BatchPace]>([:])

  /// Opens a model: an ExecuTorch program (`.pte`, `.bpte`) or a Core ML model (`.mlpackage`, `.mlmodel`, `.mlmodelc`).
  ///
  /// Files are mapped, not read: weights are touched only when a method is loaded. The methods of a Core ML model are its functions.
  /// - Throws: `MartletError` of the kind `invalidFile` if the file is malformed; `.invalidInput` for a custom operator that cannot be registered.
  public convenience init(contentsOf url: URL, options: ModelOptions = ModelOptions()) throws {
    do {
      if Self.isCoreML(url) {
        try self.init(CoreMLModel(contentsOfPath: url.filePath, access: options.access), url: url, options: options)
      } else {
        try self.init(MappedFile(contentsOfPath: url.filePath, access: options.access).bytes, url: url, options: options)
      }
    } catch let error as FileError {
      throw MartletError.logged(MartletError(error))
    }
  }

  /// Returns true for a file or folder with the extension of a Core ML model.
  package static func isCoreML(_ url: URL) -> Bool {
    let path = url.filePath.lowercased()
    return [".mlpackage", ".mlmodel", ".mlmodelc"].contains { path.hasSuffix($0) }
  }

  /// Opens an ExecuTorch program in memory.
  /// - Parameters:
  ///   - url: identifies the program in messages.
  ///   - data: external weight files in addition to those named in the options.
  package convenience init(_ file: ByteView, url: URL, options: ModelOptions = ModelOptions(), data: [FlatTensorFile] = []) throws {
    do {
      let source = try reading([file.owner]) { try ExecuTorchSource(file, name: url.filePath, options: options, data: data) }
      self.init(source: source, url: url, options: options)
    } catch let error as FileError {
      throw MartletError.logged(MartletError(error))
    }
  }

  /// Opens a Core ML model that is already parsed.
  /// - Parameter url: identifies the model in messages.
  package convenience init(_ model: CoreMLModel, url: URL, options: ModelOptions = ModelOptions()) throws {
    let memory = MemoryBudget()
    let source = CoreMLSource(model, options: options, memory: memory)
    self.init(source: source, url: url, options: options, memory: memory)
  }

  /// - Parameter memory: the budget that the model's parts are charged to.
  package init(source: any ModelSource, url: URL, options: ModelOptions, memory: MemoryBudget = MemoryBudget()) {
    self.source = source
    self.memory = memory
    self.url = url
    self.options = options
    name = options.displayName ?? url.fileName
    packed = PackedStore(kept: source.packedWeights)
    Log.info("\(name): \(source.summary)")
    workers = WorkerThreads(options.threads)
  }

  /// The program of an ExecuTorch model.
  package var program: ExecuTorchProgram? { (source as? ExecuTorchSource)?.program }

  /// The bundle that an ExecuTorch program came in, with its recorded tests.
  package var bundle: BundledProgram? { (source as? ExecuTorchSource)?.bundle }

  /// The description and content of a Core ML model.
  package var coreMLModel: CoreMLModel? { (source as? CoreMLSource)?.model }

  /// The methods of the model, in the file's order.
  public var methods: [MethodSignature] { source.methods }

  /// The method that runs when none is named: `forward`, or the first method if there is no `forward`. For a Core ML model, its default
  /// function.
  public var defaultMethod: String { source.defaultMethod }

  /// Maximum number of threads for one call.
  public var threads: Int { workers.limit }

  // MARK: Loading

  /// Imports and optimises a method ahead of its first run.
  /// - Throws: `MartletError` of the kind `unsupported` naming the operator that the engine does not support.
  public func load(method: String? = nil) throws { try load(method: method, precision: nil) }

  /// Imports and optimises a method on one of the engine's background threads. Cancelling the task stops this with `CancellationError`,
  /// and the model is as before.
  /// - Throws: as `load(method:)`.
  public func load(method: String? = nil) async throws {
    try await BackgroundThreads.shared.cancellable { try self.load(method: method, precision: nil, cancellation: $0) }
  }

  /// Loads a method. A given `precision` overrides the one of the options, unless the method is already loaded.
  package func load(method: String?, precision: Precision?, cancellation: CallCancellation? = nil) throws {
    let name = method ?? defaultMethod
    guard let chain = source.chain(of: name) else {
      return try load(graph: name, precision: precision, cancellation: cancellation)
    }
    try prepareFunctions(of: chain, method: name, cancellation: cancellation)
    for step in chain.graphs { try load(graph: step.method, precision: precision, cancellation: cancellation) }
  }

  /// Prepares the functions among the stages of a method, unless they are.
  func prepareFunctions(of chain: ModelChain, method: String, cancellation: CallCancellation?) throws {
    guard !preparedMethods.withLock({ $0.contains(method) }) else { return }
    do {
      try loading(cancellation) { _ in
        for function in chain.functions { try function.prepare() }
      }
    } catch {
      throw failure(error, method: method, cancellation)
    }
    preparedMethods.withLock { _ = $0.insert(method) }
  }

  /// Checks that a method has no stage of a kind that the engine does not run.
  /// - Throws: `MartletError` of the kind `unsupported`.
  package func checkKind(method: String) throws {
    if let chain = source.chain(of: method) { try prepareFunctions(of: chain, method: method, cancellation: nil) }
  }

  private func load(graph: String, precision: Precision?, cancellation: CallCancellation?) throws {
    let compiled = try compiled(graph, precision: precision, cancellation: cancellation)
    // If all input shapes are static, plan the method and pack its weights now.
    let inputs = compiled.graph.inputs.map { id -> InputBinding? in
      switch compiled.graph[id].type {
      case .tensor(let signature):
        signature.fixedShape.map { shape in
          .tensor(TensorType(signature.dtype, shape), order: options.keepsAxisOrder ? signature.dimOrder : nil)
        }
      case .scalar(let kind): .scalar(kind)
      default: InputBinding.none
      }
    }
    guard inputs.allSatisfy({ $0 != nil }) else { return }
    try prepare(compiled, for: inputs.compactMap { $0 }, cancellation)
  }

  func prepare(_ compiled: CompiledMethod, for inputs: [InputBinding], _ cancellation: CallCancellation? = nil) throws {
    do {
      try reading(source.mappedFiles) { try compiled.prepare(for: inputs, cancellation: cancellation?.cancellation) }
    } catch {
      throw failure(error, method: compiled.graph.name, cancellation)
    }
    source.release()
  }

  /// Makes the plan of a loaded method for inputs of these shapes, so that the first run with them need not.
  ///
  /// Does nothing if a shape is not one that the method takes.
  /// - Parameter shapes: for each input that is a tensor its shape; others are ignored.
  package func prepare(method: String, shapes: [[Int]]) throws {
    let compiled = try compiled(method)
    let graph = compiled.graph
    guard shapes.count == graph.inputs.count else { return }
    var inputs: [InputBinding] = []
    for (id, shape) in zip(graph.inputs, shapes) {
      switch graph[id].type {
      case .tensor(let signature) where signature.allows(shape): inputs.append(.tensor(TensorType(signature.dtype, shape), order: nil))
      case .scalar(let kind): inputs.append(.scalar(kind))
      default: return
      }
    }
    try prepare(compiled, for: inputs)
  }

  /// Returns true if a method is loaded.
  package func isLoaded(method: String) -> Bool { methodTable.withLock { $0[method] != nil } }

  /// Memory used by the model's packed weights and states so far, in bytes. Weights used in place in the mapped file do not count.
  // In range: bytes in memory.
  public var memoryByteCount: Int { packed.byteCount + states.byteCount }

  /// Unloads a method together with its plans. Its states start from their initial values when it is loaded again, unless another loaded
  /// method shares them.
  /// - Returns: whether the method was loaded.
  @discardableResult
  package func unload(method: String) -> Bool {
    importLock.withLock {
      let removed = methodTable.withLock { table in
        (table.removeValue(forKey: method), table.values.flatMap { $0.method.graph.states.map(\.name) })
      }
      guard let gone = removed.0 else { return false }
      states.remove(gone.method.graph.states.map(\.name).filter { !removed.1.contains($0) })
      return true
    }
  }

  package func compiled(
    _ name: String?, precision: Precision? = nil, cancellation: CallCancellation? = nil
  ) throws -> CompiledMethod {
    try invocations(of: name, precision: precision, cancellation: cancellation).method
  }

  /// The error of loading or planning a method as the public one, logged; `CancellationError` if it is cancelled.
  private func failure(_ error: any Error, method: String, _ cancellation: CallCancellation?) -> any Error {
    if error is CancellationError || cancellation?.isCancelled == true { return CancellationError() }
    return MartletError.logged(MartletError(error, file: name, method: method))
  }

  /// Runs `body`, which reads the model's files, with what importing and rewriting one graph may take.
  private func loading<Result>(_ cancellation: CallCancellation? = nil, _ body: (ResourceLimits) throws -> Result) throws -> Result {
    let limits = options.limits
    // What is available already excludes what the model holds.
    let held = options.memoryLimit == nil ? memory.held : 0
    memory.setLimit((Extent(limits.memoryByteCount) + held).clamped)
    let allowance = Allowance(
      memory: memory, workLimit: limits.loadWork, cancellation: cancellation?.cancellation ?? Cancellation.current)
    return try Allowance.$current.withValue(allowance) { try reading(source.mappedFiles) { try body(limits) } }
  }

  /// Makes an invocation of a method, which is loaded if necessary.
  package func makeInvocation(of method: String?) throws -> Invocation { Invocation(try compiled(method), files: source.mappedFiles) }

  /// The invocations of a method, which is loaded if necessary.
  package func invocations(
    of name: String?, precision: Precision? = nil, cancellation: CallCancellation? = nil
  ) throws -> InvocationPool {
    let name = name ?? defaultMethod
    if let known = methodTable.withLock({ $0[name] }) { return known }
    return try importLock.withLock(whileWaiting: (cancellation?.cancellation ?? Cancellation.current)?.check) {
      if let known = methodTable.withLock({ $0[name] }) { return known }
      do {
        let products = (precision ?? options.precision).products
        var passes: [String] = []
        let (imported, optimized, method) = try loading(cancellation) { limits in
          guard source.hasGraph(name) else { throw noMethod(name) }
          var graph = try source.graph(of: name, limits: limits)
          let imported = graph.nodes.count
          try fetch(graph, limits)
          if options.isOptimized {
            graph = try PassPipeline.standard(for: products).run(on: consume graph) { if !passes.contains($0) { passes.append($0) } }
          }
          let method = try CompiledMethod(
            graph, packed: packed, states: states, threads: workers, planCapacity: options.planCapacity,
            outputOrders: options.keepsAxisOrder ? source.outputOrders(of: name) : [],
            precision: products, limits: limits, memory: memory, keepsStates: options.keepsStates)
          return (imported, graph.nodes.count, method)
        }
        let pool = InvocationPool(method, files: source.mappedFiles)
        methodTable.withLock { $0[name] = pool }
        Log.info(
          "\(self.name): method \(name) has \(imported) nodes, \(optimized) after the passes "
            + "[\(passes.joined(separator: ", "))]")
        return pool
      } catch {
        throw failure(error, method: name, cancellation)
      }
    }
  }

  /// Reads the weights of a graph ahead. Otherwise passes and planning, which look at small constants here and there, make the system read
  /// their surroundings piece by piece.
  private func fetch(_ graph: Graph, _ limits: ResourceLimits) throws {
    // Weights that are packed already are not read.
    guard source.packedWeights == nil else { return }
    let constants = graph.storedConstants
    for table in constants.tables { for place in table.places { place.expectParts() } }
    if source.mappedFiles.allSatisfy(\.isCached) { return }
    // The rest of a model that leaves the page cache no room is read while it is packed.
    var room = limits.memoryByteCount / 4
    let fitting = constants.whole.prefix { constant in
      // In range: bytes of mapped files.
      room -= constant.type.byteCount
      return room >= 0
    }
    for place in fitting.flatMap(\.places).joinedPlaces { try place.fetch() }
  }

  /// The error that names the methods there are.
  func noMethod(_ name: String) -> MartletError {
    let graphs = source.chain(of: name)?.graphs.map(\.method) ?? []
    var error =
      graphs.isEmpty
      ? MartletError.invalidInput("no method \(name)", expected: source.methods.map(\.name).joined(separator: ", "))
      : MartletError.invalidInput("the method \(name) has several graphs", expected: graphs.joined(separator: ", "))
    error.file = self.name
    return error
  }

  /// The method's graph: as imported, or after the passes.
  package func graph(_ method: String?, isOptimized: Bool) throws -> Graph {
    let name = method ?? defaultMethod
    guard source.hasGraph(name) else { throw MartletError.logged(noMethod(name)) }
    return try loading { limits in
      let graph = try source.graph(of: name, limits: limits)
      return isOptimized ? try PassPipeline.standard(for: options.precision.products).run(on: graph) : graph
    }
  }

  /// A readable dump of the method's graph: as imported, or after the passes.
  public func graphDump(method: String? = nil, optimized: Bool = true) throws -> String {
    do {
      return try graph(method, isOptimized: optimized).dump()
    } catch {
      throw MartletError.logged(MartletError(error, file: name, method: method ?? defaultMethod))
    }
  }

  /// Resets every mutable state to its initial value.
  public func resetState() throws {
    do { try states.reset() } catch { throw MartletError.logged(MartletError(error)) }
  }

  // MARK: Running

  /// Runs a method.
  ///
  /// - Parameters:
  ///   - inputs: one value for each input of the method, in order.
  ///   - method: the method's name; nil for the default method.
  /// - Returns: the method's outputs, in order.
  /// - Throws: `MartletError` of the kind `invalidInput` if the inputs do not fit the method, `.unsupported` if the method cannot be loaded,
  ///   `.executionFailed` if the run fails on its data.
  public func run(_ inputs: [ModelValue], method: String? = nil) throws -> [ModelValue] {
    try run(inputs, method: method, profile: nil, cancellation: .current)
  }

  /// Runs a method on one of the engine's background threads, without blocking the caller's task. Cancelling the task stops the run within
  /// milliseconds with `CancellationError`, also while the method is still being loaded.
  public func run(_ inputs: [ModelValue], method: String? = nil) async throws -> [ModelValue] {
    try await BackgroundThreads.shared.cancellable { try self.run(inputs, method: method, profile: nil, cancellation: $0) }
  }

  /// Runs a method with inputs by name and returns outputs by name.
  public func run(_ inputs: [String: ModelValue], method: String? = nil) throws -> [String: ModelValue] {
    let signature = try signature(of: method)
    let values = try ordered(inputs, signature)
    let results = try run(values, method: method)
    return Dictionary(zip(signature.outputs.map(\.name), results), uniquingKeysWith: { first, _ in first })
  }

  /// Runs a method and returns the execution time of every kernel in addition to the outputs.
  public func profile(_ inputs: [ModelValue], method: String? = nil) throws -> (outputs: [ModelValue], kernels: [KernelTime]) {
    let profile = Profile(byteCount: options.limits.memoryByteCount / 4)
    let outputs = try run(inputs, method: method, profile: profile, cancellation: .current)
    return (outputs, profile.entries.map { KernelTime($0) })
  }

  /// Runs a method and returns its kernels in execution order, with their times.
  /// - Parameter workLimit: work of the kernels, in the units of `Allowance`, after which the run fails.
  package func profiledSteps(_ inputs: [ModelValue], method: String?, workLimit: Int = .max) throws -> [Profile.Entry] {
    let profile = Profile(byteCount: options.limits.memoryByteCount / 4, workLimit: workLimit)
    _ = try run(inputs, method: method, profile: profile, cancellation: .current)
    return profile.entries
  }

  private func run(
    _ inputs: [ModelValue], method: String?, profile: Profile?, cancellation: CallCancellation?
  ) throws -> [ModelValue] {
    var outputs: [ModelValue] = []
    try run(inputs, into: &outputs, method: method, profile: profile, cancellation: cancellation)
    return outputs
  }

  /// Runs a method and stores the outputs in `outputs`. Tensors there with the right type and shape and without other references are
  /// overwritten in place: from the second such call on, nothing is allocated.
  ///
  /// - Parameter outputs: any values, such as those of an earlier call; `[]` at first. Empty after an error.
  /// - Throws: as `run(_:method:)`.
  public func run(_ inputs: [ModelValue], into outputs: inout [ModelValue], method: String? = nil) throws {
    try run(inputs, into: &outputs, method: method, profile: nil, cancellation: .current)
  }

  /// - Parameter usesOneThread: true for one of several runs that are made at the same time.
  func run(
    _ inputs: [ModelValue], into outputs: inout [ModelValue], method: String?, profile: Profile?, cancellation: CallCancellation?,
    usesOneThread: Bool = false
  ) throws {
    if let chain = source.chain(of: method ?? defaultMethod), !chain.isDirect(for: inputs) {
      outputs.removeAll()
      try prepareFunctions(of: chain, method: method ?? defaultMethod, cancellation: cancellation)
      outputs = try run(chain, inputs) { method, inputs in
        try graphResults(method, inputs, profile: profile, cancellation: cancellation, usesOneThread: usesOneThread)
      }
    } else {
      try runGraph(
        inputs, into: &outputs, method: method, profile: profile, cancellation: cancellation, usesOneThread: usesOneThread)
    }
  }

  /// The results of a graph among the stages of a method.
  func graphResults(
    _ method: String, _ inputs: [ModelValue], profile: Profile?, cancellation: CallCancellation?, usesOneThread: Bool
  ) throws -> [ModelValue] {
    var results: [ModelValue] = []
    try runGraph(
      inputs, into: &results, method: method, profile: profile, cancellation: cancellation, usesOneThread: usesOneThread)
    return results
  }

  /// Runs a graph with the values that it takes itself.
  func runGraph(
    _ inputs: [ModelValue], into outputs: inout [ModelValue], method: String?, profile: Profile?, cancellation: CallCancellation?,
    usesOneThread: Bool
  ) throws {
    let invocations = try invocations(of: method, cancellation: cancellation)
    let invocation = invocations.take()
    defer { invocations.release(invocation) }
    invocation.usesOneThread = usesOneThread
    do {
      try invocation.setInputs(inputs)
      try invocation.run(profile: profile, cancellation: cancellation, into: &outputs)
    } catch {
      outputs.removeAll(keepingCapacity: true)
      throw error is CancellationError ? error : MartletError(error, file: name, method: invocation.method.graph.name)
    }
  }
}

extension TensorSignature {
  /// Returns true if the declaration allows a tensor of this shape.
  func allows(_ shape: [Int]) -> Bool {
    guard rank == shape.count else { return false }
    for (dimension, extent) in zip(dimensions, shape) {
      switch dimension {
      case .fixed(let expected) where expected != extent: return false
      case .symbolic(let bound?) where extent > bound: return false
      default: break
      }
    }
    return true
  }
}
