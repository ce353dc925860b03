import MartletCompiler
import MartletGraph
import MartletKernels
package import MartletTensor

/// What is the same for all calls of a method with tensors of some types: such calls differ in nothing but addresses.
package final class UniformCalls: Sendable {
  /// The types of the outputs.
  package let outputs: [TensorType]
  /// Addresses of a call: those of its inputs, then those of its outputs.
  package let addressCount: Int
  fileprivate let plan: MethodPlan
  /// Buffers that lie elsewhere in each call, and the position of their address.
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
  /// What calls with row-major tensors of these types have in common; nil if values or states decide how a call goes on, or if
  /// results are not tensors.
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

  /// Makes calls one after the other, in the memory of `call`.
  ///
  /// - Parameters:
  ///   - addresses: `addressCount` for each call, of memory as large as the types say.
  ///   - finished: grows with each call that is done; the next one is that which throws.
  package func run(_ calls: UniformCalls, on call: MethodCall, addresses: UnsafeBufferPointer<UInt>, finished: inout Int) throws {
    guard !addresses.isEmpty else { return }
    defer { call.team.end() }
    let plan = calls.plan
    let inputCount = calls.addressCount - calls.outputs.count
    unsafe call.bindInputs(addresses[..<inputCount])
    call.resetOutputs(count: calls.outputs.count)
    let context = try unsafe bind(plan, call, []) { position, _ in
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
