import ArgumentParser
import Foundation
import Martlet
import MartletConformance

struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks models against recorded inputs and outputs.",
    discussion: """
      Walks the folders for case.json files, runs each case's model on its recorded inputs and compares every element \
      with the recorded outputs. Prints a line for every difference, and the counts on the last line. \
      Documentation/RecordedCases.md describes the format.
      """)

  @Argument(help: "Folders that hold cases, at any depth.")
  var paths: [String]

  @Option(help: "Only cases whose folder contains this text.")
  var filter: String?

  @Option(help: "Cases that run at once.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  @Flag(help: "Print the report as JSON.")
  var json = false

  func run() async throws {
    var options = ModelOptions()
    options.threads = jobs > 1 ? 1 : nil
    let runner = CaseRunner(concurrency: jobs) { [options] recorded in try ModelCase(recorded, options: options) }
    let report: CaseReport
    do {
      report = try await runner.run(paths: paths, filter: filter)
    } catch {
      FileHandle.standardError.write(Data("martlet verify: \(error)\n".utf8))
      throw ExitCode.failure
    }
    print(json ? report.json.text : report.text)
    if report.failedCount > 0 { throw ExitCode.failure }
  }
}
