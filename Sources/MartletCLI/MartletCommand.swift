import ArgumentParser
import Foundation
import MartletConformance

/// A command that prints JSON if asked to, also for an error.
protocol CommandWithJSON: ParsableCommand {
  var json: Bool { get }
}

@main
struct MartletCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "martlet",
    abstract: "Runs ExecuTorch models on this machine's CPU.",
    discussion: """
      Start with `martlet classify`, which classifies a photograph with the bundled model, or \
      with `martlet inspect MODEL.pte`, which shows the inputs and outputs of a model.

      Errors go to standard error, and the exit status is then 1. With --json standard output has the parts of the error.
      """,
    version: "0.1.0",
    subcommands: [
      ClassifyCommand.self, InspectCommand.self, RunCommand.self, VerifyCommand.self, BenchCommand.self, CompileCommand.self,
      PlanCommand.self, OperatorsCommand.self,
    ])

  /// Parses the command line and runs the command. Every failure is reported on standard error with status 1.
  static func main() async {
    var printsJSON = false
    do {
      var command = try await asyncParse()
      printsJSON = (command as? any CommandWithJSON)?.json ?? false
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      guard fflush(nil) == 0 else { throw CommandFailure("standard output cannot be written: \(unsafe String(cString: strerror(errno)))") }
    } catch {
      if printsJSON, !(error is ExitCode) { print(JSONValue.members(["error": .parts(of: error)]).text) }
      Self.end(with: error)
    }
  }

  private static func asyncParse() async throws -> any ParsableCommand { try parseAsRoot() }

  private static func end(with error: any Error) -> Never {
    // Help and version are not failures: they go to standard output.
    if exitCode(for: error) == .success { exit(withError: error) }
    if !(error is ExitCode) {
      var message = fullMessage(for: error)
      if message.hasPrefix("Error: ") { message.removeFirst("Error: ".count) }
      Terminal.clearProgress()
      Terminal.report(message)
    }
    Foundation.exit(1)
  }
}
