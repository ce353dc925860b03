package import MartletCompiler
package import MartletGraph
import MartletKernels
package import MartletOps
package import MartletTensor
import MartletLock
import MartletLog
package import MartletVocabulary

/// An argument of a call.
@safe
package enum Argument: @unchecked Sendable {
  /// A dense tensor in memory that stays valid during the call. Its axes are laid out in `order`, outermost first; row-major if nil.
  case tensor(TensorType, UnsafeRawPointer, order: [Int]? = nil)
  case scalar(Scalar)
  case none
}

/// A result of a call.
package enum CallResult: Sendable {
  case tensor(HostTensor)
  case scalar(Scalar)
  case string(String)
  case none
}

/// A result of a call whose tensors are in memory provided by the caller.
package enum CallOutput: Sendable {
  case tensor(TensorType)
  case scalar(Scalar)
  case string(String)
  case none
}

/// A method ready to run. It can be called from any number of threads; calls of a method with states wait for each other.
package final class CompiledMethod: Sendable {
  package let prepared: PreparedGraph
  private let packed: PackedStore
  private let states: StateStore
  private let workers: WorkerThreads
  private let pool: ThreadPool
  private let plans: PlanCache
  private let calls = Guarded<[MethodCall]>([])
  private let madePlans = Guarded(0)
  private let stateStorages: [TensorStorage]
  private let precision: ProductPrecision
  private let limits: ResourceLimits
  private let memory: MemoryBudget
  private let outputOrders: [[Int]?]
  // Properties of the graph, so that a call does not copy it.
  private let inputCount: Int
  private let outputCount: Int
  private let stateCount: Int
  private let nodeCount: Int

  package var graph: Graph { prepared.graph }

  /// - Parameters:
  ///   - planCapacity: maximum number of cached plans, one for each set of input shapes.
  ///   - outputOrders: axis order of each output in memory; row-major if nil or missing.
  ///   - precision: precision of products.
  ///   - limits: resource limits of a call; plans that exceed them are rejected.
  ///   - memory: the budget for packed weights and everything else that planning keeps.
  ///   - keepsStates: true if the method has states of its own; otherwise every call must provide them.
  package init(
    _ graph: Graph, packed: PackedStore, states: StateStore, threads: WorkerThreads, planCapacity: Int = 16,
    outputOrders: [[Int]?] = [], precision: ProductPrecision = .exact, limits: ResourceLimits = .standard,
    memory: MemoryBudget = MemoryBudget(), keepsStates: Bool = true
  ) throws {
    self.memory = memory
    self.precision = precision
    prepared = try PreparedGraph(graph)
    inputCount = graph.inputs.count
    outputCount = graph.outputs.count
    stateCount = graph.states.count
    nodeCount = graph.nodes.count
    self.limits = limits
    var stateByteCount = 0
    for state in graph.states {
      let byteCount = HostTensor.byteCount(dtype: state.type.dtype, shape: state.type.shape)
      // In range: the sum so far is at most the limit.
      guard let byteCount, byteCount <= limits.memoryByteCount - stateByteCount else {
        throw PlanError(
          .overBudget, node: "state \(state.name)", "\(state.type) is too large",
          expected: "at most \(limits.memoryByteCount) bytes for all states", found: byteCount.map { "\($0)" })
      }
      // In range: at most the limit.
      stateByteCount += byteCount
    }
    self.packed = packed
    self.states = states
    workers = threads
    pool = threads.pool
    plans = PlanCache(capacity: planCapacity)
    stateStorages = keepsStates ? try graph.states.map { try states.storage(for: $0) } : []
    self.outputOrders = outputOrders
  }

  /// Number of cached plans.
  package var planCount: Int { plans.count }

  /// Number of plans made so far, continuations included.
  package var plansMade: Int { madePlans.withLock { $0 } }

  /// Makes the plan for inputs of these types ahead of the first call.
  package func prepare(for inputs: [InputBinding], cancellation: Cancellation? = nil) throws {
    _ = try plan(for: inputs, cancellation: cancellation)
  }

  /// The plan for inputs of these types.
  package func plan(for inputs: [InputBinding], cancellation: Cancellation? = nil) throws -> MethodPlan {
    var key: [UInt64] = []
    for input in inputs { MethodCall.append(input, to: &key) }
    return try plans.plan(for: key) { try makePlan(inputs, cancellation) }
  }

  /// Runs `body` with an allowance for planning, unless the plan is a part of an operation that has one.
  private func planning<Result>(_ cancellation: Cancellation?, _ body: () throws -> Result) throws -> Result {
    madePlans.withLock { $0 += 1 }
    if Allowance.current != nil { return try body() }
    return try Allowance.$current.withValue(
      Allowance(memory: memory, workLimit: limits.loadWork, cancellation: cancellation), operation: body)
  }

  private func makePlan(_ inputs: [InputBinding], _ cancellation: Cancellation? = nil) throws -> MethodPlan {
    let plan = try planning(cancellation) {
      try Planner.plan(
        prepared, inputs: inputs, outputOrders: outputOrders, packed: packed, workers: pool.limit, pool: pool,
        precision: precision, limits: limits)
    }
    Log.debug("\(graph.name): planned \(plan.steps.count) kernels with \(plan.arenaByteCount) bytes of temporary memory")
    return plan
  }

  /// Allocates the graph's states with their initial values, for calls that provide their own states.
  package func makeStates() throws -> [TensorStorage] {
    let store = StateStore()
    return try graph.states.map { try store.storage(for: $0) }
  }

  // MARK: Calls

  /// A call to be filled with arguments, reused from an earlier caller if possible.
  package func takeCall() -> MethodCall { calls.withLock { $0.popLast() } ?? MethodCall(team: ThreadTeam(limit: pool.limit)) }

  /// Keeps the call and its memory for later callers.
  package func release(_ call: MethodCall) {
    call.reset()
    calls.withLock { $0.append(call) }
  }

  /// Calls `body` for each of `count` parts of independent calls of the method, in parallel, with the index of the thread. These calls
  /// should use one thread each, which is usually faster than sharing the work of each call among threads, because there are fewer
  /// synchronisation points.
  package func concurrently(_ count: Int, _ body: (_ part: Int, _ thread: Int) -> Void) { pool.run(count, body) }

  /// Maximum number of threads for one call.
  package var threads: Int { pool.limit }

  /// Runs the method with the call's arguments, one per graph input and of the declared kind, and stores the results in the call.
  ///
  /// A warm run allocates nothing apart from what `output` allocates.
  /// - Parameter output: returns the memory for output tensor `position`, at least `type.byteCount` bytes.
  package func run(
    _ call: MethodCall, profile: Profile? = nil, cancellation: Cancellation? = nil,
    output: (_ position: Int, _ type: TensorType) throws -> UnsafeMutableRawPointer
  ) throws {
    guard call.arguments.count == inputCount else {
      throw ExecutionError(node: nil, reason: "\(graph.name) takes \(graph.inputs.count) inputs, not \(call.arguments.count)")
    }
    defer { call.team.end() }
    if prepared.usesStates, call.states.isEmpty {
      try states.callLock.withLock(whileWaiting: cancellation?.check) { try unsafe execute(call, profile, cancellation, output) }
    } else {
      try unsafe execute(call, profile, cancellation, output)
    }
  }

  /// Runs the method and returns results with memory of their own.
  package func run(
    _ arguments: [Argument], profile: Profile? = nil, cancellation: Cancellation? = nil
  ) throws -> [CallResult] {
    let call = takeCall()
    defer { release(call) }
    call.arguments.append(contentsOf: arguments)
    return try run(call, profile: profile, cancellation: cancellation)
  }

  /// Runs the method with the call's arguments and returns results with memory of their own.
  package func run(_ call: MethodCall, profile: Profile? = nil, cancellation: Cancellation? = nil) throws -> [CallResult] {
    var results: [CallResult] = []
    results.reserveCapacity(outputCount)
    try run(call, profile: profile, cancellation: cancellation, into: &results) { $0 }
    return results
  }

  /// Runs the method with the call's arguments and appends its results.
  ///
  /// An output reuses the memory of the tensor that the call offers for it, if dtype and shape match and the tensor is uniquely
  /// referenced.
  /// - Parameter transform: converts each result for the caller.
  package func run<Result>(
    _ call: MethodCall, profile: Profile? = nil, cancellation: Cancellation? = nil, into results: inout [Result],
    transform: (CallResult) -> Result
  ) throws {
    defer { call.tensors.removeAll(keepingCapacity: true) }
    while call.tensors.count < outputCount { call.tensors.append(nil) }
    try unsafe run(call, profile: profile, cancellation: cancellation) { position, type in
      try unsafe call.tensorMemory(position, type)
    }
    for (position, result) in call.results.enumerated() {
      switch result {
      case .tensor: results.append(transform(.tensor(call.tensors[position]!)))
      case .scalar(let scalar): results.append(transform(.scalar(scalar)))
      case .string(let string): results.append(transform(.string(string)))
      case .none: results.append(transform(.none))
      }
    }
  }

  /// Runs the remaining iterations of a loop, and makes the key of its continuation.
  private func run(
    _ loop: PlanLoop, _ call: MethodCall, _ context: KernelContext, _ profile: Profile?, _ cancellation: Cancellation?
  ) throws {
    guard context.value(of: loop.flag).boolValue else { return LoopKey.setEnded(&call.key) }
    if loop.isEndless {
      throw ExecutionError(node: "loop \(loop.graph.name)", reason: "the loop never ends: no iteration changes its condition")
    }
    let method = try loop.compiled { graph in
      try CompiledMethod(graph, packed: packed, states: states, threads: workers, precision: precision, limits: limits, memory: memory)
    }
    let rounds = call.loop(loop.index)
    rounds.begin(loop, context)
    repeat {
      if let cancellation, cancellation.isCancelled { throw CancellationError() }
      let inner = rounds.call
      inner.states = call.states
      inner.usesOneThread = call.usesOneThread
      try unsafe method.execute(inner, profile, cancellation) { position, type in try unsafe inner.tensorMemory(position, type) }
      call.countRound(inner)
      guard call.loopStepCount <= limits.loopStepCount else {
        throw ExecutionError(
          node: "loop \(graph.name)", reason: "its iterations take more than \(limits.loopStepCount) steps: an infinite loop?")
      }
      guard call.loopWork <= limits.loopWork else { throw WorkError(limit: limits.loopWork) }
      guard call.work <= limits.callWork else { throw WorkError(limit: limits.callWork) }
    } while try rounds.advance(loop)
    LoopKey.begin(&call.key)
    for number in loop.varying.indices {
      switch rounds.call.arguments[loop.varying[number]] {
      case .tensor(let type, _, _): LoopKey.append(tensor: type, to: &call.key)
      case .scalar(let scalar):
        LoopKey.append(scalar: scalar.kind, to: &call.key)
        guard let slot = loop.slots[number] else { throw ExecutionError(node: "loop \(graph.name)", reason: "a variable changes its type") }
        context.set(slot: slot, scalar)
      case .none: LoopKey.appendNone(to: &call.key)
      }
    }
  }

  private func execute(
    _ call: MethodCall, _ profile: Profile?, _ cancellation: Cancellation?,
    _ output: (_ position: Int, _ type: TensorType) throws -> UnsafeMutableRawPointer
  ) throws {
    let states = call.states.isEmpty ? stateStorages : call.states
    guard states.count == stateCount else {
      throw ExecutionError(node: nil, reason: "\(graph.name) has \(graph.states.count) states, and the call \(states.count)")
    }
    let workspace = call.workspace
    call.bindArguments()
    call.resetCounts()
    var plan: MethodPlan
    if let last = call.lastPlan(of: plans) {
      plan = last
    } else {
      plan = try plans.plan(for: call.key) {
        let plan = try makePlan(call.bindings, cancellation)
        call.countPlanning(of: plan, nodeCount: nodeCount)
        return plan
      }
      call.keep(plan, of: plans)
    }
    workspace.reserve(addressCount: 0, slotCount: plan.slotCount)
    var slot = 0
    for case .scalar(let scalar) in call.arguments {
      unsafe workspace.slots[slot] = scalar.bits
      slot += 1
    }
    call.resetOutputs(count: outputCount)
    while true {
      call.countRun(of: plan)
      guard call.work <= limits.callWork else { throw WorkError(limit: limits.callWork) }
      let context = try unsafe bind(plan, call, states, cancellation, output)
      try runSteps(of: plan, context, profile, cancellation)
      guard let continuation = plan.continuation else { break }
      if let loop = plan.loop {
        try run(loop, call, context, profile, cancellation)
      } else {
        call.key.removeAll(keepingCapacity: true)
        for slot in continuation.slots { call.key.append(context.bits(slot: slot)) }
      }
      plan = try continuation.plan(for: call.key) { resume in
        let plan = try planning(cancellation, resume)
        call.countPlanning(of: plan, nodeCount: nodeCount)
        return plan
      }
    }
    call.results.removeAll(keepingCapacity: true)
    for result in plan.results {
      switch result {
      case .tensor(let type): call.results.append(.tensor(type))
      case .scalar(.known(let scalar)): call.results.append(.scalar(scalar))
      case .scalar(.runtime(let kind, let slot, let offset)):
        let bits = unsafe workspace.slots[slot]
        call.results.append(.scalar(kind == .int ? .int(Int64(bitPattern: bits) &+ offset) : Scalar(kind: kind, bits: bits)))
      case .string(let string): call.results.append(.string(string))
      case .none: call.results.append(.none)
      }
    }
  }

  /// Fills in the addresses of the plan's buffers.
  func bind(
    _ plan: MethodPlan, _ call: MethodCall, _ states: [TensorStorage], _ cancellation: Cancellation?,
    _ output: (_ position: Int, _ type: TensorType) throws -> UnsafeMutableRawPointer
  ) throws -> KernelContext {
    let workspace = call.workspace
    for (position, type) in plan.allocations {
      call.outputs[position] = try unsafe UInt(bitPattern: output(position, type))
    }
    workspace.reserve(addressCount: plan.firstBuffer + plan.buffers.count, slotCount: plan.slotCount)
    let arena = unsafe UInt(bitPattern: try workspace.arena(level: plan.level, byteCount: plan.arenaByteCount))
    var index = plan.firstBuffer
    for buffer in plan.buffers {
      let address: UInt
      switch buffer {
      case .arena(let offset): address = arena + UInt(bitPattern: offset)
      case .fixed(let fixed): address = UInt(bitPattern: fixed)
      case .input(let position): address = call.inputs[position]
      case .output(let position): address = call.outputs[position]
      case .state(let position): address = unsafe UInt(bitPattern: states[position].pointer)
      case .loop(let number, let variable): address = unsafe UInt(bitPattern: call.loops[number].address(of: variable))
      }
      unsafe workspace.addresses[index] = UnsafeMutableRawPointer(bitPattern: address)!
      index += 1
    }
    return unsafe KernelContext(
      buffers: workspace.addresses, slots: workspace.slots, team: pool.limit > 1 && !call.usesOneThread ? call.team : nil,
      cancellation: cancellation)
  }

  func runSteps(
    of plan: MethodPlan, _ context: KernelContext, _ profile: Profile?, _ cancellation: Cancellation?
  ) throws {
    for index in plan.kernels.indices {
      if let cancellation, cancellation.isCancelled { throw CancellationError() }
      let start = profile == nil ? 0 : Profile.now()
      do {
        try plan.kernels[index](context)
      } catch {
        // The kernel may have read what another one left unfinished.
        try cancellation?.check()
        throw ExecutionError(node: plan.steps[index].source, reason: "\(error)", cause: error)
      }
      if let profile {
        try profile.record(Profile.Entry(step: plan.steps[index], start: start, duration: Profile.now() - start))
      }
    }
    try cancellation?.check()
  }
}
