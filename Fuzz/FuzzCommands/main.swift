import ArgumentParser
import Foundation
import MartletCLI
import MartletFuzzing
import MartletModelFuzzing

/// Runs the commands of the tool on mutated files of every kind that they read: see `Drive` for the arguments.

/// One folder for all workers of a driver, so that those that die leave nothing behind.
let place = URL(fileURLWithPath: "/dev/shm/martlet-commands-\(CommandLine.arguments.dropFirst().first == "work" ? getppid() : getpid())")
let fixtures = "Tests/Fixtures"
/// Models that read the pictures and arrays.
let pictureModels = [
  "\(fixtures)/ops/aten_convolution_out__0/model.pte", "\(fixtures)/mil-opsets/images-iOS15/model.mlpackage",
  "\(fixtures)/mil-opsets/images-iOS17/model.mlpackage",
]
let arrayModels = ["\(fixtures)/xnnpack/forms/binary_3/model.pte", "\(fixtures)/ops/aten_convolution_out__0/model.pte"]
/// A model that continues text, and its tokenizer.
let textModel = "\(fixtures)/text/decoder.pte"
let textTokenizer = "\(fixtures)/text/tokenizer.json"
// The work limit ends loops that a mutation has made endless long before the driver would.
let limits = ["--memory-limit", "256M", "--work-limit", "100000"]

/// The commands for a file, or for the folder that it belongs to. Those that write do so inside `place`.
/// - Parameter samples: a file to train the model with.
func commands(_ kind: FuzzCorpus.Kind, _ path: String, samples: String?) -> [[String]] {
  switch kind {
  case .model where samples != nil:
    // Of others, too, in that a model that cannot be trained is refused.
    ["1", "2"].map {
      ["train", path, "--data", samples ?? "", "--epochs", $0, "--test", samples ?? "", "--output", place.path + "/trained.mlmodel"]
    } + [["inspect", path], ["run", path, "--input", "rand"]]
  case .model, .part:
    [
      ["inspect", path], ["inspect", path, "--json"], ["inspect", path, "--graph", "imported"], ["inspect", path, "--graph", "optimized"],
      ["plan", path], ["plan", path, "--measure", "--rounds", "1"], ["plan", path, "--precision", "fast"], ["plan", path, "--json"],
      ["run", path, "--input", "rand"], ["run", path, "--input", "rand", "--json"], ["run", path, "--input", "zeros"],
      ["bench", path, "--iterations", "1"],
    ]
      + (path.hasSuffix("pte")
        ? [complete(path, textTokenizer)] : [["compile", path, "--force", "--output", place.path + "/compiled.mlmodelc"]])
  case .recordedCase: [["verify", path], ["verify", path, "--json"]]
  case .picture:
    pictureModels.map { ["run", $0, "--input", path] } + pictureModels.map { ["run", $0, "--fit", "crop", "--input", path, "--json"] }
  case .array: arrayModels.flatMap { [["run", $0, "--input", path], ["run", $0, "--input", path, "--output", place.path + "/out.npz"]] }
  case .tokenizer:
    [
      ["tokenize", path, "the one <s> hello"], ["tokenize", path, "--special", "--json", "the one <s> hello"],
      ["tokenize", path, "--decode", "0 1 2"], complete(textModel, path),
    ]
  }
}

func complete(_ model: String, _ tokenizer: String) -> [String] {
  ["complete", model, "--tokenizer", tokenizer, "--prompt", "A lighthouse", "--max-tokens", "3", "--seed", "1"]
}

/// Commands by their arguments: parsing takes as long as most of them.
nonisolated(unsafe) var parsed: [[String]: any ParsableCommand] = [:]
/// Copies of the folders whose files are mutated, by their paths.
nonisolated(unsafe) var copies: [String: URL] = [:]

/// A copy of `folder` inside `place`.
func copy(of folder: URL) throws -> URL {
  if let known = unsafe copies[folder.path] { return known }
  let copy = place.appendingPathComponent("copy-\(unsafe copies.count)")
  try FileManager.default.copyItem(at: folder, to: copy)
  unsafe copies[folder.path] = copy
  return copy
}

/// Writes a file that has been at rest for a while: opening one that was written in the same tick of the clock waits for the next.
func write(_ bytes: [UInt8], to url: URL) throws {
  try Data(bytes).write(to: url)
  let time = timespec(tv_sec: 1_000_000_000, tv_nsec: 0)
  guard unsafe utimensat(AT_FDCWD, url.path, [time, time], 0) == 0 else { throw CocoaError(.fileWriteUnknown) }
}

/// Writes the mutant and runs one of the commands on it.
func probe(_ mutant: FuzzCorpus.Mutant) async throws -> Int {
  // Discards the messages of earlier commands: the log ends with those of the last mutant and the report of a crash.
  ftruncate(STDERR_FILENO, 0)
  lseek(STDERR_FILENO, 0, SEEK_SET)
  let entry = mutant.entry
  guard let folder = entry.folder else {
    let file = place.appendingPathComponent("file." + entry.file.pathExtension)
    try write(mutant.bytes, to: file)
    return try await run(mutant, file.path)
  }
  let copy = try copy(of: folder)
  let inner = String(entry.file.path.dropFirst(folder.path.count + 1))
  try write(mutant.bytes, to: copy.appendingPathComponent(inner))
  // The folder has the same path for every mutant, so that the commands need not be parsed again.
  let path = place.appendingPathComponent("folder." + folder.pathExtension).path
  guard unsafe rename(copy.path, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
  let outcome = try await run(mutant, path)
  guard unsafe rename(path, copy.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
  try write(entry.bytes, to: copy.appendingPathComponent(inner))
  return outcome
}

func run(_ mutant: FuzzCorpus.Mutant, _ path: String) async throws -> Int {
  var random = FuzzRandom(seed: mutant.number &+ 1)
  let file = mutant.entry.file
  let samples = [file.deletingPathExtension().path + ".csv", file.deletingLastPathComponent().path + "/samples.npz"]
    .first { FileManager.default.fileExists(atPath: $0) }
  let arguments = random.pick(commands(mutant.entry.kind, path, samples: samples))
  let command = try unsafe parsed[arguments] ?? MartletCommand.parseAsRoot(arguments + (arguments[0] == "tokenize" ? [] : limits))
  unsafe parsed[arguments] = command
  var status = await MartletCommand.perform(command)
  if arguments[0] == "train", status == 0 {
    // What was written loads and can be trained again.
    let again = ["train", place.path + "/trained.mlmodel"] + arguments.dropFirst(2)
    status = await MartletCommand.perform(try MartletCommand.parseAsRoot(again + limits))
    if status != 0 { fatalError("a trained model cannot be trained again") }
  }
  return 2 * verbs.firstIndex(of: arguments[0])! + (status == 0 ? 0 : 1)
}

let verbs = ["inspect", "plan", "run", "bench", "compile", "verify", "train", "tokenize", "complete"]
/// The files of every kind below some folders.
func corpus(_ folders: ArraySlice<String>) throws -> FuzzCorpus {
  try FuzzCorpus(folders, kinds: Set(FuzzCorpus.Kind.allCases), mutation: ModelFileMutator.mutation)
}

let drive = Drive(
  Array(CommandLine.arguments.dropFirst(2)), outcomes: verbs.flatMap { ["\($0): result", "\($0): error"] }, source: corpus, probe: probe)
switch CommandLine.arguments.dropFirst().first {
case "drive": try drive.supervise()
case "work":
  try? FileManager.default.removeItem(at: place)
  try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: place) }
  // Discards the tables and graphs that commands print.
  dup2(unsafe open("/dev/null", O_WRONLY), STDOUT_FILENO)
  try await drive.work()
case "make": try drive.make()
case "replay":
  try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: place) }
  _ = try await probe(drive.mutant())
default: print("FuzzCommands drive FIRST COUNT ARTIFACTS CORPUS… | make NUMBER FILE CORPUS… | replay NUMBER CORPUS…")
}
