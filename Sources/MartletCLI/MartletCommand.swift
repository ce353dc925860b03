package import ArgumentParser
import MartletBytes
import MartletSystem
import MartletCommands
import MartletTensor

/// The command line tool `martlet`.
package struct MartletCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "martlet",
    abstract: "Runs ExecuTorch models on this machine's CPU.",
    discussion: """
      Start with `martlet classify`, which classifies a photograph with a bundled model, with \
      `martlet complete --prompt "Once upon a time"`, which writes a story with another one, or with \
      `martlet inspect MODEL.pte`, which shows the inputs and outputs of a model.

      Errors go to standard error, and the exit status is then 1. With --json standard output has the parts of the error.
      """,
    version: "0.1.0",
    subcommands: EngineCommands.all + [VerifyCommand.self, OperatorsCommand.self])

  package init() {}

  /// Parses `arguments` and runs the command. Failures are reported on standard error.
  /// - Returns: the exit status: 0, or 1 for a failure.
  package static func perform(_ arguments: [String]) async -> Int32 {
    do {
      return await perform(try parseAsRoot(arguments))
    } catch {
      return report(error)
    }
  }

  /// Runs a parsed command. Failures are reported on standard error.
  /// - Returns: the exit status: 0, or 1 for a failure.
  package static func perform(_ command: any ParsableCommand) async -> Int32 {
    var command = command
    do {
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      guard fflush(nil) == 0 else { throw CommandFailure("standard output cannot be written: \(systemMessage(errno))") }
      return 0
    } catch {
      if Cancellation.current?.isCancelled == true { return (error as? ExitCode)?.rawValue ?? 1 }
      if (command as? any CommandWithJSON)?.json == true, !(error is ExitCode) {
        print(JSONValue.members(["error": .parts(of: error)]).text)
      }
      return report(error)
    }
  }

  /// Runs the command of a process of its own. Signals that end a process cancel the command first, so that it removes partial files.
  package static func main(_ arguments: [String]) async -> Int32 {
    Interruption.begin()
    let status = await Cancellation.$current.withValue(Interruption.cancellation) { await perform(arguments) }
    // A command that a signal ends in the way it should chooses its own status.
    if status != Interruption.exitStatus { Interruption.finish() }
    return status
  }

  private static func report(_ error: any Error) -> Int32 {
    // Help and version are not failures: they go to standard output.
    if exitCode(for: error) == .success {
      print(fullMessage(for: error))
      return fflush(nil) == 0 ? 0 : 1
    }
    if !(error is ExitCode) {
      var message = fullMessage(for: error)
      if message.hasPrefix("Error: ") { message.removeFirst("Error: ".count) }
      Terminal.clearProgress()
      Terminal.report(message)
    }
    return 1
  }
}
