public import Foundation
import Martlet

/// A program in a file, its methods loaded when they are needed.
///
/// ```swift
/// let module = Module(filePath: "model.pte")
/// let input = Tensor<Float>([1, 2, 3], shape: [1, 3])
/// let output = try Tensor<Float>(module.forward(input))
/// ```
///
/// Methods that upstream declares in Objective-C can be overridden, here as there. A module is for one thread at a time; calls that come from several wait for each other. Modules of the same file are independent.
open class Module: NSObject {
  private let filePath: String
  private let dataFilePaths: [String]
  private let loadMode: ModuleLoadMode

  private struct State {
    var model: Model?
    /// Of the methods that are loaded from now on, if the options name it.
    var precision: Precision?
    var methods: [String: LoadedMethod] = [:]
  }

  private let state = Guarded(State())

  /// - Parameters:
  ///   - filePath: the program, a `.pte` file. Nothing is read before something is loaded.
  ///   - dataFilePaths: files with weights that the program keeps outside (`.ptd`).
  ///   - loadMode: how the bytes come into memory.
  public init(filePath: String, dataFilePaths: [String], loadMode: ModuleLoadMode) {
    self.filePath = filePath
    self.dataFilePaths = dataFilePaths
    self.loadMode = loadMode
    super.init()
  }

  public convenience init(filePath: String, dataFilePaths: [String]) {
    self.init(filePath: filePath, dataFilePaths: dataFilePaths, loadMode: .file)
  }

  public convenience init(filePath: String, loadMode: ModuleLoadMode) {
    self.init(filePath: filePath, dataFilePaths: [], loadMode: loadMode)
  }

  public convenience init(filePath: String) {
    self.init(filePath: filePath, dataFilePaths: [], loadMode: .file)
  }

  // MARK: Loading

  /// Loads the program: reads the file and checks it. Methods are loaded when they are first needed.
  ///
  /// - Throws: `ErrorCode.accessFailed` when a file cannot be opened, `.invalidProgram` when it is damaged.
  open func load(with verification: ModuleVerification) throws {
    _ = try state.withLock { try program(&$0) }
  }

  /// Loads the program. See `load(with:)`.
  open func load() throws { try load(with: .minimal) }

  /// Loads the program with settings for its backends.
  ///
  /// Every payload becomes part of the engine's own graph, so settings that are for one backend only have no effect. The engine
  /// heeds one of its own, whatever backend it is given to: the string `precision`, which is `exact`, `near` or `fast` (see
  /// `Precision` of the module `Martlet`). It is for the methods that are loaded from then on.
  /// - Throws: besides what `load(with:)` throws, `ErrorCode.invalidArgument` for another precision, or when there are two.
  public func load(options: BackendOptionsMap, verification: ModuleVerification = .minimal) throws {
    let precision = try options.precision
    try state.withLock { state in
      _ = try program(&state)
      if let precision { state.precision = precision }
    }
  }

  /// Loads a method, and the program before it if need be.
  ///
  /// - Throws: besides what `load()` throws, `ErrorCode.invalidArgument` when there is no such method and `.operatorMissing`
  ///   when it needs an operator or a delegate that the engine does not have; the description names operator, node and file.
  open func load(_ method: String) throws {
    _ = try state.withLock { try loaded(method, &$0) }
  }

  /// Loads a method with settings for its backends, see `load(options:verification:)`. They have no effect when it is loaded already.
  public func load(_ method: String, options: BackendOptionsMap) throws {
    let precision = try options.precision
    _ = try state.withLock { try loaded(method, &$0, precision: precision) }
  }

  /// Returns true if the program is loaded.
  open func isLoaded() -> Bool { state.withLock { $0.model != nil } }

  /// Returns true if a method is loaded.
  open func isLoaded(_ method: String) -> Bool { state.withLock { $0.methods[method] != nil } }

  /// Forgets a loaded method with the inputs and outputs set for it. Its mutable buffers begin anew when it is loaded again.
  /// - Returns: true if it was loaded.
  @discardableResult
  open func unload(_ method: String) -> Bool {
    state.withLock { state in
      guard state.methods.removeValue(forKey: method) != nil else { return false }
      state.model?.unload(method: method)
      return true
    }
  }

  // MARK: What the program has

  /// The names of the program's methods.
  open func methodNames() throws -> Set<String> {
    try state.withLock { Set(try program(&$0).programMethodNames) }
  }

  /// The metadata of a method in the program. The method is not loaded.
  /// - Throws: `ErrorCode.invalidArgument` when there is no such method.
  open func methodMetadata(_ method: String) throws -> MethodMetadata {
    try state.withLock { MethodMetadata(try declaration(of: method, in: try program(&$0))) }
  }

  // MARK: Running and setting values; the other public forms are in Module+Execution.swift

  /// Runs a method with the inputs that have been set.
  open func execute(_ method: String) throws -> [Value] { try run(method, []) }

  /// Runs `forward` with the inputs that have been set.
  open func forward() throws -> [Value] { try run("forward", []) }

  func run(_ method: String, _ inputs: [any ValueConvertible]) throws -> [Value] {
    try state.withLock { try loaded(method, &$0).run(inputs) }
  }

  func setInput(_ value: any ValueConvertible, of method: String, at index: Int) throws {
    try state.withLock { try loaded(method, &$0).setInput(value, at: index) }
  }

  func setInputs(_ values: [any ValueConvertible], of method: String) throws {
    try state.withLock { try loaded(method, &$0).setInputs(values) }
  }

  func setOutput(_ value: Value, of method: String, at index: Int) throws {
    try state.withLock { try loaded(method, &$0).setOutput(value, at: index) }
  }

  // MARK: State

  private func program(_ state: inout State) throws -> Model {
    if let model = state.model { return model }
    for path in [filePath] + dataFilePaths where !FileManager.default.isReadableFile(atPath: path) {
      throw failure(.accessFailed, "\(path) does not exist or cannot be read")
    }
    var options = ModelOptions()
    options.dataFiles = dataFilePaths.map { URL(fileURLWithPath: $0) }
    options.fileAccess = loadMode.fileAccess
    options.keepsAxisOrder = true
    do {
      let model = try Model(contentsOf: URL(fileURLWithPath: filePath), options: options)
      state.model = model
      return model
    } catch {
      for path in [filePath] + dataFilePaths { try checkAccess(path) }
      throw failure(error)
    }
  }

  /// - Throws: `ErrorCode.accessFailed` when a file's bytes cannot be had the way the load mode says.
  private func checkAccess(_ path: String) throws {
    do {
      try loadMode.fileAccess.check(path)
    } catch {
      guard error.kind == .invalidFile else { throw error }
      throw failure(.accessFailed, error.message)
    }
  }

  private func declaration(of method: String, in model: Model) throws -> ProgramMethod {
    guard let declaration = model.programMethod(method) else {
      throw failure(.invalidArgument, "\(filePath) has no method \(method), only \(model.programMethodNames.joined(separator: ", "))")
    }
    return declaration
  }

  private func loaded(_ method: String, _ state: inout State, precision: Precision? = nil) throws -> LoadedMethod {
    if let known = state.methods[method] { return known }
    let model = try program(&state)
    let declaration = try declaration(of: method, in: model)
    do {
      try model.load(method: method, precision: precision ?? state.precision)
      let loaded = LoadedMethod(declaration, try model.makeInvocation(of: method))
      state.methods[method] = loaded
      return loaded
    } catch {
      throw failure(error)
    }
  }
}
