import ArgumentParser
import MartletSystem
import MartletBytes
import Martlet
import MartletCommands
import MartletConformance

/// `martlet operators`: the operators that models may call.
struct OperatorsCommand: AsyncParsableCommand, CommandWithJSON {
  static let configuration = CommandConfiguration(
    commandName: "operators",
    abstract: "Lists the supported element types of every operator.",
    discussion: """
      Runs a small call of every operator with every element type and prints the types that work for each operator. The \
      page Documentation/Operators.md is the output of `martlet operators --markdown`.

      With --mil, lists the operator sets in which the operators of ML Programs run: runs the recorded cases in a folder \
      and counts the programs that prove it. Documentation/MILOperators.md is made this way.

      With --kinds, counts the recorded cases in a folder for each kind of Core ML model: Documentation/ModelKinds.md.

      With --contracts, prints the operands and the accuracy of the engine's operators: Documentation/OperatorContracts.md.
      """)

  @Argument(help: "Only operators whose name contains this text.")
  var filter = ""

  @Option(help: ArgumentHelp("Check operators of ML Programs with the cases in this folder; may be repeated.", valueName: "folder"))
  var mil: [String] = []

  @Option(help: ArgumentHelp("Count the cases in this folder for each kind of Core ML model; may be repeated.", valueName: "folder"))
  var kinds: [String] = []

  @Flag(help: "Print a Markdown page with the reasons for unsupported types.")
  var markdown = false

  @Flag(help: "Print the page of the engine's own operators: their operands, element types and accuracy.")
  var contracts = false

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: .hidden)
  var outputs = false

  func run() async throws {
    if contracts { return print(OperatorContracts.markdown, terminator: "") }
    if !kinds.isEmpty { return try showKinds() }
    if !mil.isEmpty { return try await showPrograms() }
    let table = OperatorTable(filter: filter)
    if table.rows.isEmpty { throw CommandFailure("no operator has a name that contains '\(filter)'") }
    if markdown {
      print(table.markdown, terminator: "")
    } else if json || outputs {
      print((outputs ? table.outputs : table.json).text)
    } else {
      for row in table.rows {
        print("\(row.op): \(row.cells.filter(\.works).map(\.column.name).joined(separator: " "))")
      }
    }
  }
  private func showKinds() throws {
    let table = try ModelKindTable(cases: kinds)
    if markdown { return print(table.markdown, terminator: "") }
    if json { return print(table.json.text) }
    for row in table.rows where filter.isEmpty || row.kind.contains(filter) {
      print("\(row.kind): \(row.caseCount > 0 ? "\(row.caseCount)" : row.error ?? "no case")")
    }
  }

  private func showPrograms() async throws {
    let table = try await MILOperatorTable(cases: mil, concurrency: ModelOptions.defaultThreads)
    for failure in table.failures { Terminal.report("\(failure.path) does not return its recorded results") }
    let rows = table.rows.filter { filter.isEmpty || $0.op.contains(filter) }
    if rows.isEmpty { throw CommandFailure("no operator has a name that contains '\(filter)'") }
    if markdown {
      print(table.markdown, terminator: "")
    } else if json {
      print(table.json.text)
    } else {
      let head = ["operator"] + MILOperatorTable.releases.map { "iOS \($0)" }
      let cells = rows.map { row in [row.op] + row.cells.map { $0.text.filter { $0 != "*" } } }
      print(Formatting.table([head] + cells, [.left] + head.dropFirst().map { _ in .right }).joined(separator: "\n"))
    }
    if !table.failures.isEmpty { throw ExitCode.failure }
  }
}
