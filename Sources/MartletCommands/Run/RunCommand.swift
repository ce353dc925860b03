import ArgumentParser
import FoundationEssentials
import MartletSystem
import MartletBytes
import Martlet
import MartletMedia
import MartletTensor

struct RunCommand: CommandWithJSON {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs a model once and shows its outputs.",
    discussion: """
      `martlet inspect MODEL` shows the names and shapes of the inputs. Examples:

        martlet run model.pte --input rand
        martlet run model.pte --input tokens=tokens.npy --input position=0 --output results.npz
        martlet run forest.mlmodel --table customers.csv --output predictions.csv
        martlet run classifier.pte --input cat.jpg --fit crop --mean 0.485,0.456,0.406 --std 0.229,0.224,0.225 --top 5
      """)

  @Argument(help: ArgumentHelp("The model: .pte, .bpte, .mlpackage, .mlmodel or .mlmodelc.", valueName: "model"))
  var path: String

  @OptionGroup var model: ModelArguments
  @OptionGroup var input: InputOptions

  @Option(
    help: ArgumentHelp(
      "Run for each row of a table, instead of --input.",
      discussion: """
        A .csv file with a column for each input, and NAME[0], NAME[1] ... for the elements of an array; columns without such names are the
        elements of an only input. Or a .npy or .npz file whose first axis is that of the rows.
        """, valueName: "file"))
  var table: String?

  @Option(
    help: ArgumentHelp(
      "Destination of the outputs: a .npz file, or a folder for .npy files; for a table a .csv or .npz file.",
      valueName: "folder or file"))
  var output: String?

  @Option(help: ArgumentHelp("Show the largest elements of the first output.", valueName: "count"))
  var top: Int?

  @Option(help: ArgumentHelp("File with the names of the classes for --top, one per line.", valueName: "file"))
  var labels: String?

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if let top, top < 1 { throw ValidationError("--top must be at least 1, not \(top).") }
    if labels != nil, top == nil { throw ValidationError("--labels needs --top.") }
    if table != nil, !input.inputs.isEmpty { throw ValidationError("--table and --input exclude each other.") }
    if table != nil, top != nil { throw ValidationError("--top does not apply to --table.") }
  }

  func run() throws {
    let loaded = try model.load(path)
    let signature = try loaded.signature(of: model.method)
    try loaded.checkKind(method: signature.name)
    if let table {
      try run(table: table, loaded, signature)
      return
    }
    let names = try labels.map { path throws(MediaError) in try LabelFile.read(path: path) }
    let inputs = try input.values(for: signature, fallsBackToRandom: false)
    let outputs = try loaded.run(inputs, method: signature.name)
    let named = zip(signature.outputs, outputs).map { NamedOutput(name: $0.name, value: $1) }
    let ranking = try top.map { try Ranking(named, count: $0, labels: names) }
    if let output { try store(named, to: output) }
    if json {
      var members: [JSONValue.Member] = [.init("method", .string(signature.name)), .init("outputs", .array(named.map(\.json)))]
      if let ranking { members.append(.init("top", ranking.json)) }
      print(JSONValue.object(members).text)
    } else {
      for output in named { print(output.text) }
      if let ranking { print(ranking.text) }
      if let output { print("stored in \(output)") }
    }
  }

  private func run(table: String, _ loaded: Model, _ signature: MethodSignature) throws {
    let columns = try TableInput(path: table, signature: signature).columns()
    let outputs = TableOutput(try loaded.run(table: columns, method: signature.name), of: signature)
    if let output { try outputs.store(to: output) }
    if json {
      print(outputs.json.text)
    } else {
      for line in outputs.lines(8) { print(line) }
      if let output { print("stored in \(output)") }
    }
  }

  private func store(_ outputs: [NamedOutput], to path: String) throws {
    let arrays = try outputs.compactMap { output in
      try output.stored.map { NumPyArchive.Array(name: output.name, tensor: $0.host) }
    }
    if path.lowercased().hasSuffix(".npz") {
      try NumPyArchive.write(arrays, path: path)
    } else if path.lowercased().hasSuffix(".npy") {
      guard arrays.count == 1 else {
        throw CommandFailure("\(path) holds only one array of \(Formatting.count(arrays.count, "output")): use .npz or a folder")
      }
      try NumPyFile.write(arrays[0].tensor, path: path)
    } else {
      do {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      } catch {
        throw CommandFailure("cannot create the folder \(path): \(error.fileReason)")
      }
      for array in arrays { try NumPyFile.write(array.tensor, path: "\(path)/\(array.name).npy") }
    }
  }
}
