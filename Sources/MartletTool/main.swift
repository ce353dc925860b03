import MartletSystem
import MartletCLI

exit(await MartletCommand.main(Array(CommandLine.arguments.dropFirst())))
