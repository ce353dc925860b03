import MartletGraph
import MartletImport
import MartletRuntime
import MartletTensor

/// A step of training for a number of samples: its graph, ready to run, and the memory of its inputs. Runs allocate nothing.
final class StepRunner {
  let name: String
  let blobs: [SampleBlob]
  let count: Int
  private let invocation: Invocation
  private let inputs: [TensorStorage]
  private let targets: TensorStorage
  private let loss: TensorStorage
  /// Number of elements of a sample's expected value.
  let targetCount: Int

  /// - Throws: `MartletError`.
  init(_ name: String, _ blobs: [SampleBlob], count: Int, _ model: Model) throws {
    (self.name, self.blobs, self.count) = (name, blobs, count)
    invocation = try model.makeInvocation(of: name)
    let graph = invocation.method.graph
    var inputs: [TensorStorage] = []
    for position in 0...blobs.count {
      guard let signature = graph.signature(graph.inputs[position]), let shape = signature.fixedShape else {
        throw MartletError.unsupported("the step \(name) has an input without a shape")
      }
      let storage = try TensorStorage(for: signature.dtype, shape: shape)
      try invocation.setInput(position, to: TensorType(signature.dtype, shape), in: storage)
      inputs.append(storage)
    }
    targets = inputs.removeLast()
    self.inputs = inputs
    loss = try TensorStorage(allocating: TensorStorage.alignment)
    // In range: elements in memory.
    targetCount = targets.byteCount / MemoryLayout<Float>.stride / max(count, 1)
  }

  func makeStates() throws -> [TensorStorage] { try invocation.method.makeStates() }

  /// Copies the blob of a sample into the mini-batch.
  func set(_ tensor: HostTensor, blob index: Int, slot: Int) {
    let blob = blobs[index]
    let parts = blob.partCount
    // In range: positions in memory.
    let byteCount = tensor.byteCount / max(parts, 1)
    unsafe tensor.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      for part in 0..<parts {
        // In range: positions in memory.
        unsafe (inputs[index].pointer + (part * count + slot) * byteCount).copyMemory(from: base + part * byteCount, byteCount: byteCount)
      }
    }
  }

  func setTarget(_ values: [Float], slot: Int) {
    precondition(values.count == targetCount)
    let stride = MemoryLayout<Float>.stride
    unsafe values.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      // In range: positions in memory.
      unsafe (targets.pointer + slot * targetCount * stride).copyMemory(from: base, byteCount: targetCount * stride)
    }
  }

  /// - Parameter profile: receives the times of kernels; such a run allocates memory for the loss.
  /// - Returns: the loss before the step.
  func run(
    _ numbers: [Double], _ states: [TensorStorage], _ cancellation: CallCancellation?, _ profile: Profile? = nil
  ) throws -> Double {
    // In range: positions of inputs.
    for (index, number) in numbers.enumerated() { try invocation.setInput(blobs.count + 1 + index, to: .double(number)) }
    invocation.states = states
    do {
      if let profile {
        var results: [ModelValue] = []
        try invocation.run(profile: profile, cancellation: cancellation, into: &results)
        return results.first?.numbers?.first ?? .nan
      }
      try invocation.run(cancellation: cancellation) { _, _ in loss }
    } catch {
      throw error is CancellationError ? error : MartletError(error, method: name)
    }
    return Double(unsafe loss.pointer.load(as: Float.self))
  }
}
