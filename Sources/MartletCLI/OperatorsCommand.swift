import ArgumentParser
import MartletConformance

/// `martlet operators`: what models may call.
struct OperatorsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "operators",
    abstract: "Tells which operators run with which element types.",
    discussion: """
      Runs a small call of every operator in every element type and prints, for each operator, the types with which it runs. The \
      page Documentation/Operators.md is the output of `martlet operators --markdown`.
      """)

  @Argument(help: "Only operators whose name contains this text.")
  var filter = ""

  @Flag(help: "Print a page in Markdown, with the reasons for what does not run.")
  var markdown = false

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: .hidden)
  var outputs = false

  func run() throws {
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
}
