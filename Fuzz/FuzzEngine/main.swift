import Foundation
import MartletModelFuzzing

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
  let changed = ModelFileMutator.mutation(bytes, "", UInt64(seed), []).prefix(capacity)
  if let data = unsafe data { for (index, byte) in changed.enumerated() { unsafe data[index] = byte } }
  return changed.count
}

func probe(_ bytes: [UInt8], seed: UInt64) {
  do {
    _ = try EngineProbe().run(bytes, seed: seed)
  } catch {
    fatalError("\(error)")
  }
}

var argumentCount = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
exit(unsafe runFuzzer(&argumentCount, &arguments, fuzzOneInput))
