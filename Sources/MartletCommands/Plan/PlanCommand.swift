import ArgumentParser
import FoundationEssentials
import MartletSystem
import MartletBytes
import Martlet

struct PlanCommand: CommandWithJSON {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Shows the kernels and the cost of each operation of a model.",
    discussion: """
      Plans a method for its default input shapes and prints, for every operation of the file, its share of the estimated \
      time and the kernels that compute it. One kernel may compute several operations: its cost is divided among them. \
      Operations without a kernel are folded when planning, are part of another operation's weights, or only reinterpret \
      memory.

      Estimates are meant for comparing operations, not for predicting times; --measure runs the model and shows measured \
      times next to them.

        martlet plan model.mlpackage
        martlet plan model.pte --measure --html plan.html
      """)

  @Argument(help: ArgumentHelp("The model.", valueName: "model"))
  var path: String

  @OptionGroup var model: ModelArguments
  @OptionGroup var input: InputOptions

  @Flag(help: "Run the model and also show measured times; inputs that are not given are random.")
  var measure = false

  @Option(help: ArgumentHelp("Number of predictions to measure; the shortest time of each kernel is used.", valueName: "count"))
  var rounds = 10

  @Flag(help: "Sort operations by descending cost.")
  var byCost = false

  @Option(help: ArgumentHelp("Write a page with charts to a file that ends in .html.", valueName: "file"))
  var html: String?

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if rounds < 1 { throw ValidationError("--rounds must be at least 1, not \(rounds).") }
    if !measure, !input.inputs.isEmpty { throw ValidationError("--input needs --measure.") }
    if let html, !html.lowercased().hasSuffix(".html"), !html.lowercased().hasSuffix(".htm") {
      throw ValidationError("--html must end in .html, not '\(html)'.")
    }
  }

  func run() throws {
    let loaded = try model.load(path)
    let plan: ModelPlan
    if measure {
      let signature = try loaded.signature(of: model.method)
      let inputs = try input.values(for: signature, fallsBackToRandom: true)
      plan = try loaded.measuredPlan(inputs, method: signature.name, rounds: rounds)
    } else {
      // Also the name of one of several graphs.
      plan = try loaded.plan(method: model.method)
    }
    let report = PlanReport(plan, name: loaded.url.lastPathComponent)
    if let html {
      do {
        try PlanPage(report).text.write(toFile: html, atomically: true, encoding: .utf8)
      } catch {
        throw CommandFailure("cannot write \(html): \(error.fileReason)")
      }
    }
    if json {
      print(report.json.text)
    } else if html == nil {
      print(report.text(byCost: byCost))
    }
  }
}
