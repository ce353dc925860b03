import Foundation
import MartletCLI
import MartletFuzzing

/// Runs the commands of the tool on mutated files of every kind that they read: see `Drive` for the arguments.

let place = URL(fileURLWithPath: "/dev/shm/martlet-commands-\(getpid())")
let fixtures = "Tests/Fixtures"
/// Models that read the pictures and arrays.
let pictureModels = [
  "\(fixtures)/ops/aten_convolution_out__0/model.pte", "\(fixtures)/mil-opsets/images-iOS15/model.mlpackage",
  "\(fixtures)/mil-opsets/images-iOS17/model.mlpackage",
]
let arrayModels = ["\(fixtures)/xnnpack/forms/binary_3/model.pte", "\(fixtures)/ops/aten_convolution_out__0/model.pte"]
// The work limit ends loops that a mutation has made endless long before the driver would.
let limits = ["--memory-limit", "256M", "--work-limit", "100000"]

/// The commands for a file, or for the folder that it belongs to. Those that write do so inside `place`.
func commands(_ kind: FuzzCorpus.Kind, _ path: String) -> [[String]] {
  switch kind {
  case .model, .part:
    [
      ["inspect", path], ["inspect", path, "--json"], ["inspect", path, "--graph", "imported"], ["inspect", path, "--graph", "optimized"],
      ["plan", path], ["plan", path, "--measure", "--rounds", "1"], ["plan", path, "--precision", "fast"], ["plan", path, "--json"],
      ["run", path, "--input", "rand"], ["run", path, "--input", "rand", "--json"], ["run", path, "--input", "zeros"],
      ["bench", path, "--iterations", "1"],
    ] + (path.hasSuffix("pte") ? [] : [["compile", path, "--force", "--output", place.path + "/compiled.mlmodelc"]])
  case .recordedCase: [["verify", path], ["verify", path, "--json"]]
  case .picture:
    pictureModels.map { ["run", $0, "--input", path] } + pictureModels.map { ["run", $0, "--fit", "crop", "--input", path, "--json"] }
  case .array: arrayModels.flatMap { [["run", $0, "--input", path], ["run", $0, "--input", path, "--output", place.path + "/out.npz"]] }
  }
}

/// Writes the mutant and runs two of the commands on it.
func probe(_ mutant: FuzzCorpus.Mutant) async throws -> Int {
  // Discards the messages of earlier commands: the log ends with those of the last mutant and the report of a crash.
  ftruncate(STDERR_FILENO, 0)
  lseek(STDERR_FILENO, 0, SEEK_SET)
  var random = FuzzRandom(seed: mutant.number &+ 1)
  let files = FileManager.default
  let entry = mutant.entry
  var path = place.appendingPathComponent("file." + entry.file.pathExtension).path
  if let folder = entry.folder {
    let copy = place.appendingPathComponent("folder." + folder.pathExtension)
    path = copy.path
    try? files.removeItem(at: copy)
    try files.copyItem(at: folder, to: copy)
    let inner = entry.file.path.dropFirst(folder.path.count + 1)
    try Data(mutant.bytes).write(to: copy.appendingPathComponent(String(inner)))
  } else {
    try Data(mutant.bytes).write(to: URL(fileURLWithPath: path))
  }
  let commands = commands(entry.kind, path)
  var outcome = 0
  for _ in 0..<2 {
    let command = random.pick(commands)
    let status = await MartletCommand.perform(command + limits)
    let verb = verbs.firstIndex(of: command[0])!
    outcome = 2 * verb + (status == 0 ? 0 : 1)
  }
  return outcome
}

let verbs = ["inspect", "plan", "run", "bench", "compile", "verify"]
let drive = Drive(
  Array(CommandLine.arguments.dropFirst(2)), kinds: Set(FuzzCorpus.Kind.allCases),
  outcomes: verbs.flatMap { ["\($0): result", "\($0): error"] },
  probe: probe)
switch CommandLine.arguments.dropFirst().first {
case "drive": try drive.supervise()
case "work":
  try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: place) }
  // Discards the tables and graphs that commands print.
  dup2(unsafe open("/dev/null", O_WRONLY), STDOUT_FILENO)
  try await drive.work()
case "make": try drive.make()
case "replay":
  try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: place) }
  let corpus = try FuzzCorpus(CommandLine.arguments[3...], kinds: Set(FuzzCorpus.Kind.allCases))
  _ = try await probe(corpus.mutant(UInt64(CommandLine.arguments[2])!))
default: print("FuzzCommands drive FIRST COUNT ARTIFACTS CORPUS… | make NUMBER FILE CORPUS… | replay NUMBER CORPUS…")
}
