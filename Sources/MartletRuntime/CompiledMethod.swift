package import MartletCompiler
package import MartletGraph
package import MartletKernels
package import MartletOps
package import MartletTensor
import Synchronization

/// An argument of a call.
@safe
package enum Argument: @unchecked Sendable {
  /// A row-major tensor in memory that stays valid during the call.
  case tensor(TensorType, UnsafeRawPointer)
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

/// Lets another thread stop a call between two kernels.
package final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  package init() {}
  package func cancel() { flag.store(true, ordering: .relaxed) }
  package var isCancelled: Bool { flag.load(ordering: .relaxed) }
}

/// A method ready to run. Calls may come from any number of threads; those of a method with states wait for each other.
package final class CompiledMethod: Sendable {
  package let prepared: PreparedGraph
  private let packed: PackedStore
  private let states: StateStore
  private let pool: ThreadPool
  private let plans: PlanCache
  private let workspaces = Mutex<[Workspace]>([])
  private let stateStorages: [AlignedStorage]
  private let limits: ResourceLimits

  package var graph: Graph { prepared.graph }

  /// - Parameters:
  ///   - planCapacity: how many sets of input shapes keep their plan.
  ///   - limits: what a call may take; plans beyond are refused.
  package init(
    _ graph: Graph, packed: PackedStore, states: StateStore, pool: ThreadPool, planCapacity: Int = 16,
    limits: ResourceLimits = .standard
  ) throws {
    prepared = try PreparedGraph(graph)
    self.limits = limits
    var stateByteCount = 0
    for state in graph.states {
      guard let byteCount = HostTensor.byteCount(dtype: state.type.dtype, shape: state.type.shape),
        byteCount <= limits.memoryByteCount - stateByteCount
      else { throw PlanError(node: "state \(state.name)", reason: "\(state.type) is too large") }
      stateByteCount += byteCount
    }
    self.packed = packed
    self.states = states
    self.pool = pool
    plans = PlanCache(capacity: planCapacity)
    stateStorages = try graph.states.map { try states.storage(for: $0) }
  }

  /// Number of plans kept.
  package var planCount: Int { plans.count }

  /// The plan for inputs of these types, without running it.
  package func plan(for inputs: [InputBinding]) throws -> MethodPlan {
    var key: [UInt64] = []
    for input in inputs {
      switch input {
      case .tensor(let type): Self.append(type, to: &key)
      case .scalar(let kind): key.append(1 << 32 | UInt64(kind.rawValue))
      case .none: key.append(2 << 32)
      }
    }
    return try plans.plan(for: key) {
      try Planner.plan(prepared, inputs: inputs, packed: packed, workers: pool.threads, limits: limits)
    }
  }

  /// Runs the method.
  ///
  /// - Parameters:
  ///   - arguments: one per graph input, of the declared kind.
  ///   - output: gives the memory of output tensor `position`, at least `type.byteCount` bytes.
  /// - Returns: the final plan's results, scalar values resolved.
  package func run(
    _ arguments: [Argument], profile: Profile? = nil, cancellation: Cancellation? = nil,
    output: (_ position: Int, _ type: TensorType) throws -> UnsafeMutableRawPointer
  ) throws -> [PlannedResult] {
    guard arguments.count == graph.inputs.count else {
      throw ExecutionError(node: nil, reason: "\(graph.name) takes \(graph.inputs.count) inputs, not \(arguments.count)")
    }
    let workspace = workspaces.withLock { $0.popLast() } ?? Workspace()
    defer { workspaces.withLock { $0.append(workspace) } }
    if prepared.usesStates {
      return try states.callLock.withLock { _ in
        try unsafe execute(arguments, workspace, profile, cancellation, output)
      }
    }
    return try unsafe execute(arguments, workspace, profile, cancellation, output)
  }

  /// Runs the method and returns results in memory of their own.
  package func run(
    _ arguments: [Argument], profile: Profile? = nil, cancellation: Cancellation? = nil
  ) throws -> [CallResult] {
    var storages: [Int: AlignedStorage] = [:]
    let results = try unsafe run(arguments, profile: profile, cancellation: cancellation) { position, type in
      let storage = try AlignedStorage(allocating: type.byteCount)
      storages[position] = storage
      return unsafe storage.pointer
    }
    return results.enumerated().map { position, result in
      switch result {
      case .tensor(let type): .tensor(HostTensor(dtype: type.dtype, shape: type.shape, storage: storages[position]!))
      case .scalar(.known(let scalar)): .scalar(scalar)
      case .scalar: preconditionFailure("scalar results are resolved by execute")
      case .string(let string): .string(string)
      case .none: .none
      }
    }
  }

  private static func append(_ type: TensorType, to key: inout [UInt64]) {
    key.append(3 << 32 | UInt64(type.dtype.rawValue) << 16 | UInt64(type.shape.count))
    for extent in type.shape { key.append(UInt64(extent)) }
  }

  private func execute(
    _ arguments: [Argument], _ workspace: Workspace, _ profile: Profile?, _ cancellation: Cancellation?,
    _ output: (_ position: Int, _ type: TensorType) throws -> UnsafeMutableRawPointer
  ) throws -> [PlannedResult] {
    workspace.key.removeAll(keepingCapacity: true)
    workspace.inputs.removeAll(keepingCapacity: true)
    for argument in arguments {
      switch argument {
      case .tensor(let type, let pointer):
        Self.append(type, to: &workspace.key)
        workspace.inputs.append(unsafe UInt(bitPattern: pointer))
      case .scalar(let scalar):
        workspace.key.append(1 << 32 | UInt64(scalar.kind.rawValue))
        workspace.inputs.append(0)
      case .none:
        workspace.key.append(2 << 32)
        workspace.inputs.append(0)
      }
    }
    var plan = try plans.plan(for: workspace.key) {
      let bindings: [InputBinding] = arguments.map { argument in
        switch argument {
        case .tensor(let type, _): .tensor(type)
        case .scalar(let scalar): .scalar(scalar.kind)
        case .none: .none
        }
      }
      return try Planner.plan(prepared, inputs: bindings, packed: packed, workers: pool.threads, limits: limits)
    }
    workspace.outputs.removeAll(keepingCapacity: true)
    for _ in graph.outputs { workspace.outputs.append(0) }
    workspace.reserve(addressCount: 0, slotCount: plan.slotCount)
    var slot = 0
    for case .scalar(let scalar) in arguments {
      unsafe workspace.slots[slot] = scalar.bits
      slot += 1
    }
    while true {
      let context = try unsafe bind(plan, workspace, output)
      try runSteps(of: plan, context, profile, cancellation)
      guard let continuation = plan.continuation else { break }
      workspace.key.removeAll(keepingCapacity: true)
      for slot in continuation.slots { workspace.key.append(context.bits(slot: slot)) }
      plan = try continuation.plan(for: workspace.key)
    }
    if plan.results.contains(where: { if case .scalar(.runtime) = $0 { true } else { false } }) {
      return plan.results.map { result in
        guard case .scalar(.runtime(let kind, let slot, let offset)) = result else { return result }
        let bits = unsafe workspace.slots[slot]
        let scalar = kind == .int ? Scalar.int(Int64(bitPattern: bits) &+ offset) : Scalar(kind: kind, bits: bits)
        return .scalar(.known(scalar))
      }
    }
    return plan.results
  }

  /// Fills in the addresses of the plan's buffers.
  private func bind(
    _ plan: MethodPlan, _ workspace: Workspace, _ output: (_ position: Int, _ type: TensorType) throws -> UnsafeMutableRawPointer
  ) throws -> KernelContext {
    for (position, type) in plan.allocations {
      workspace.outputs[position] = unsafe UInt(bitPattern: try output(position, type))
    }
    workspace.reserve(addressCount: plan.firstBuffer + plan.buffers.count, slotCount: plan.slotCount)
    let arena = unsafe UInt(bitPattern: try workspace.arena(level: plan.level, byteCount: plan.arenaByteCount))
    var index = plan.firstBuffer
    for buffer in plan.buffers {
      let address: UInt
      switch buffer {
      case .arena(let offset): address = arena + UInt(bitPattern: offset)
      case .fixed(let fixed): address = UInt(bitPattern: fixed)
      case .input(let position): address = workspace.inputs[position]
      case .output(let position): address = workspace.outputs[position]
      case .state(let position): address = unsafe UInt(bitPattern: stateStorages[position].pointer)
      }
      unsafe workspace.addresses[index] = UnsafeMutableRawPointer(bitPattern: address)!
      index += 1
    }
    return unsafe KernelContext(buffers: workspace.addresses, slots: workspace.slots, pool: pool.threads > 1 ? pool : nil)
  }

  private func runSteps(
    of plan: MethodPlan, _ context: KernelContext, _ profile: Profile?, _ cancellation: Cancellation?
  ) throws {
    for step in plan.steps {
      if let cancellation, cancellation.isCancelled { throw CancellationError() }
      let start = profile == nil ? 0 : Profile.now()
      do {
        try step.kernel(context)
      } catch {
        throw ExecutionError(node: step.source, reason: "\(error)")
      }
      if let profile {
        profile.record(
          Profile.Entry(
            label: step.label, source: step.source, start: start, duration: Profile.now() - start, flops: step.flops,
            bytes: step.bytes))
      }
    }
  }
}
