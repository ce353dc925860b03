import MartletCompiler
import MartletGraph
import MartletKernels
package import MartletTensor

/// Data shared by all calls of a method with tensors of given types: such calls differ only in addresses.
package final class UniformCalls: Sendable {
  /// The types of the outputs.
  package let outputs: [TensorType]
  /// Number of addresses per call: inputs first, then outputs.
  package let addressCount: Int
  fileprivate let plan: MethodPlan
  /// Buffers whose address differs between calls, and the position of that address.
  fileprivate let varying: [(buffer: Int, position: Int)]

  fileprivate init(_ plan: MethodPlan, outputs: [TensorType], inputCount: Int) {
    self.plan = plan
    self.outputs = outputs
    addressCount = inputCount + outputs.count
    varying = plan.buffers.indices.compactMap { index in
      switch plan.buffers[index] {
      case .input(let position): (index, position)
      case .output(let position): (index, inputCount + position)
      case .arena, .fixed, .state, .loop: nil
      }
    }
  }
}

extension CompiledMethod {
  /// The shared data of calls with row-major tensors of these types. Nil if the call depends on values or states, or if results are not
  /// tensors.
  package func uniformCalls(for inputs: [TensorType]) throws -> UniformCalls? {
    guard !prepared.usesStates, graph.states.isEmpty, inputs.count == graph.inputs.count else { return nil }
    let plan = try plan(for: inputs.map { .tensor($0) })
    guard plan.continuation == nil else { return nil }
    var outputs: [TensorType] = []
    for result in plan.results {
      guard case .tensor(let type) = result else { return nil }
      outputs.append(type)
    }
    return UniformCalls(plan, outputs: outputs, inputCount: inputs.count)
  }

  /// Runs calls one after the other, in the memory of `call`.
  ///
  /// - Parameters:
  ///   - addresses: `addressCount` addresses for each call, of memory as large as the types require.
  ///   - finished: incremented after each completed call, so that it identifies the call that throws.
  package func run(_ calls: UniformCalls, on call: MethodCall, addresses: UnsafeBufferPointer<UInt>, finished: inout Int) throws {
    guard !addresses.isEmpty else { return }
    defer { call.team.end() }
    let plan = calls.plan
    let inputCount = calls.addressCount - calls.outputs.count
    unsafe call.bindInputs(addresses[..<inputCount])
    call.resetOutputs(count: calls.outputs.count)
    let context = try unsafe bind(plan, call, [], nil) { position, _ in
      unsafe UnsafeMutableRawPointer(bitPattern: addresses[inputCount + position])!
    }
    let buffers = unsafe call.workspace.addresses
    for start in stride(from: 0, to: addresses.count, by: calls.addressCount) {
      for (buffer, position) in calls.varying {
        unsafe buffers[buffer] = UnsafeMutableRawPointer(bitPattern: addresses[start + position])!
      }
      try runSteps(of: plan, context, nil, nil)
      finished += 1
    }
  }
}
