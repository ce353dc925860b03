import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary

/// Evaluates nodes on constants.
enum ConstantEvaluator {
  /// A builder for `view`.
  static func viewBuilder() -> PlanBuilder {
    PlanBuilder(continuing: [], slotCount: 0, packed: PackedStore(), workers: 1, largestByteCount: 0)
  }

  /// The only operand's elements with another shape or order, if the node returns them in place; no plan is needed. Nil for any other
  /// node.
  /// - Parameter builder: can be reused for any number of nodes.
  static func view(
    _ op: any PlannedOperator, _ operands: [Constant?], _ type: TensorType, _ builder: @autoclosure () -> PlanBuilder
  ) -> Constant? {
    guard operands.count == 1, let operand = operands[0], operand.type.dtype == type.dtype,
      operand.type.elementCount == type.elementCount
    else { return nil }
    let builder = builder()
    let source = TensorView(
      buffer: builder.addBuffer(.input(0)), dtype: operand.type.dtype, shape: operand.type.shape, strides: operand.strides)
    let node = NodePlan(
      builder: builder, operands: [.tensor(source, operand)], outputs: [], outputSlots: [], outputTypes: [.tensor(type)], source: "")
    guard let view = op.alias(node), view.buffer == source.buffer, view.offset == 0, view.type == type, view.denseOrder != nil else {
      return nil
    }
    return Constant(viewOf: operand, shape: view.shape, strides: view.strides)
  }

  /// The values of a vector stored as int32 with scales, such as a bias: equal to what a plan would compute, without making one. Nil for
  /// any other node.
  static func dequantized(_ op: any Operator, _ operands: [Constant?]) -> [Float]? {
    guard let op = op as? Dequantize, op.storage == .elements, op.dtype == .float32, operands.count == 2, let stored = operands[0],
      stored.type.dtype == .int32, let scales = operands[1]?.numbers(as: .float32, of: Float.self),
      scales.count == 1 || scales.count == stored.type.elementCount,
      // Exact, as is each difference from the zero point, which is then rounded once.
      let integers = stored.numbers(as: .float64, of: Double.self)
    else { return nil }
    return integers.enumerated().map { Float($1 - Double(op.zeroPoint)) * scales[scales.count == 1 ? 0 : $0] }
  }

  /// The value of a one-element operand converted to float32, as exporters write parameters, without making a plan. Nil for any other
  /// node.
  static func converted(_ op: any Operator, _ operands: [Constant?]) -> Float? {
    guard operands.count == 1, let number = operands[0]?.scalarValue, let op = op as? Pointwise, op.dtype == .float32,
      op.program.instructions.count == 1, case .load(0, let type) = op.program.instructions[0]
    else { return nil }
    switch (number, type) {
    case (.int(let number), .int64): return Float(number)
    case (.double(let number), .float32): return Float(number)
    case (.bool(let number), .int64): return number ? 1 : 0
    default: return nil
    }
  }

  /// The results of a chain of functions from int8 to int8 for -128 … 127; nil if one of them fails. Each takes the result of the previous one.
  /// No plan is made.
  /// - Parameter workspace: memory for intermediate results, which later calls reuse; replaced if there is too little.
  static func table(_ functions: [Pointwise], workspace: inout TensorStorage?) -> Constant? {
    let dtypes = [.int8] + functions.map(\.dtype)
    let views = dtypes.enumerated().map { TensorView(buffer: BufferID($0), dtype: $1, shape: [256], strides: [1]) }
    let kernels = functions.enumerated().map { number, function in
      PointwiseKernel(function.program, operands: [.tensor(views[number])], output: views[number + 1])
    }
    let scratchByteCount = kernels.map(\.scratchByteCount).max() ?? 0
    let scratch = TensorView(
      buffer: BufferID(views.count), dtype: .uint8, shape: [1, scratchByteCount], strides: [scratchByteCount, 1])
    // One allocation for everything but the results. Each buffer takes as much as 256 elements of the largest type.
    let stride = 4096
    // In range: functions in memory.
    let scratchOffset = stride * functions.count
    guard dtypes.last == .int8, let table = try? TensorStorage(allocating: 256),
      let workspaceByteCount = (Extent(scratchOffset) + scratchByteCount).value
    else { return nil }
    if (workspace?.byteCount ?? 0) < workspaceByteCount { workspace = try? TensorStorage(allocating: workspaceByteCount) }
    guard let memory = workspace else { return nil }
    let input = unsafe memory.pointer.assumingMemoryBound(to: Int8.self)
    // In range: 256 bytes.
    for index in 0..<256 { unsafe input[index] = Int8(truncatingIfNeeded: index - 128) }
    let isComplete = unsafe withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer.self, capacity: functions.count + 2) { addresses in
      // In range: within the workspace.
      for index in functions.indices { unsafe addresses[index] = memory.pointer + stride * index }
      unsafe addresses[functions.count] = table.pointer
      unsafe addresses[functions.count + 1] = memory.pointer + scratchOffset
      return unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 1) { slots in
        let context = unsafe KernelContext(
          buffers: addresses.baseAddress!, slots: slots.baseAddress!, team: nil, cancellation: Allowance.current?.cancellation)
        return (try? kernels.forEach { try $0.kernel(scratch: scratch)(context) }) != nil
      }
    }
    withExtendedLifetime(memory) {}
    return isComplete ? Constant(type: TensorType(.int8, [256]), bytes: Constant.Bytes(table)) : nil
  }

  /// Computes the node's only result, a tensor.
  static func evaluate(_ op: any Operator, _ operands: [Constant?], source: String) throws -> TensorStorage {
    try evaluate([op], operands, source: source)
  }

  /// Computes the only result, a tensor, of the last node in a chain. Each node has the result of the previous one as its only operand.
  /// - Parameter operands: those of the first node.
  static func evaluate(_ ops: [any Operator], _ operands: [Constant?], source: String) throws -> TensorStorage {
    var graph = Graph(name: "constant")
    var values = operands.map { operand in operand.map { graph.addConstant($0) } }
    for op in ops {
      values = [graph.addNode(op, values, type: .tensor(TensorSignature(dtype: .uint8, dimensions: [])), source: source)]
    }
    graph.outputs = values.compactMap { $0 }
    let allowance = Allowance.current
    var limits = ResourceLimits.standard
    if let allowance { limits.memoryByteCount = min(limits.memoryByteCount, allowance.memory.left) }
    let plan = try Planner.plan(try PreparedGraph(graph), inputs: [], packed: PackedStore(), workers: 1, limits: limits)
    guard plan.continuation == nil, case .tensor(let type) = plan.results[0] else {
      throw PlanError(node: NodePlace(op: "", source: source), "the shape of a constant depends on data")
    }
    let result = try PackedMemory.temporary(type.byteCount)
    let arena = try TensorStorage(allocating: plan.arenaByteCount)
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
    let context = unsafe KernelContext(buffers: addresses, slots: slots, team: nil, cancellation: allowance?.cancellation)
    for step in plan.steps {
      try allowance?.spend(step.units)
      try step.kernel(context)
    }
    try allowance?.check()
    withExtendedLifetime((arena, plan)) {}
    return result
  }
}
