import MartletBytes
import MartletExecuTorchFile
import MartletImport
import MartletTensor

/// Inputs of a method and their expected outputs, as recorded in a bundle (`.bpte`).
public struct RecordedRun: Sendable {
  public let method: String
  /// Index among the recorded runs of the method.
  public let position: Int
  public let inputs: [ModelValue]
  public let expectedOutputs: [ModelValue]
}

extension Model {
  /// The recorded runs of a bundle, method by method; empty for other files.
  /// - Throws: `MartletError` of the kind `unsupported` for a tensor whose element type the engine does not support.
  public func recordedRuns() throws -> [RecordedRun] {
    try (bundle?.testSuites ?? []).flatMap { suite in
      try suite.testCases.enumerated().map { position, run in
        RecordedRun(
          method: suite.methodName, position: position, inputs: try run.inputs.map { try ModelValue($0) },
          expectedOutputs: try run.expectedOutputs.map { try ModelValue($0) })
      }
    }
  }
}

extension ModelValue {
  fileprivate init(_ value: BundledProgram.Value) throws {
    switch value {
    case .int(let value): self = .int(Int(widening: value))
    case .bool(let value): self = .bool(value)
    case .double(let value): self = .double(value)
    case .none: self = .none
    case .tensor(let layout, let bytes):
      guard let dtype = DType(layout.scalarType) else {
        throw MartletError.unsupported("a recorded tensor has the element type \(layout.scalarType)")
      }
      guard let stored = HostTensor(dtype: dtype, shape: layout.sizes, bytes: bytes.array) else {
        throw MartletError.invalidFile("a recorded tensor of shape \(layout.sizes) has \(bytes.count) bytes")
      }
      self = .tensor(Tensor(layout.isContiguous ? stored : stored.rowMajor(dimOrder: layout.dimOrder)))
    }
  }
}

extension HostTensor {
  /// Converts the tensor to row-major order. `dimOrder` lists the axes as stored, outermost first.
  fileprivate func rowMajor(dimOrder: [Int]) -> HostTensor {
    let width = dtype.byteCount
    var strides = [Int](repeating: 0, count: shape.count)
    var stride = 1
    for axis in dimOrder.reversed() {
      strides[axis] = stride
      // In range: a tensor in memory.
      stride *= shape[axis]
    }
    var result = HostTensor(zeros: dtype, shape: shape)
    unsafe withUnsafeBytes { source in
      unsafe result.withUnsafeMutableBytes { target in
        var index = [Int](repeating: 0, count: shape.count)
        for position in 0..<elementCount {
          // Both offsets are in bounds because the index is inside the shape.
          let offset = zip(index, strides).reduce(0) { $0 + $1.0 * $1.1 }
          // In range: a tensor in memory.
          let (to, from) = (position * width, offset * width)
          unsafe target.baseAddress!.advanced(by: to).copyMemory(from: source.baseAddress!.advanced(by: from), byteCount: width)
          for axis in shape.indices.reversed() {
            index[axis] += 1
            if index[axis] < shape[axis] { break }
            index[axis] = 0
          }
        }
      }
    }
    return result
  }
}
