import ArgumentParser

@main
struct MartletCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "martlet",
    abstract: "Runs ExecuTorch models on this machine's processor.",
    subcommands: [VerifyCommand.self])
}
