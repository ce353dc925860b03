import Foundation
import Martlet
import MartletFuzzing
import MartletModelFuzzing

/// Runs mutated and damaged models through the engine: see `Drive` for the arguments of the driver, `Scan` for those of the scanner.

@discardableResult
func probe(_ bytes: [UInt8], seed: UInt64) -> EngineProbe.Outcome {
  do {
    return try EngineProbe().run(bytes, seed: seed)
  } catch {
    fatalError("\(error)")
  }
}

nonisolated(unsafe) var models: ModelProbe?
let drive = try Drive(
  models: Array(CommandLine.arguments.dropFirst(2)), outcomes: EngineProbe.Outcome.allCases.map(\.rawValue)
) { mutant in
  try EngineProbe.Outcome.allCases.firstIndex(of: unsafe models!.run(mutant))!
}

switch CommandLine.arguments.dropFirst().first {
case "drive":
  try drive.supervise()
  LinkFolder.remove()
case "work":
  unsafe models = try ModelProbe(drive.arguments.dropFirst(3))
  try await drive.work()
case "make": try drive.make()
case "try":
  // NUMBER FOLDER…: runs one mutant as a worker does.
  unsafe models = try ModelProbe(drive.arguments.dropFirst())
  defer { LinkFolder.remove() }
  print(try unsafe models!.run(drive.mutant()))
case "scan":
  var scan = Scan(Array(CommandLine.arguments.dropFirst(2)))
  try scan.run()
case "explain":
  let model = try Model(contentsOf: URL(fileURLWithPath: CommandLine.arguments[2]))
  for method in model.methods {
    print(method)
    for optimized in [false, true] { print(Result { try model.graphDump(method: method.name, optimized: optimized) }) }
  }
case "replay":
  for path in CommandLine.arguments.dropFirst(2) {
    let url = URL(fileURLWithPath: path)
    let bytes = [UInt8](try Data(contentsOf: url))
    // The driver names a file by its number, which was also the seed of the inputs.
    let own = UInt64(url.deletingPathExtension().lastPathComponent)
    for seed in (0..<8) + (own.map { [$0] } ?? []) { print(path, probe(bytes, seed: seed)) }
  }
default:
  print(
    "FuzzModels drive [--kinds KIND,…] FIRST COUNT ARTIFACTS FOLDER… | make [--kinds KIND,…] NUMBER FILE FOLDER… | "
      + "try [--kinds KIND,…] NUMBER FOLDER… | replay FILE… | explain FILE | scan COUNT FOLDER…")
}
