import MartletCompiler
package import MartletGraph
import MartletOps
import MartletRuntime
package import MartletTensor

/// The only result, a tensor, of a graph of tensors. No passes run.
package func runGraph(_ graph: Graph, _ inputs: [HostTensor], threads: Int = 2) throws -> HostTensor {
  let method = try CompiledMethod(graph, packed: PackedStore(), states: StateStore(), threads: WorkerThreads(threads))
  let results = try method.run(
    inputs.map { unsafe .tensor(TensorType($0.dtype, $0.shape), UnsafeRawPointer($0.sharedStorage.pointer)) })
  withExtendedLifetime(inputs) {}
  guard case .tensor(let tensor) = results[0] else { throw HarnessError.noTensor }
  return tensor
}

/// An error of the test harness itself.
package enum HarnessError: Error {
  /// A result is not a tensor.
  case noTensor
}
