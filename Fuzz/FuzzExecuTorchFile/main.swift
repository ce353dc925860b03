import Glibc
import MartletBytes
import MartletExecuTorchFile

/// libFuzzer's driver, linked by `-sanitize=fuzzer`.
@_extern(c, "LLVMFuzzerRunDriver")
func runFuzzer(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Reads `data` according to its file format; unknown formats are read as a payload of MPS, or of XNNPACK with the file as its named data. Reads
/// every byte of every view, so that the address sanitizer detects a view out of bounds.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe UnsafeBufferPointer(start: data, count: count)
  let file = unsafe MappedFile(copying: bytes, name: "input").bytes
  do {
    switch ExecuTorchFileKind(of: file) {
    case .program:
      try read(ExecuTorchProgram(file))
    case .flatTensor:
      for entry in try FlatTensorFile(file).entries.values { touch(entry.data) }
    case .bundledProgram:
      let bundle = try BundledProgram(file)
      try read(ExecuTorchProgram(bundle.program))
    case nil where file.hasBytes("MP00", at: 4):
      try read(MPSGraph.readings(of: file))
    case nil:
      try read(XNNPACKGraph(file) { _ in file })
    }
  } catch {
    // Rejecting an input is correct, but producing the description must not fail.
    precondition(!error.description.isEmpty)
  }
  return 0
}

func read(_ program: ExecuTorchProgram) throws(FileError) {
  for segment in program.segments { touch(segment) }
  for plan in program.plans {
    for value in plan.values {
      switch value.tensor?.data {
      case .constant(let data), .mutableInitialized(let data, _): touch(data)
      default: break
      }
    }
    for delegate in plan.delegates {
      touch(delegate.payload)
      if delegate.id == "MPSBackend" {
        try read(MPSGraph.readings(of: delegate.payload))
      } else {
        try read(XNNPACKGraph(delegate.payload) { program.namedData[$0] })
      }
    }
  }
}

func read(_ graph: XNNPACKGraph) {
  for value in graph.values {
    if let data = value.data { touch(data) }
    switch value.quantization {
    case .perChannel(_, let scales), .blockwise(_, _, let scales): unsafe sink &+= scales.values.count
    default: break
    }
  }
}

func read(_ readings: [MPSGraph]) {
  for value in readings.flatMap(\.values) {
    if let data = value.data { touch(data) }
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
