import MartletGraph
package import MartletKernels
package import MartletOps
package import MartletTensor
package import MartletVocabulary

/// An argument of a call as seen by the planner.
package enum InputBinding: Sendable {
  /// A dense tensor whose axes are laid out in `order`, outermost first; row-major if nil.
  case tensor(TensorType, order: [Int]? = nil)
  /// A scalar supplied by the call, in the slot of its position among the scalar inputs.
  case scalar(ScalarKind)
  case none
}

/// Turns a prepared graph into a plan for concrete input shapes: infers shapes node by node, chooses layouts and kernels, and lays out
/// memory. Branches are resolved and loops unrolled as long as their conditions are known. Where a shape or condition depends on data,
/// the plan ends with a continuation.
package struct Planner {
  private let packed: PackedStore
  private let workers: Int
  private let pool: ThreadPool?
  private let precision: ProductPrecision
  private let limits: ResourceLimits
  private let allowance = Allowance.current ?? Allowance()
  /// Axis order of each output in memory; row-major if nil or missing.
  private let outputOrders: [[Int]?]
  var state: PlanningState
  let builder: PlanBuilder
  private var allocations: [(output: Int, type: TensorType)] = []

  /// The plan of `graph` for these inputs.
  ///
  /// Scalar inputs use the slots `0, 1, …` in order of their positions.
  /// - Parameter pool: threads for packing weights.
  package static func plan(
    _ graph: PreparedGraph, inputs: [InputBinding], outputOrders: [[Int]?] = [], packed: PackedStore, workers: Int,
    pool: ThreadPool? = nil, precision: ProductPrecision = .exact, limits: ResourceLimits = .standard
  ) throws -> MethodPlan {
    precondition(inputs.count == graph.graph.inputs.count)
    defer { packed.releaseTemporaryMemory() }
    var planner = Planner(
      PlanningState(frames: [PlanFrame(graph, role: .top)]), outputOrders: outputOrders, packed: packed, workers: workers,
      pool: pool, precision: precision, limits: limits)
    for (position, input) in inputs.enumerated() {
      let id = graph.graph.inputs[position]
      switch input {
      case .tensor(let type, let order):
        let buffer = planner.builder.addBuffer(.input(position))
        let view = TensorView(
          buffer: buffer, dtype: type.dtype, shape: type.shape,
          strides: order.map { Shape.strides(type.shape, dimOrder: $0) } ?? Shape.contiguousStrides(type.shape))
        planner.assign(id, .tensor(view, nil))
      case .scalar(let kind):
        planner.assign(id, .scalar(.runtime(kind: kind, slot: planner.builder.addSlot(), offset: 0)))
      case .none:
        planner.assign(id, .none)
      }
    }
    try planner.bindOrigins()
    return try planner.run()
  }

  private init(
    _ state: PlanningState, outputOrders: [[Int]?], packed: PackedStore, workers: Int, pool: ThreadPool?, precision: ProductPrecision,
    limits: ResourceLimits
  ) {
    self.pool = pool
    self.precision = precision
    self.state = state
    self.outputOrders = outputOrders
    self.packed = packed
    self.workers = workers
    self.limits = limits
    builder = PlanBuilder(
      continuing: state.buffers, slotCount: state.slotCount, packed: packed, workers: workers,
      precision: precision, isStreamed: state.frames[0].prepared.isStreamed, largestByteCount: limits.memoryByteCount)
    builder.position = state.position
  }

  // MARK: Values

  var frame: Int { state.frames.count - 1 }

  private mutating func assign(_ id: ValueID, _ value: PlannedValue) {
    state.frames[frame].values[id.index] = value
    if let view = value.view { retain(view.buffer, state.frames[frame].prepared.useCounts[id.index]) }
  }

  private mutating func retain(_ buffer: BufferID, _ uses: Int) {
    while state.pendingUses.count <= buffer.index { state.pendingUses.append(0) }
    state.pendingUses[buffer.index] += uses
  }

  private mutating func release(_ value: PlannedValue?) {
    if let view = value?.view, view.buffer.index >= 0 { retain(view.buffer, -1) }
  }

  func value(_ id: ValueID?) -> PlannedValue? { id.flatMap { state.frames[frame].values[$0.index] } }

  /// Assigns the current graph's constants and literals.
  private mutating func bindOrigins() throws {
    let prepared = state.frames[frame].prepared
    for (index, value) in prepared.graph.values.enumerated() where prepared.useCounts[index] > 0 {
      switch value.origin {
      // A constant's view is made when a node requests it (`resolve`): most weights are only needed packed.
      case .constant: break
      case .scalar(let scalar): assign(ValueID(index), .scalar(.known(scalar)))
      case .string(let string): assign(ValueID(index), .string(string))
      case .none: assign(ValueID(index), .none)
      case .input, .node: break
      }
    }
  }

  private mutating func resolve(_ id: ValueID?) throws -> PlannedValue {
    guard let id else { return .none }
    if let known = value(id) { return known }
    guard let constant = state.frames[frame].prepared.graph.constant(id) else {
      preconditionFailure("value \(id.index) is used before it is assigned")
    }
    // Bound lazily: the placeholder has no buffer until its bytes are requested.
    return .tensor(
      TensorView(buffer: BufferID(-1), dtype: constant.type.dtype, shape: constant.type.shape, strides: constant.strides), constant)
  }

  /// Origins of the node that produces a value of the current graph.
  private func origins(ofMakerOf id: ValueID?) -> [NodeOrigin] {
    guard let id else { return [] }
    return state.frames[frame].prepared.graph.nodes.last { $0.outputs.contains(id) }?.origins ?? []
  }

  // MARK: Nodes

  /// Plans until the program ends or a value is needed that is known only at run time.
  private mutating func run() throws -> MethodPlan {
    while true {
      let position = state.frames[frame].position
      let prepared = state.frames[frame].prepared
      if position == prepared.graph.nodes.count {
        if case .top = state.frames[frame].role { return try finish() }
        if let plan = try finishRegion() { return plan }
        continue
      }
      let node = prepared.graph.nodes[position]
      guard state.position < limits.nodeCount else {
        throw PlanError(node: node.place, "more than \(limits.nodeCount) nodes run in one call: an infinite loop?")
      }
      try allowance.spend(Self.nodeWork)
      builder.position = state.position
      builder.origins = node.origins
      state.position += 1
      if let op = prepared.operators[position] {
        if let plan = try planNode(node, op) { return plan }
        continue
      }
      switch node.op {
      case is Conditional:
        if let plan = try enterBranch(node, prepared.regions[position]) { return plan }
      case is Loop:
        try enterRound(prepared.regions[position][0], try node.inputs.map { try resolveView($0) })
        for input in node.inputs { release(callerValue(input)) }
      case let read as ReadState:
        assign(node.outputs[0], .tensor(stateView(read.state, type: prepared.graph), nil))
        state.frames[frame].position += 1
      case let write as WriteState:
        if node.origins.isEmpty { builder.origins = origins(ofMakerOf: node.inputs[0]) }
        try writeState(write.state, node)
        state.frames[frame].position += 1
      default: preconditionFailure("\(node.op.name) is not a structural operator")
      }
    }
  }

  /// A value of the frame below the top one.
  private func callerValue(_ id: ValueID?) -> PlannedValue? {
    id.flatMap { state.frames[frame - 1].values[$0.index] }
  }

  /// The value, with constants bound to memory.
  mutating func resolveView(_ id: ValueID?) throws -> PlannedValue {
    let value = try resolve(id)
    if case .tensor(let view, let constant?) = value, view.buffer.index < 0, let id {
      let bound = PlannedValue.tensor(try builder.view(of: constant), constant)
      assign(id, bound)
      return bound
    }
    return value
  }

  /// Plans an ordinary node. Returns the finished plan if it must end here.
  private mutating func planNode(_ node: Node, _ op: any PlannedOperator) throws -> MethodPlan? {
    func failure(_ reason: String) -> PlanError { PlanError(node: node.place, reason) }
    var values: [PlannedValue] = []
    values.reserveCapacity(node.inputs.count)
    for (position, input) in node.inputs.enumerated() {
      let value = try resolve(input)
      // The importer relied on the declarations in the file; operators rely on the kinds of their operands.
      if let input, case let type = state.frames[frame].prepared.graph.values[input.index].type, !value.isKind(of: type) {
        throw failure("operand \(position) is not of the kind \(type)")
      }
      values.append(value)
    }
    let types: [OperandType]
    do {
      types = try op.infer(Operands(values.map(\.type)))
    } catch .needsValue(let operand) {
      guard case .scalar(.runtime(_, let slot, _)) = values[operand] else {
        throw failure("operand \(operand) is needed for the shape but is not a number")
      }
      state.position -= 1
      return try suspend(reading: [slot])
    } catch {
      throw PlanError(error, of: node.place)
    }
    guard types.count == node.outputs.count else {
      throw failure("returns \(types.count) results, but the graph has \(node.outputs.count)")
    }
    for type in types {
      switch type {
      case .tensor(let tensor), .bounded(let tensor, _):
        guard tensor.rank <= 16 else { throw failure("result \(tensor) has more than 16 axes") }
        let byteCount = HostTensor.byteCount(dtype: tensor.dtype, shape: tensor.shape)
        guard let byteCount, byteCount <= limits.memoryByteCount else {
          throw PlanError.overBudget(node.place, "result \(tensor) is too large", limit: limits.memoryByteCount, found: byteCount)
        }
      default: break
      }
    }
    // All results are scalars that need no kernel.
    if types.allSatisfy({ if case .scalar = $0 { true } else { false } }), !types.isEmpty {
      for (id, type) in zip(node.outputs, types) {
        if case .scalar(let scalar) = type { assign(id, .scalar(scalar)) }
      }
      for value in values { release(value) }
      state.frames[frame].position += 1
      return nil
    }
    // Bind constants to memory only for operators that do not pack them: `NodePlan.input` needs a buffer.
    for (index, input) in node.inputs.enumerated() {
      if case .tensor(let view, .some) = values[index], view.buffer.index < 0, !op.packs(operand: index) {
        do { values[index] = try resolveView(input) } catch { throw try readFailure("a constant", error, node.place) }
      }
    }
    for value in values { release(value) }
    var slots: [Int] = []
    for type in types {
      switch type {
      case .computedScalar: slots.append(builder.addSlot())
      case .bounded(_, let axes): for _ in axes { slots.append(builder.addSlot()) }
      default: break
      }
    }
    var plan = NodePlan(
      builder: builder, operands: values.map(\.operand), outputs: [], outputSlots: slots, outputTypes: types,
      source: node.place)
    if node.outputs.count == 1, let view = op.alias(plan) {
      builder.touch(view.buffer)
      assign(node.outputs[0], .tensor(view, nil))
      state.frames[frame].position += 1
      return nil
    }
    let outputs = place(node, op, types, values, plan)
    plan = NodePlan(
      builder: builder, operands: plan.operands, outputs: outputs, outputSlots: slots, outputTypes: types, source: plan.source)
    do {
      try op.plan(plan)
    } catch {
      try allowance.check()
      throw PlanError(error, of: node.place)
    }
    // Values derived from an operand that the node has overwritten are stale too.
    for output in outputs where output.buffer.index >= 0 && values.contains(where: { $0.view?.buffer == output.buffer }) {
      builder.invalidate(output.buffer)
    }
    if let byteCount = builder.refusedByteCount {
      throw PlanError.overBudget(node.place, "needs too much temporary memory", limit: limits.memoryByteCount, found: byteCount)
    }
    let stepsByteCount = Extent(builder.steps.count) * Self.stepByteCount
    guard (stepsByteCount + state.byteCount).fits(limits.memoryByteCount) else {
      throw PlanError.overBudget(
        node.place, "a plan of \(builder.steps.count) kernels is too large", limit: limits.memoryByteCount, found: stepsByteCount.value)
    }
    guard state.operationCount + builder.operationCount <= limits.operationCount else {
      throw failure("the call needs more than \(limits.operationCount) operations")
    }
    return try record(node, types, outputs, slots)
  }

  /// Assigns the results of a planned node. Returns the plan if it must end because an extent depends on data.
  private mutating func record(_ node: Node, _ types: [OperandType], _ outputs: [TensorView], _ slots: [Int]) throws -> MethodPlan? {
    var nextSlot = 0
    var extentSlots: [Int] = []
    for (index, id) in node.outputs.enumerated() {
      switch types[index] {
      case .tensor: assign(id, .tensor(outputs[index], nil))
      case .bounded(_, let axes):
        assign(id, .tensor(outputs[index], nil))
        extentSlots += slots[nextSlot..<nextSlot + axes.count]
        nextSlot += axes.count
      case .scalar(let scalar): assign(id, .scalar(scalar))
      case .computedScalar(let kind):
        assign(id, .scalar(.runtime(kind: kind, slot: slots[nextSlot], offset: 0)))
        nextSlot += 1
      case .string(let string): assign(id, .string(string))
      }
    }
    state.frames[frame].position += 1
    if extentSlots.isEmpty { return nil }
    // Continue with the actual extents instead of the bounds.
    return try suspend(reading: extentSlots) { resumed, values in
      var next = 0
      for (index, id) in node.outputs.enumerated() {
        guard case .bounded(_, let axes) = types[index] else { continue }
        var view = outputs[index]
        for axis in axes {
          view.shape[axis] = min(Int(truncatingIfNeeded: values[next]), view.shape[axis])
          next += 1
        }
        view.strides = Shape.contiguousStrides(view.shape)
        resumed.frames[resumed.frames.count - 1].values[id.index] = .tensor(view, nil)
      }
    }
  }

  /// Allocates memory for the node's results.
  private mutating func place(
    _ node: Node, _ op: any PlannedOperator, _ types: [OperandType], _ values: [PlannedValue], _ plan: NodePlan
  ) -> [TensorView] {
    let prepared = state.frames[frame].prepared
    let isTop = if case .top = state.frames[frame].role { true } else { false }
    var views: [TensorView] = []
    for (index, type) in types.enumerated() {
      let tensor: TensorType
      switch type {
      case .tensor(let concrete), .bounded(let concrete, _): tensor = concrete
      default:
        views.append(TensorView(buffer: BufferID(-1), dtype: .uint8, shape: [], strides: []))
        continue
      }
      let order = index == 0 ? op.outputOrder(plan) : nil
      if index == 0, isTop, let view = joinedPart(node, tensor, order) {
        views.append(view)
        continue
      }
      if index == 0, let view = takeOver(node, op, tensor, order, values) {
        views.append(view)
        continue
      }
      let id = node.outputs[index]
      let strides = order.map { Shape.strides(tensor.shape, dimOrder: $0) } ?? Shape.contiguousStrides(tensor.shape)
      if isTop, case .tensor = type, let output = prepared.outputPositions[id.index],
        strides == outputStrides(output, tensor.shape)
      {
        let buffer = builder.addBuffer(.output(output))
        allocations.append((output, tensor))
        state.placedOutputs.insert(output)
        views.append(TensorView(buffer: buffer, dtype: tensor.dtype, shape: tensor.shape, strides: strides))
        continue
      }
      views.append(builder.temporary(tensor, order: order))
    }
    return views
  }

  /// The part of a concatenation's memory that is reserved for the node's result.
  private mutating func joinedPart(_ node: Node, _ type: TensorType, _ order: [Int]?) -> TensorView? {
    guard let part = state.frames[frame].prepared.joinedParts[node.outputs[0].index], order == Shape.channelsLastOrder(rank: 4) else {
      return nil
    }
    let whole = state.joined[part.result] ?? builder.temporary(part.type, order: order)
    state.joined[part.result] = whole
    builder.touch(whole.buffer)
    return part.view(in: whole, type)
  }

  /// Strides of an output in the order that the caller requested.
  private func outputStrides(_ position: Int, _ shape: [Int]) -> [Int] {
    if position < outputOrders.count, let order = outputOrders[position], order.count == shape.count {
      return Shape.strides(shape, dimOrder: order)
    }
    return Shape.contiguousStrides(shape)
  }

  /// The memory of an operand that is used here for the last time, if the operator can overwrite it with its first result.
  private mutating func takeOver(
    _ node: Node, _ op: any PlannedOperator, _ type: TensorType, _ order: [Int]?, _ values: [PlannedValue]
  ) -> TensorView? {
    for operand in op.inPlaceOperands where operand < values.count {
      guard case .tensor(let view, nil) = values[operand], view.dtype == type.dtype, view.shape == type.shape,
        view.isDense(inOrder: order ?? Array(type.shape.indices)), !view.isEmpty, state.pendingUses[view.buffer.index] == 0
      else { continue }
      // Another operand with a different view of the same memory would be overwritten before it is read.
      let isShared = values.enumerated().contains {
        $0.offset != operand && $0.element.view.map { $0.buffer == view.buffer && $0 != view } == true
      }
      if isShared { continue }
      switch builder.buffers[view.buffer.index].source {
      case .arena(let byteCount) where view.buffer.index >= builder.firstBuffer && byteCount == view.byteCount:
        break
      case .state(let index):
        guard state.frames[frame].prepared.writtenStates[node.outputs[0].index] == index else { continue }
      default: continue
      }
      // Copies of the old contents in other layouts are stale from here on.
      builder.invalidate(view.buffer)
      builder.touch(view.buffer)
      return view
    }
    return nil
  }

  // MARK: Control flow

  private mutating func enterBranch(_ node: Node, _ regions: [PreparedGraph]) throws -> MethodPlan? {
    let condition: Bool
    switch try resolve(node.inputs[0]) {
    case .scalar(.known(let scalar)): condition = scalar.boolValue
    case .scalar(.runtime(_, let slot, _)):
      state.position -= 1
      return try suspend(reading: [slot])
    default: throw PlanError(node: node.place, "the condition is not a number")
    }
    let arguments = try node.inputs.dropFirst().map { try resolveView($0) }
    enter(regions[condition ? 0 : 1], arguments, role: .branch)
    try bindOrigins()
    for input in node.inputs.dropFirst() { release(callerValue(input)) }
    return nil
  }

  private mutating func enterRound(_ region: PreparedGraph, _ arguments: [PlannedValue]) throws {
    enter(region, arguments, role: .round)
    try bindOrigins()
  }

  private mutating func enter(_ region: PreparedGraph, _ arguments: [PlannedValue], role: PlanFrame.Role) {
    state.frames.append(PlanFrame(region, role: role))
    for (id, argument) in zip(region.graph.inputs, arguments) { assign(id, argument) }
  }

  /// Returns from a branch, or starts the next iteration of a loop. Returns the plan if the loop's condition is known only at run time.
  private mutating func finishRegion() throws -> MethodPlan? {
    let graph = state.frames[frame].prepared.graph
    let region = state.frames[frame].prepared
    var results: [PlannedValue] = []
    for output in graph.outputs { results.append(try resolveView(output)) }
    if case .round = state.frames[frame].role {
      guard case .scalar(let flag) = results[0] else {
        throw PlanError(node: "loop \(graph.name)", "the condition is not a number")
      }
      switch flag {
      case .runtime(_, let slot, _): return try suspendForLoop(flag) ?? suspend(reading: [slot])
      case .known(let scalar):
        if scalar.boolValue, region.hasInvariantCondition {
          throw PlanError(.invalid, node: "loop \(graph.name)", "the loop never ends: no iteration changes its condition")
        }
        results.removeFirst()
        let used = graph.outputs.dropFirst().map { value($0) }
        state.frames.removeLast()
        if scalar.boolValue {
          try enterRound(region, results)
          for value in used { release(value) }
          return nil
        }
        leave(results, used)
        return nil
      }
    }
    let used = graph.outputs.map { value($0) }
    state.frames.removeLast()
    leave(results, used)
    return nil
  }

  /// Assigns the results of a region to the control-flow node of the frame below.
  mutating func leave(_ results: [PlannedValue], _ used: [PlannedValue?]) {
    let node = state.frames[frame].prepared.graph.nodes[state.frames[frame].position]
    for (id, result) in zip(node.outputs, results) { assign(id, result) }
    for value in used { release(value) }
    state.frames[frame].position += 1
  }

  // MARK: States

  private mutating func stateView(_ index: Int, type graph: Graph) -> TensorView {
    let declaration = state.frames[0].prepared.graph.states[index]
    let buffer: BufferID
    if let known = state.stateBuffers[index] {
      buffer = known
    } else {
      buffer = builder.addBuffer(.state(index))
      state.stateBuffers[index] = buffer
    }
    return TensorView(
      buffer: buffer, dtype: declaration.type.dtype, shape: declaration.type.shape,
      strides: Shape.contiguousStrides(declaration.type.shape))
  }

  private mutating func writeState(_ index: Int, _ node: Node) throws {
    let target = stateView(index, type: state.frames[frame].prepared.graph)
    guard case .tensor(var view, _) = try resolveView(node.inputs[0]), view.type == target.type else {
      throw PlanError(node: node.place, "the new value does not have the state's type", expected: "\(target.type)")
    }
    release(value(node.inputs[0]))
    if view == target { return }
    builder.touch(view.buffer)
    if view.buffer == target.buffer {
      let copy = builder.temporary(view.type)
      builder.emitCopy(from: view, to: copy, source: node.place)
      view = copy
    }
    rescue(target.buffer, source: node.place)
    builder.invalidate(target.buffer)
    builder.touch(target.buffer)
    builder.emitCopy(from: view, to: target, source: node.place)
  }

  /// Copies values that are still needed out of a buffer that is about to be overwritten.
  mutating func rescue(_ buffer: BufferID, source: NodePlace) {
    guard buffer.index < state.pendingUses.count, state.pendingUses[buffer.index] > 0 else { return }
    for frame in state.frames.indices {
      for index in state.frames[frame].values.indices {
        guard case .tensor(let view, _)? = state.frames[frame].values[index], view.buffer == buffer else { continue }
        let copy = builder.temporary(view.type)
        builder.emitCopy(from: view, to: copy, source: source)
        state.frames[frame].values[index] = .tensor(copy, nil)
        retain(copy.buffer, max(state.pendingUses[buffer.index], 1))
      }
    }
    state.pendingUses[buffer.index] = 0
  }

  // MARK: Ends

  /// Ends the plan. The continuation resumes with known values of `slots`, after `update` has adjusted the state.
  private mutating func suspend(
    reading slots: [Int], update: @escaping @Sendable (inout PlanningState, [UInt64]) -> Void = { _, _ in }
  ) throws -> MethodPlan {
    try suspend(reading: slots, loop: nil) { planner, values in
      update(&planner.state, values)
      planner.state.makeKnown(Dictionary(zip(slots, values), uniquingKeysWith: { first, _ in first }))
    }
  }

  /// Ends the plan. The continuation resumes after `update` has received the values of `slots` or the variables left by `loop`.
  mutating func suspend(
    reading slots: [Int], loop: PlanLoop?, update: @escaping @Sendable (inout Planner, [UInt64]) -> Void
  ) throws -> MethodPlan {
    for (index, uses) in state.pendingUses.enumerated() where uses > 0 { builder.keep(BufferID(index)) }
    let layout = builder.layOut()
    try account(layout, snapshot: snapshotByteCount)
    var snapshot = state
    snapshot.buffers = builder.buffers
    snapshot.slotCount = builder.slotCount
    snapshot.level += 1
    let packed = packed
    let workers = workers
    let pool = pool
    let precision = precision
    let limits = limits
    let outputOrders = outputOrders
    let continuation = PlanContinuation(slots: slots) { [snapshot] values in
      var planner = Planner(
        snapshot, outputOrders: outputOrders, packed: packed, workers: workers, pool: pool, precision: precision, limits: limits)
      update(&planner, values)
      return try planner.run()
    }
    return MethodPlan(
      builder: builder, layout: layout, level: state.level, allocations: allocations, results: [], continuation: continuation,
      loop: loop)
  }

  /// Ends the program: moves the outputs to their destinations.
  private mutating func finish() throws -> MethodPlan {
    let graph = state.frames[0].prepared.graph
    builder.position = state.position
    var results: [PlannedResult] = []
    for (position, id) in graph.outputs.enumerated() {
      switch try resolveView(id) {
      case .tensor(let view, _):
        results.append(.tensor(view.type))
        if state.placedOutputs.contains(position), case .output(position) = builder.buffers[view.buffer.index].source { continue }
        builder.touch(view.buffer)
        builder.origins = origins(ofMakerOf: id)
        let buffer = builder.addBuffer(.output(position))
        allocations.append((position, view.type))
        let target = TensorView(
          buffer: buffer, dtype: view.dtype, shape: view.shape, strides: outputStrides(position, view.shape))
        builder.emitCopy(from: view, to: target, source: "output \(position)")
      case .scalar(let scalar): results.append(.scalar(scalar))
      case .string(let string): results.append(.string(string))
      case .none: results.append(.none)
      }
    }
    let layout = builder.layOut()
    try account(layout, snapshot: 0)
    return MethodPlan(
      builder: builder, layout: layout, level: state.level, allocations: allocations, results: results, continuation: nil)
  }

  /// Memory of the planning state that a continuation keeps, in bytes.
  private var snapshotByteCount: Extent {
    var byteCount = Extent(builder.buffers.count) * MemoryLayout<PlannedBuffer>.stride
    byteCount += Extent(state.pendingUses.count) * MemoryLayout<Int>.stride
    for frame in state.frames { byteCount += Extent(frame.values.count) * MemoryLayout<PlannedValue?>.stride }
    return byteCount
  }

  /// Adds the resources of the finished plan to the call's totals.
  /// - Parameter snapshot: memory of the planning state that the plan keeps for its continuation, in bytes.
  /// - Throws: `PlanError` if the limits are exceeded.
  private mutating func account(_ layout: ArenaLayout, snapshot: Extent) throws {
    do { try builder.fillPacked(on: pool) } catch { throw try readFailure("weights", error, nil) }
    var byteCount = Extent(state.byteCount) + layout.byteCount + Extent(builder.steps.count) * Self.stepByteCount + snapshot
    for (_, type) in allocations { byteCount += type.byteCount }
    state.operationCount += builder.operationCount
    let snapshots = Extent(state.snapshotByteCount) + snapshot
    let snapshotLimit = max(limits.memoryByteCount / Self.snapshotShare, Self.leastSnapshotLimit)
    guard let snapshotByteCount = snapshots.value, snapshots.fits(snapshotLimit) else {
      throw PlanError.overBudget(
        nil, "a call whose shapes depend on data in many places needs too many plans", limit: snapshotLimit, found: snapshots.value)
    }
    state.snapshotByteCount = snapshotByteCount
    let states = Extent.sum(state.frames[0].prepared.graph.states.map(\.type.byteCount))
    let total = byteCount + states + packed.byteCount
    guard let byteCount = byteCount.value, total.fits(limits.memoryByteCount) else {
      throw PlanError.overBudget(nil, "a call needs too much memory", limit: limits.memoryByteCount, found: total.value)
    }
    state.byteCount = byteCount
  }

  /// Approximate memory of one step of a plan, in bytes.
  private static let stepByteCount = 1024

  /// Planning states kept by continuations may take the memory limit divided by this number.
  private static let snapshotShare = 16
  /// Lower bound of the limit for these states, in bytes.
  private static let leastSnapshotLimit = 16 << 20

  /// Work of planning a node, in the units of `Allowance`.
  private static let nodeWork = 4

  /// The error for constants that could not be read, decoded or packed.
  /// - Throws: the error that ended the whole operation.
  private func readFailure(_ subject: String, _ error: any Error, _ node: NodePlace?) throws -> PlanError {
    try allowance.check()
    switch error {
    case let error as OperatorError: return PlanError(error, of: node)
    case let error as AllocationError:
      return PlanError(
        .overBudget, node: node, "\(subject) cannot be kept in memory", expected: error.limit.map { "at most \($0) bytes" },
        found: "\(error.byteCount)")
    default: return PlanError(.invalid, node: node, "\(subject) cannot be read: \(error)")
    }
  }
}

extension PlanError {
  fileprivate init(_ error: OperatorError, of node: NodePlace?) {
    switch error {
    case .invalid(let reason): self.init(.invalid, node: node, reason)
    case .unsupported(let reason): self.init(node: node, reason)
    case .overBudget(let reason): self.init(.overBudget, node: node, reason)
    case .needsValue(let operand): self.init(node: node, "needs the value of operand \(operand) at an unexpected time")
    }
  }
}

extension PlanningState {
  /// Replaces run-time scalars by their values.
  mutating func makeKnown(_ bits: [Int: UInt64]) {
    for frame in frames.indices {
      for index in frames[frame].values.indices {
        guard case .scalar(.runtime(let kind, let slot, let offset))? = frames[frame].values[index], let value = bits[slot] else {
          continue
        }
        let scalar = kind == .int ? Scalar.int(Int64(bitPattern: value) &+ offset) : Scalar(kind: kind, bits: value)
        frames[frame].values[index] = .scalar(.known(scalar))
      }
    }
  }
}
