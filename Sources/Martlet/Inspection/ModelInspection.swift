public import FoundationEssentials
import MartletSystem
import MartletBytes
import MartletCoreMLFile
import MartletExecuTorchFile
import MartletFeatures
import MartletImport
import MartletTensor

/// The contents of a model file as its reader sees them. Weights are not touched: the cost depends on the number of operators, not on the
/// size of the file.
///
/// Uses of constants and states come from the graphs of a program's methods. They are unknown for a method that cannot be imported, such as
/// one with unsupported operators.
///
/// ```swift
/// let inspection = try ModelInspection(contentsOf: URL(fileURLWithPath: "model.pte"))
/// for method in inspection.methods { print(method.signature.name, method.operators) }
/// ```
public struct ModelInspection: Sendable {
  /// The kinds of file that can be inspected.
  public enum FileKind: String, Sendable, Hashable {
    /// `.pte`: a program.
    case program = "ExecuTorch program"
    /// `.bpte`: a program with recorded inputs and outputs.
    case bundledProgram = "bundled ExecuTorch program"
    /// `.ptd`: named data outside a program.
    case data = "ExecuTorch data file"
    /// `.mlpackage`, `.mlmodel` or `.mlmodelc`.
    case coreML = "Core ML model"
  }

  /// The number of calls of an operator.
  public struct OperatorCount: Sendable, Hashable {
    /// Name of the operator in the file, e.g. `aten::add.out`.
    public let name: String
    public let count: Int
  }

  /// A part of a method that was exported for a backend.
  public struct Delegate: Sendable, Hashable {
    /// The backend, e.g. `XnnpackBackend`.
    public let id: String
    /// Size of the payload in bytes; weights may be stored as named data instead.
    public let byteCount: Int
    /// Number of calls of the delegate in its method.
    public let callCount: Int
    /// Operators of the payload; nil if the payload is not read.
    public let operators: [OperatorCount]?
    /// The reason why the payload could not be read.
    public let problem: String?
  }

  /// A named piece of data: a tensor's elements, or opaque bytes of a delegate.
  public struct Data: Sendable, Hashable {
    /// nil if the file records no name.
    public let name: String?
    /// Element type and shape, e.g. `float32[8, 4]`; nil for data that is not a tensor.
    public let type: String?
    public let byteCount: Int
  }

  /// A method's constants of one type: those in the program, in `.ptd` files and in payloads of XNNPACK.
  public struct Weights: Sendable, Hashable {
    /// Element type as stored, such as `float16` or `int4, groups of 32`.
    public let type: String
    /// True for tables of which a call reads only some rows, such as those of its tokens.
    public let isTable: Bool
    public let count: Int
    /// Bytes with scales and zero points. What several methods share counts for each.
    public let byteCount: Int
  }

  public struct Method: Sendable, Hashable {
    public let signature: MethodSignature
    /// Most frequent first.
    public let operators: [OperatorCount]
    public let delegates: [Delegate]
    /// Tensors that persist between calls.
    public let states: [Data]
    /// For each state the operator that writes it, such as `llama::update_cache.out`; nil if that is a delegate, none or unknown.
    public let stateWriters: [String?]
    /// Constants by type, the largest share first.
    public let weights: [Weights]
    /// The results of a method that has no inputs and computes nothing, as text; nil for others.
    public let constants: [String]?
    /// Bytes that the file's memory plan reserves for intermediate results, including the states.
    public let plannedByteCount: Int
  }

  /// Recorded runs of a method in a bundle.
  public struct TestSuite: Sendable, Hashable {
    public let method: String
    public let caseCount: Int
  }

  public let url: URL
  public let kind: FileKind
  /// Schema version of the file; for a Core ML model its specification version.
  public let schemaVersion: Int
  /// Size of the file, or of all files of a folder.
  public let byteCount: Int
  /// In the file's order; empty for a data file.
  public let methods: [Method]
  /// Constants and weights of all methods and the program's named data, with each stored piece counted once.
  public let constantCount: Int
  public let constantByteCount: Int
  /// Tensors that must come from a `.ptd` file.
  public let externalData: [Data]
  /// The named data of a program, or the entries of a data file, sorted by name.
  public let namedData: [Data]
  /// Empty unless the file is a bundle.
  public let testSuites: [TestSuite]
  /// The kind of a Core ML model, and the stages of a pipeline; nil for other files.
  public private(set) var component: Component?

  /// Size of all states of all methods, in bytes.
  public var stateByteCount: Int { Self.byteCount(methods.lazy.flatMap(\.states)) }

  /// Size of all pieces of data in bytes; `Int.max` if it is larger.
  public static func byteCount(_ data: some Sequence<Data>) -> Int { Extent.sum(data.map(\.byteCount)).clamped }

  /// Reads the file at `url`.
  ///
  /// - Parameters:
  ///   - url: a `.pte`, `.bpte` or `.ptd` file, or a Core ML model.
  ///   - dataFiles: `.ptd` files that may hold weights of delegates' payloads.
  ///   - options: how files are read, and within which limit.
  /// - Throws: `MartletError` of the kind `invalidFile` if the file cannot be read or is malformed.
  public init(contentsOf url: URL, dataFiles: [URL] = [], options: ModelOptions = ModelOptions()) throws {
    do {
      if Model.isCoreML(url) {
        let model = try CoreMLModel(contentsOfPath: url.path, access: options.access)
        self = try reading(model.mappedFiles) { ModelInspection(model, url: url) }
        return
      }
      let file = try MappedFile(contentsOfPath: url.path, access: options.access).bytes
      let data = try dataFiles.map { url throws(FileError) in
        try MappedFile(contentsOfPath: url.path, access: options.access).bytes
      }
      self = try reading(([file] + data).map(\.owner)) {
        let data = try data.map { bytes throws(FileError) in try FlatTensorFile(bytes) }
        switch ExecuTorchFileKind(of: file) {
        case .flatTensor: return ModelInspection(try FlatTensorFile(file), url: url)
        case .bundledProgram:
          let bundle = try BundledProgram(file)
          return ModelInspection(
            try ExecuTorchProgram(bundle.program), bundle: bundle, dataFiles: data, url: url, byteCount: file.count, options: options)
        case .program, nil:
          return ModelInspection(
            try ExecuTorchProgram(file), bundle: nil, dataFiles: data, url: url, byteCount: file.count, options: options)
        }
      }
    } catch let error as FileError {
      throw MartletError(error)
    }
  }

  private init(_ file: FlatTensorFile, url: URL) {
    self.url = url
    kind = .data
    schemaVersion = Int(widening: file.version)
    byteCount = file.file.count
    methods = []
    namedData = file.entries.sortedByKey.map { name, entry in
      Data(name: name, type: entry.layout.map { "\($0)" }, byteCount: entry.data.count)
    }
    constantCount = file.entries.count
    constantByteCount = file.entries.values.reduce(0) { $0 + $1.data.count }
    externalData = []
    testSuites = []
  }

  private init(_ model: CoreMLModel, url: URL) {
    self.url = url
    kind = .coreML
    component = Component(model)
    schemaVersion = model.specificationVersion
    byteCount = Self.storedByteCount(url)
    methods = model.description.functions.map { Method($0, of: model) }
    var constants = CoreMLConstants()
    constants.add(model)
    constantCount = constants.count
    constantByteCount = constants.byteCount
    externalData = []
    namedData = []
    testSuites = []
  }

  private init(
    _ program: ExecuTorchProgram, bundle: BundledProgram?, dataFiles: [FlatTensorFile], url: URL, byteCount: Int, options: ModelOptions
  ) {
    self.url = url
    self.byteCount = byteCount
    kind = bundle == nil ? .program : .bundledProgram
    schemaVersion = Int(widening: program.version)
    testSuites = (bundle?.testSuites ?? []).map { TestSuite(method: $0.methodName, caseCount: $0.testCases.count) }
    namedData = program.namedData.sortedByKey.map { Data(name: $0, type: nil, byteCount: $1.count) }

    func lookUp(_ name: String) -> ByteView? {
      program.namedData[name] ?? dataFiles.lazy.compactMap { $0.entries[name]?.data }.first
    }
    let importer = (try? ExternalData(program: program, files: dataFiles)).flatMap { external in
      (try? CustomOperator.rows(options.customOperators)).map { ProgramImporter(program, external: external, customRows: $0) }
    }
    methods = program.plans.map { plan in
      let graph = importer.flatMap { try? $0.graph(of: plan, limits: options.limits) }
      return Method(plan, uses: graph.map { GraphUses($0, plan) } ?? GraphUses(), namedData: lookUp)
    }

    var constants = Set(program.namedData.values.map { Piece($0) })
    var external: Set<String> = []
    var externalData: [Data] = []
    for value in program.plans.lazy.flatMap(\.values) {
      guard case .tensor(let tensor) = value else { continue }
      switch tensor.data {
      case .constant(let bytes), .mutableInitialized(let bytes, _): constants.insert(Piece(bytes))
      case .external(let name, _):
        guard external.insert(name).inserted else { continue }
        externalData.append(Data(name: name, type: "\(tensor.layout)", byteCount: tensor.layout.byteCount ?? 0))
      case .planned, .callerProvided: continue
      }
    }
    constantCount = constants.count
    constantByteCount = Extent.sum(constants.map(\.byteCount)).clamped
    self.externalData = externalData
  }
}

/// A stored range of bytes, used to count each range once.
struct Piece: Hashable {
  let offset: Int
  let byteCount: Int

  init(_ view: ByteView) {
    offset = view.offset
    byteCount = view.count
  }
}
