import Foundation
import Martlet
import MartletCLI
import MartletFuzzing
import Synchronization

/// Long runs with many threads, and the latency of cancellations: see Fuzz/README.md.

let arguments = Array(CommandLine.arguments.dropFirst())
let usage = """
  Soak soak SECONDS THREADS MODEL…
  Soak vision SECONDS THREADS MODEL…
  Soak cancel ROUNDS MODEL…
  """

/// Writes a line at once, also to a pipe.
func printLine(_ line: String) {
  print(line)
  fflush(nil)
}

switch arguments.first {
case "soak" where arguments.count > 3:
  guard let seconds = Int(arguments[1]), let threads = Int(arguments[2]) else { fatalError(usage) }
  let subjects = try arguments[3...].map { try Subject(path: $0) }
  exit(Soak(subjects).run(seconds: seconds, threadCount: threads) ? 0 : 1)
case "vision" where arguments.count > 3:
  guard let seconds = Int(arguments[1]), let threads = Int(arguments[2]) else { fatalError(usage) }
  exit(try VisionSoak(paths: arguments[3...]).run(seconds: seconds, threadCount: threads) ? 0 : 1)
case "cancel" where arguments.count > 2:
  guard let rounds = Int(arguments[1]) else { fatalError(usage) }
  for path in arguments[2...] { try CancellationLatency(try Subject(path: path)).measure(rounds: rounds) }
default: print(usage)
}
