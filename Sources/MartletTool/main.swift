import Foundation
import MartletCLI

exit(await MartletCommand.perform(Array(CommandLine.arguments.dropFirst())))
