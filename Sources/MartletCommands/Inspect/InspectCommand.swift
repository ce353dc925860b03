import ArgumentParser
import FoundationEssentials
import MartletSystem
import MartletBytes
import Martlet

struct InspectCommand: CommandWithJSON {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Shows the contents of a model file.",
    discussion: """
      Prints the methods with their inputs and outputs, the number of calls of each operator, delegates, and the sizes of \
      constants and state. Nothing is loaded, and weights are not read. FILE is a program (.pte), a bundle (.bpte) or \
      external weights (.ptd).

      With --graph, prints a method's graph instead, as in the file (imported) or as it is run (optimized). With \
      --graph-output, draws the graph to a page:

        martlet inspect model.pte --graph optimized --graph-output graph.html
      """)

  @Argument(help: ArgumentHelp("The file.", valueName: "file"))
  var path: String

  @Option(help: ArgumentHelp("Print the graph: imported or optimized.", valueName: "stage"))
  var graph: Stage?

  @Option(help: ArgumentHelp("Draw the graph to a file that ends in .html or .svg.", valueName: "file"))
  var graphOutput: String?

  @Option(help: "The method whose graph to print; default: forward, or the first one.")
  var method: String?

  @Option(
    name: .customLong("data"), parsing: .singleValue,
    help: ArgumentHelp("A file with the program's external weights (.ptd); may be repeated.", valueName: "file"))
  var dataFiles: [String] = []

  @Flag(help: "Print JSON.")
  var json = false

  enum Stage: String, ExpressibleByArgument, CaseIterable {
    case imported, optimized
    var stage: GraphStage { self == .imported ? .imported : .optimized }
  }

  @OptionGroup var limits: LimitOptions

  @OptionGroup var files: FileOptions

  func validate() throws {
    if let graphOutput, GraphPage.Format(path: graphOutput) == nil {
      throw ValidationError("--graph-output must end in .html or .svg, not '\(graphOutput)'.")
    }
  }

  func run() throws {
    try requireFile(path)
    if graph != nil || graphOutput != nil {
      try showGraph()
    } else {
      let inspection = try ModelInspection(
        contentsOf: URL(fileURLWithPath: path), dataFiles: dataFiles.map { URL(fileURLWithPath: $0) },
        options: limits.begin(reading: files))
      print(json ? inspection.json.text : inspection.text)
    }
  }

  private func showGraph() throws {
    var options = limits.begin(reading: files)
    options.dataFiles = dataFiles.map { URL(fileURLWithPath: $0) }
    options.threads = 1
    let model = try Model(contentsOf: URL(fileURLWithPath: path), options: options)
    let stage = (graph ?? .optimized).stage
    let description = try model.graph(method: method, stage: stage)
    if let graphOutput, let format = GraphPage.Format(path: graphOutput) {
      let page = GraphPage(description, title: "\(model.url.lastPathComponent) – \(description.name), \(stage.rawValue)")
      let text = page.text(format)
      do {
        try text.write(toFile: graphOutput, atomically: true, encoding: .utf8)
      } catch {
        throw CommandFailure("cannot write \(graphOutput): \(error.fileReason)")
      }
      if !json { print("\(graphOutput): \(Formatting.count(description.nodes.count, "node")), \(Formatting.bytes(text.utf8.count))") }
    }
    if json {
      print(description.json.text)
    } else if graphOutput == nil {
      print(try model.graphDump(method: method, optimized: stage == .optimized))
    }
  }
}
