import ArgumentParser
import Foundation
import Martlet
import MartletConformance

/// `martlet operators`: what models may call.
struct OperatorsCommand: AsyncParsableCommand, CommandWithJSON {
  static let configuration = CommandConfiguration(
    commandName: "operators",
    abstract: "Tells which operators run with which element types.",
    discussion: """
      Runs a small call of every operator in every element type and prints, for each operator, the types with which it runs. The \
      page Documentation/Operators.md is the output of `martlet operators --markdown`.

      With --mil it tells which operators of ML Programs run in which operator sets: it runs the recorded cases in a folder \
      and counts the programs that show it. Documentation/MILOperators.md is made this way.
      """)

  @Argument(help: "Only operators whose name contains this text.")
  var filter = ""

  @Option(help: ArgumentHelp("Operators of ML Programs, by the recorded cases in this folder; may be repeated.", valueName: "folder"))
  var mil: [String] = []

  @Flag(help: "Print a page in Markdown, with the reasons for what does not run.")
  var markdown = false

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: .hidden)
  var outputs = false

  func run() async throws {
    if !mil.isEmpty { return try await showPrograms() }
    let table = OperatorTable(filter: filter)
    if table.rows.isEmpty { throw CommandFailure("no operator's name contains '\(filter)'") }
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
  private func showPrograms() async throws {
    let table = try await MILOperatorTable(cases: mil, concurrency: ModelOptions.defaultThreads)
    for failure in table.failures { Terminal.report("\(failure.path) does not give its recorded results") }
    let rows = table.rows.filter { filter.isEmpty || $0.op.contains(filter) }
    if rows.isEmpty { throw CommandFailure("no operator's name contains '\(filter)'") }
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
