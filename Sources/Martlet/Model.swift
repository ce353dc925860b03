public import Foundation
package import MartletBytes
import MartletCompiler
package import MartletExecuTorchFile
package import MartletGraph
import MartletImport
import MartletKernels
import MartletOps
package import MartletRuntime
import MartletTensor
import Synchronization

/// A loaded model file.
///
/// ```swift
/// let model = try Model(contentsOf: URL(fileURLWithPath: "model.pte"))
/// let image = try Tensor([Float](repeating: 0, count: 3 * 224 * 224), shape: [1, 3, 224, 224])
/// let outputs = try model.run([.tensor(image)])
/// ```
///
/// A model is safe to use from several threads. Calls of a method with mutable state wait for each other; others run
/// at the same time.
public final class Model: Sendable {
  public let url: URL
  public let options: ModelOptions
  package let program: ExecuTorchProgram
  /// The bundle that the program came in, with its recorded tests.
  package let bundle: BundledProgram?

  private let external: ExternalData
  private let states = StateStore()
  private let packed = PackedStore()
  private let pool: ThreadPool
  private let methodTable = Mutex<[String: CompiledMethod]>([:])
  private let importLock = Mutex<Void>(())

  /// Opens a model file: `.pte` or `.bpte`.
  ///
  /// The file is mapped, not read: its weights are touched when a method is loaded.
  /// - Throws: `MartletError.invalidFile`.
  public convenience init(contentsOf url: URL, options: ModelOptions = ModelOptions()) throws {
    let file: ByteView
    do {
      file = try MappedFile(contentsOfPath: url.path).bytes
    } catch {
      throw MartletError.invalidFile("\(error)")
    }
    try self.init(file, url: url, options: options)
  }

  /// Opens a model that is in memory.
  /// - Parameters:
  ///   - url: what stands for the file in messages.
  ///   - data: files of external weights besides those that the options name.
  package init(_ file: ByteView, url: URL, options: ModelOptions = ModelOptions(), data: [FlatTensorFile] = []) throws {
    self.url = url
    self.options = options
    do {
      switch ExecuTorchFileKind(of: file) {
      case .bundledProgram:
        let bundle = try BundledProgram(file)
        self.bundle = bundle
        program = try ExecuTorchProgram(bundle.program)
      case .flatTensor:
        throw MartletError.invalidFile("\(url.path) holds external weights (.ptd), not a program")
      case .program, nil:
        bundle = nil
        program = try ExecuTorchProgram(file)
      }
      external = try ExternalData(
        program: program, files: data + (try options.dataFiles.map { path throws(FileError) in try FlatTensorFile(contentsOfPath: path) }))
    } catch let error as FileError {
      throw MartletError.invalidFile("\(error)")
    }
    pool = ThreadPool(threads: options.threads ?? ProcessInfo.processInfo.activeProcessorCount)
  }

  /// The methods of the model, in the file's order.
  public var methods: [MethodSignature] { program.plans.map { MethodSignature($0) } }

  /// The method that runs when none is named: `forward`, or the only one.
  public var defaultMethod: String {
    if program.plans.contains(where: { $0.name == "forward" }) { return "forward" }
    return program.plans.first?.name ?? "forward"
  }

  /// Threads that a call may use.
  public var threads: Int { pool.threads }

  // MARK: Loading

  /// Imports and optimises a method, so that its first run need not.
  /// - Throws: `MartletError.unsupported` naming the operator that the engine does not have.
  public func load(method: String? = nil) throws { _ = try compiled(method) }

  package func compiled(_ name: String?) throws -> CompiledMethod {
    let name = name ?? defaultMethod
    if let known = methodTable.withLock({ $0[name] }) { return known }
    return try importLock.withLock { _ in
      if let known = methodTable.withLock({ $0[name] }) { return known }
      do {
        let graph = try importedGraph(name)
        let optimized = options.isOptimized ? try PassPipeline.standard.run(on: graph) : graph
        let method = try CompiledMethod(
          optimized, packed: packed, states: states, pool: pool, planCapacity: options.planCapacity, limits: options.limits)
        methodTable.withLock { $0[name] = method }
        return method
      } catch {
        throw MartletError(error)
      }
    }
  }

  /// The method's graph as imported, before any rewriting.
  package func importedGraph(_ name: String?) throws -> Graph {
    let name = name ?? defaultMethod
    guard let plan = program.plan(named: name) else {
      let names = program.plans.map(\.name).joined(separator: ", ")
      throw MartletError.invalidInput("\(url.lastPathComponent) has no method \(name), only \(names)")
    }
    return try importer.withLock { importer in
      if importer == nil {
        importer = ProgramImporter(program, external: external, sharesStates: options.sharesStateBetweenMethods)
      }
      return try importer!.graph(of: plan)
    }
  }

  private let importer = Mutex<ProgramImporter?>(nil)

  /// The method's graph as text, for people: as imported, or after the passes.
  public func graphDump(method: String? = nil, optimized: Bool = true) throws -> String {
    do {
      let graph = try importedGraph(method)
      return (optimized ? try PassPipeline.standard.run(on: graph) : graph).dump()
    } catch {
      throw MartletError(error)
    }
  }

  /// Gives every mutable state its initial value again.
  public func resetState() throws {
    do { try states.reset() } catch { throw MartletError(error) }
  }

  // MARK: Running

  /// Runs a method.
  ///
  /// - Parameters:
  ///   - inputs: one value for each input of the method, in order.
  ///   - method: nil for the default method.
  /// - Returns: the method's outputs, in order.
  /// - Throws: `MartletError.invalidInput` if the inputs do not fit, `.unsupported` if the method cannot be loaded,
  ///   `.executionFailed` if the data made it fail.
  public func run(_ inputs: [ModelValue], method: String? = nil) throws -> [ModelValue] {
    try run(inputs, method: method, profile: nil, cancellation: nil)
  }

  /// Runs a method on another thread. Cancelling the task stops the run between two kernels with `CancellationError`.
  public func run(_ inputs: [ModelValue], method: String? = nil) async throws -> [ModelValue] {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await Task.detached { try self.run(inputs, method: method, profile: nil, cancellation: cancellation) }.value
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// Runs a method with inputs by name and returns outputs by name.
  public func run(_ inputs: [String: ModelValue], method: String? = nil) throws -> [String: ModelValue] {
    guard let plan = program.plan(named: method ?? defaultMethod) else { return [:] }
    let signature = MethodSignature(plan)
    let values = try signature.inputs.map { input in
      guard let value = inputs[input.name] else {
        if case .none = input.kind { return ModelValue.none }
        throw MartletError.invalidInput("input \(input.name) is missing")
      }
      return value
    }
    let results = try run(values, method: method)
    return Dictionary(zip(signature.outputs.map(\.name), results), uniquingKeysWith: { first, _ in first })
  }

  /// Runs a method and returns, besides the outputs, the time of every kernel.
  public func profile(_ inputs: [ModelValue], method: String? = nil) throws -> (outputs: [ModelValue], kernels: [KernelTime]) {
    let profile = Profile()
    let outputs = try run(inputs, method: method, profile: profile, cancellation: nil)
    return (outputs, profile.entries.map { KernelTime($0) })
  }

  private func run(
    _ inputs: [ModelValue], method: String?, profile: Profile?, cancellation: Cancellation?
  ) throws -> [ModelValue] {
    let compiled = try compiled(method)
    do {
      let arguments = try bind(inputs, to: compiled.graph)
      let results = try compiled.run(arguments, profile: profile, cancellation: cancellation)
      withExtendedLifetime(inputs) {}
      return results.map { result in
        switch result {
        case .tensor(let tensor): .tensor(Tensor(tensor))
        case .scalar(.int(let value)): .int(Int(value))
        case .scalar(.double(let value)): .double(value)
        case .scalar(.bool(let value)): .bool(value)
        case .string(let value): .string(value)
        case .none: .none
        }
      }
    } catch {
      throw error is CancellationError ? error : MartletError(error)
    }
  }

  /// Checks the inputs against the graph's declarations.
  private func bind(_ inputs: [ModelValue], to graph: Graph) throws -> [Argument] {
    guard inputs.count == graph.inputs.count else {
      throw MartletError.invalidInput("\(graph.name) takes \(graph.inputs.count) inputs, not \(inputs.count)")
    }
    return try inputs.enumerated().map { position, input in
      let declared = graph[graph.inputs[position]].type
      func mismatch(_ found: String) -> MartletError {
        MartletError.invalidInput("input \(position) of \(graph.name) is \(declared), not \(found)")
      }
      switch (declared, input) {
      case (.tensor(let signature), .tensor(let tensor)):
        let shape = tensor.shape
        guard signature.dtype == tensor.host.dtype, signature.rank == shape.count else {
          throw mismatch("\(tensor.host.dtype)\(shape)")
        }
        for (dimension, extent) in zip(signature.dimensions, shape) {
          switch dimension {
          case .fixed(let expected) where expected != extent: throw mismatch("\(tensor.host.dtype)\(shape)")
          case .symbolic(let bound?) where extent > bound: throw mismatch("\(tensor.host.dtype)\(shape)")
          default: break
          }
        }
        return unsafe .tensor(TensorType(tensor.host.dtype, shape), UnsafeRawPointer(tensor.host.sharedStorage.pointer))
      case (.scalar(.int), .int(let value)): return .scalar(.int(Int64(value)))
      case (.scalar(.double), .double(let value)): return .scalar(.double(value))
      case (.scalar(.double), .int(let value)): return .scalar(.double(Double(value)))
      case (.scalar(.bool), .bool(let value)): return .scalar(.bool(value))
      case (.none, .none): return .none
      case (.string, .string): return .none
      default: throw mismatch("\(input)")
      }
    }
  }
}

extension MartletError {
  /// The public form of an error of the layers below.
  package init(_ error: any Error) {
    switch error {
    case let error as MartletError: self = error
    case let error as FileError: self = .invalidFile("\(error)")
    case let error as ImportError: self = .unsupported("\(error)")
    case let error as PlanError: self = .unsupported("\(error)")
    default: self = .executionFailed("\(error)")
    }
  }
}
