import Glibc
import MartletBytes
import MartletCoreMLFile

/// libFuzzer's driver, linked by `-sanitize=fuzzer`.
@_extern(c, "LLVMFuzzerRunDriver")
func runFuzzer(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Reads `data` as the part of a model that its first bytes indicate: a text program, a manifest, a weight file, the description of a
/// compiled model (another compiler's or ours), or otherwise a model file. All other parts are valid, and weights are the input itself.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe UnsafeBufferPointer(start: data, count: count)
  let input = unsafe MappedFile(copying: bytes, name: "input").bytes
  do throws(FileError) {
    if input.hasBytes("program", at: 0) {
      try read(CoreMLModel(CoreMLFolder(files: ["coremldata.bin": description, "model.mil": input, "weights/weight.bin": input])))
    } else if input.hasBytes("{", at: 0) {
      try read(CoreMLModel(CoreMLFolder(files: ["Manifest.json": input, "Data/com.apple.CoreML/model.mlmodel": input])))
    } else if input.hasBytes("[", at: 0) {
      try read(CoreMLModel(CoreMLFolder(files: ["coremldata.bin": description, "model.mil": program, "metadata.json": input])))
    } else if input.hasBytes("MARTLETM", at: 0) {
      try read(CoreMLModel(CoreMLFolder(files: ["martlet/model.bin": input, "weights/weight.bin": input])))
    } else if input.hasBytes("\u{2}", at: 4) || input.hasBytes("\u{1}", at: 4) {
      let file = try WeightFile(input)
      for offset in stride(from: 64, to: UInt64(count), by: 64) {
        if let blob = try? file.blob(at: offset) { touch(blob.data) }
      }
    } else if input.hasBytes("generic", at: 36) {
      try read(CoreMLModel(CoreMLFolder(files: ["coremldata.bin": input, "model.mil": program])))
    } else {
      try read(CoreMLModel(specification: input, weights: CoreMLFolder(files: ["weights/weight.bin": input])))
    }
  } catch {
    // Rejecting an input is correct, but producing the description must not fail.
    precondition(!error.description.isEmpty)
  }
  return 0
}

/// A valid text program, and the description of a compiled model with the output `y`.
let program = MappedFile(copying: "program(1.3) { func main<ios18>(fp32 x) { } -> (x); }".utf8).bytes
let description = MappedFile(copying: [13, 0, 0, 0, 0, 0, 0, 0, 0x52, 11, 10, 1, 0x79, 26, 6, 0x2A, 4, 16, 0xA0, 0x80, 4] as [UInt8]).bytes

func read(_ model: CoreMLModel) {
  switch model.content {
  case .program(let program):
    for function in program.functions {
      read(function.block)
      for value in function.attributes.values { read(value) }
    }
  case .pipeline(let stages):
    for stage in stages { read(stage.model) }
  case .classic(let model): _ = model.hashValue
  case .network(let network): _ = network.layerCount
  }
}

func read(_ block: MILBlock) {
  for operation in block.operations {
    for argument in operation.inputs.values {
      for case .value(let value) in argument.bindings { read(value) }
    }
    for value in operation.attributes.values { read(value) }
    for block in operation.blocks { read(block) }
  }
}

func read(_ value: MILValue) {
  switch value {
  case .tensor(let tensor):
    touch(tensor.data)
    if tensor.elementCount < 1 << 16 {
      precondition(tensor.integers.map { $0.count == tensor.elementCount } ?? true)
      precondition(tensor.doubles.map { $0.count == tensor.elementCount } ?? true)
    }
  case .list(let values, _), .tuple(let values): for value in values { read(value) }
  case .dictionary(let pairs):
    for pair in pairs {
      read(pair.key)
      read(pair.value)
    }
  }
}

/// Prevents reads from being optimised away.
nonisolated(unsafe) var sink = 0

func touch(_ view: ByteView) {
  // The first and the last byte show whether the whole range is in bounds.
  unsafe view.withUnsafeBytes { bytes in
    if let first = unsafe bytes.first, let last = unsafe bytes.last { unsafe sink &+= Int(first) &+ Int(last) }
  }
}

var argumentCount = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
exit(unsafe runFuzzer(&argumentCount, &arguments, fuzzOneInput))
