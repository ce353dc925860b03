import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor

/// Runs a single node on constants.
enum ConstantEvaluator {
  /// The node's only result, a tensor.
  static func evaluate(_ op: any Operator, _ operands: [Constant?], source: String) throws -> AlignedStorage {
    var graph = Graph(name: "constant")
    let inputs = operands.map { operand in operand.map { graph.addConstant($0) } }
    let output = graph.addNode(op, inputs, type: .tensor(TensorSignature(dtype: .uint8, dimensions: [])), source: source)
    graph.outputs = [output]
    let plan = try Planner.plan(try PreparedGraph(graph), inputs: [], packed: PackedStore(), workers: 1)
    guard plan.continuation == nil, case .tensor(let type) = plan.results[0] else {
      throw PlanError(node: source, reason: "a constant whose shape depends on data")
    }
    let result = try AlignedStorage(allocating: type.byteCount)
    let arena = try AlignedStorage(allocating: plan.arenaByteCount)
    let count = plan.buffers.count
    let addresses = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: max(count, 1))
    let slots = UnsafeMutablePointer<UInt64>.allocate(capacity: max(plan.slotCount, 1))
    defer {
      unsafe addresses.deallocate()
      unsafe slots.deallocate()
    }
    for (index, buffer) in plan.buffers.enumerated() {
      switch buffer {
      case .arena(let offset): unsafe addresses[index] = arena.pointer + offset
      case .fixed(let address): unsafe addresses[index] = UnsafeMutableRawPointer(bitPattern: address)!
      case .output: unsafe addresses[index] = result.pointer
      case .input, .state, .loop: preconditionFailure("a constant has neither inputs, states nor loops")
      }
    }
    let context = unsafe KernelContext(buffers: addresses, slots: slots, pool: nil)
    for step in plan.steps { try step.kernel(context) }
    withExtendedLifetime((arena, plan)) {}
    return result
  }
}
