import MartletGraph
import MartletOps
import MartletTensor

/// Loops whose number of iterations depends on data.
extension Planner {
  /// Ends the plan after the first iteration of a loop whose flag is known only at run time. Further iterations are calls of a separate
  /// method. Nil if a variable cannot be passed to such a method.
  mutating func suspendForLoop(_ flag: ScalarOperand) throws -> MethodPlan? {
    let body = state.frames[frame].prepared.graph
    // The method for further iterations cannot see that values in the memory of a state that it writes are still needed: copy them.
    for index in state.frames[frame].prepared.changedStates.sorted() {
      if let buffer = state.stateBuffers[index] { rescue(buffer, source: NodePlace(op: "loop", source: body.name)) }
    }
    let variables = try body.outputs.dropFirst().map { try resolveView($0) }
    let isPassable = variables.allSatisfy { if case .string = $0 { false } else { true } }
    guard isPassable, variables.count == body.inputs.count else { return nil }
    var graph = body
    graph.states = state.frames[0].prepared.graph.states
    graph.inputs = []
    graph.outputs = [body.outputs[0]]
    var arguments: [PlanLoop.Argument] = []
    var varying: [Int] = []
    var slots: [Int?] = []
    /// Positions of the varying variables among all variables.
    var positions: [Int] = []
    for (position, variable) in variables.enumerated() {
      let input = body.inputs[position]
      let isVarying = body.outputs[position + 1] != input
      if !isVarying {
        // Known invariants are also known in the separate method.
        switch variable {
        case .tensor(_, let constant?):
          graph[input].origin = .constant(constant)
          graph[input].type = .tensor(TensorSignature(constant.type))
          continue
        case .scalar(.known(let scalar)):
          graph[input].origin = .scalar(scalar)
          continue
        default: break
        }
      }
      graph[input].origin = .input(graph.inputs.count)
      graph.inputs.append(input)
      if isVarying {
        varying.append(arguments.count)
        positions.append(position)
        graph.outputs.append(body.outputs[position + 1])
        if case .scalar = variable { slots.append(builder.addSlot()) } else { slots.append(nil) }
      }
      switch variable {
      case .tensor(let view, _):
        let dense = builder.materialize(view, order: Array(view.shape.indices), dtype: view.dtype, source: "loop \(body.name)")
        builder.keep(dense.buffer)
        arguments.append(.tensor(dense))
      case .scalar(let scalar): arguments.append(.scalar(scalar))
      case .string, .none: arguments.append(.none)
      }
    }
    let index = state.loopCount
    state.loopCount += 1
    let loop = PlanLoop(
      index: index, graph: graph, arguments: arguments, varying: varying, flag: flag, slots: slots,
      isEndless: state.frames[frame].prepared.hasInvariantCondition)
    return try suspend(reading: [], loop: loop) { [positions, slots] planner, key in
      guard let values = LoopKey.variables(key) else { return planner.leaveLoop(variables) }
      var last = variables
      for (number, value) in values.enumerated() {
        switch value {
        case .tensor(let type):
          let buffer = planner.builder.addBuffer(.loop(index, variable: number))
          last[positions[number]] = .tensor(
            TensorView(buffer: buffer, dtype: type.dtype, shape: type.shape, strides: Shape.contiguousStrides(type.shape)), nil)
        case .scalar(let kind):
          last[positions[number]] = .scalar(.runtime(kind: kind, slot: slots[number]!, offset: 0))
        case .none: last[positions[number]] = .none
        }
      }
      planner.leaveLoop(last)
    }
  }

  /// Continues after the loop whose iteration is on top of the stack.
  private mutating func leaveLoop(_ results: [PlannedValue]) {
    let used = state.frames[frame].prepared.graph.outputs.dropFirst().map { value($0) }
    state.frames.removeLast()
    leave(results, used)
  }
}
