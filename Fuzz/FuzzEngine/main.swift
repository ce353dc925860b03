import Foundation
import Martlet
import MartletFuzzing

/// libFuzzer's driver, linked by `-sanitize=fuzzer`.
@_extern(c, "LLVMFuzzerRunDriver")
func runFuzzer(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Opens, loads and runs `data` as a model file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  probe(unsafe Array(UnsafeBufferPointer(start: data, count: count)), seed: UInt64(count))
  return 0
}

/// Mutates the structure of a file. The mutators include libFuzzer's own changes to bytes.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutateInput(_ data: UnsafeMutablePointer<UInt8>?, _ count: Int, _ capacity: Int, _ seed: CUnsignedInt) -> Int {
  let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: count))
  let changed = mutated(bytes, seed: UInt64(seed)).prefix(capacity)
  if let data = unsafe data { for (index, byte) in changed.enumerated() { unsafe data[index] = byte } }
  return changed.count
}

/// The file with some structural changes.
func mutated(_ bytes: [UInt8], seed: UInt64) -> [UInt8] {
  CoreMLMutator.isModel(bytes) ? CoreMLMutator.mutate(bytes, seed: seed) : ProgramMutator.mutate(bytes, seed: seed)
}

@discardableResult
func probe(_ bytes: [UInt8], seed: UInt64) -> EngineProbe.Outcome {
  do {
    return try EngineProbe().run(bytes, seed: seed)
  } catch {
    fatalError("\(error)")
  }
}

let drive = Drive(
  Array(CommandLine.arguments.dropFirst(2)), kinds: [.model], outcomes: EngineProbe.Outcome.allCases.map(\.rawValue)
) { mutant in
  EngineProbe.Outcome.allCases.firstIndex(of: probe(mutant.bytes, seed: mutant.number))!
}

switch CommandLine.arguments.dropFirst().first {
case "drive": try drive.supervise()
case "work": try await drive.work()
case "make": try drive.make()
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
  var argumentCount = CommandLine.argc
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
  exit(unsafe runFuzzer(&argumentCount, &arguments, fuzzOneInput))
}
