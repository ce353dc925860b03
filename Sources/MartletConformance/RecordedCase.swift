package import MartletBytes
import FoundationEssentials
import MartletSystem
import MartletMedia

/// A model file with inputs and the expected outputs of a reference: one folder with a `case.json`.
///
/// The format is described in Documentation/RecordedCases.md.
package struct RecordedCase: Sendable, Equatable {
  /// The inputs or outputs of one run: by position (`.pte`) or by name (Core ML).
  package enum Arguments: Sendable, Equatable {
    case positional([CaseEntry])
    case named([NamedEntry])

    package var entries: [CaseEntry] {
      switch self {
      case .positional(let entries): entries
      case .named(let entries): entries.map(\.entry)
      }
    }
  }

  package struct NamedEntry: Sendable, Equatable {
    package var name: String
    package var entry: CaseEntry

    package init(_ name: String, _ entry: CaseEntry) {
      self.name = name
      self.entry = entry
    }
  }

  /// One run. The runs of a case are executed in order on one loaded model, which keeps its state between them.
  package struct Step: Sendable, Equatable {
    /// The method to call; nil for the model's default method.
    package var method: String?
    package var inputs: Arguments
    /// nil if outputs are not compared because the case expects only an error or the absence of a crash.
    package var outputs: Arguments?
  }

  /// The expected behaviour.
  package enum Expectation: String, Sendable {
    /// The outputs of every step are compared.
    case outputs
    /// Loading or running must throw an error.
    case error
    /// Loading and running may succeed or fail, but not crash.
    case any
  }

  /// The distribution of random outputs, which is tested instead of their values.
  package enum Distribution: String, Sendable {
    case uniform01
    case normal01
  }

  package var name: String
  package var family: String
  /// The path of the case's folder.
  package var folder: String
  /// The path of the model to load.
  package var modelPath: String
  /// Other forms of the same model (a bundled program), which must give the same outputs.
  package var alternativeModelPaths: [String]
  /// Paths of external weight files for the model (`.ptd`).
  package var dataPaths: [String]
  /// The function of a multifunction Core ML model; nil for its default function.
  package var function: String?
  package var steps: [Step]
  package var expectation: Expectation
  package var tolerance: Tolerance
  package var distribution: Distribution?
  /// Whether the file is in an old format that upstream's own runtime rejects.
  package var isOptional: Bool
  /// Whether methods must share their mutable buffers.
  package var sharesMemoryArenas: Bool
  /// The source of the expected outputs.
  package var oracle: String
  package var notes: String
  /// The operator under test.
  package var operatorUnderTest: String?
  /// The operators of all methods of the model, as `namespace::name.overload`.
  package var operators: [String]
  /// The delegates that the model's methods call.
  package var delegates: [String]
  /// The values of a language model's constant methods.
  package var metadata: JSONValue?
  /// The reason why upstream marks its own test of this model as failing; informative only.
  package var upstreamExpectedFailure: String?

  /// A copy of the case for another of its model files.
  package func using(modelPath: String) -> RecordedCase {
    var copy = self
    copy.modelPath = modelPath
    copy.alternativeModelPaths = []
    return copy
  }
}

// MARK: Reading

extension RecordedCase {
  /// Keys that document how the case was made and have no influence on what passes.
  private static let informativeKeys: Set<String> = ["emulated_maxdiff", "float_cosine"]

  /// Reads `case.json` in the folder. Unknown keys are errors: a key that changes what passes must not be ignored.
  package init(folder: String) throws(CaseError) {
    let path = "\(folder)/case.json"
    let json: JSONValue
    do {
      json = try JSONValue(parsing: FileContents.read(path: path))
    } catch let error as JSONValue.ParseError {
      throw .notJSON(path: path, error)
    } catch let error as MediaError {
      throw .media(error)
    } catch {
      throw .invalid(path: path, key: "file", reason: "\(error)")
    }
    try self.init(json, folder: folder)
  }

  /// Reads the parsed content of `case.json`.
  package init(_ json: JSONValue, folder: String) throws(CaseError) {
    var reader = try CaseReader(json, path: "\(folder)/case.json")
    self.folder = folder
    name = try reader.string("name") ?? folder.split(separator: "/").last.map(String.init) ?? folder
    family = try reader.string("family") ?? ""
    oracle = try reader.string("oracle") ?? ""
    notes = try reader.string("notes") ?? ""
    operatorUnderTest = try reader.string("op")
    operators = try reader.strings("ops") ?? []
    delegates = try reader.strings("delegates") ?? []
    metadata = reader.take("metadata")
    upstreamExpectedFailure = try reader.string("upstream_xfail")
    function = try reader.string("function")
    isOptional = try reader.boolean("optional") ?? false
    sharesMemoryArenas = try reader.boolean("share_memory_arenas") ?? false
    for key in Self.informativeKeys { _ = reader.take(key) }

    if let model = try reader.string("model") {
      modelPath = "\(folder)/\(model)"
      alternativeModelPaths = []
    } else {
      let present = ["model.pte", "model.bpte"].map { "\(folder)/\($0)" }.filter(FileManager.default.fileExists)
      modelPath = present.first ?? "\(folder)/model.pte"
      alternativeModelPaths = Array(present.dropFirst())
    }
    dataPaths = try (reader.strings("data_files") ?? []).map { "\(folder)/\($0)" }

    expectation = try reader.choice("expect") ?? .outputs
    distribution = try reader.choice("check")
    tolerance = try Tolerance(&reader)
    steps = try Self.steps(&reader, expectation: expectation)
    try reader.finish()
  }

  private static func steps(_ reader: inout CaseReader, expectation: Expectation) throws(CaseError) -> [Step] {
    let method = try reader.string("method")
    if let list = reader.take("steps") {
      guard case .array(let items) = list else { throw reader.fault("steps", "is not an array") }
      guard !items.isEmpty else { throw reader.fault("steps", "is empty") }
      var steps: [Step] = []
      for (index, item) in items.enumerated() {
        var stepReader = try CaseReader(item, path: reader.path, prefix: "steps[\(index)].")
        let stepMethod = try stepReader.string("method") ?? method
        steps.append(try step(&stepReader, method: stepMethod, expectation: expectation))
        try stepReader.finish()
      }
      return steps
    }
    return [try step(&reader, method: method, expectation: expectation)]
  }

  private static func step(
    _ reader: inout CaseReader, method: String?, expectation: Expectation
  ) throws(CaseError) -> Step {
    guard let inputs = try reader.arguments("inputs") else { throw reader.fault("inputs", "is missing") }
    let outputs = try reader.arguments("outputs")
    guard expectation != .outputs || outputs != nil else { throw reader.fault("outputs", "is missing") }
    return Step(method: method, inputs: inputs, outputs: outputs)
  }

  // MARK: Finding

  /// The folders with a `case.json` at or below a path, sorted. The path may also be that of a `case.json`.
  package static func folders(under path: String) throws(CaseError) -> [String] {
    var root = path
    while root.count > 1, root.hasSuffix("/") { root.removeLast() }
    if root.hasSuffix("/case.json") { root.removeLast("/case.json".count) }
    if root == "case.json" { root = "." }
    if FileManager.default.fileExists(atPath: "\(root)/case.json") { return [root] }
    var folders: [String] = []
    for item in (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []
    where item.hasSuffix("/case.json") {
      folders.append("\(root)/\(item.dropLast("/case.json".count))")
    }
    guard !folders.isEmpty else { throw .noCases(path: path) }
    return folders.sorted()
  }
}
