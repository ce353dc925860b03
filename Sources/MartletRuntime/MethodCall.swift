import MartletCompiler
package import MartletTensor

/// One call of a method: its arguments, its results and the memory that it works in. Reused by later calls, so that a warm
/// one allocates nothing. Used by one thread at a time.
@safe
package final class MethodCall: @unchecked Sendable {
  /// One per input of the method, for the caller to append.
  package var arguments: [Argument] = []
  /// What the last run gave.
  package internal(set) var results: [CallOutput] = []

  let workspace = Workspace()
  /// Key of the plan that the call needs, built in place.
  var key: [UInt64] = []
  /// The last run's plan, its key and where it is from: who calls again with inputs of the same types need not look for it.
  private var lastPlan: MethodPlan?
  private var lastKey: [UInt64] = []
  private var lastCache: PlanCache?
  /// Addresses of the call's inputs and outputs by position.
  private(set) var inputs: [UInt] = []
  var outputs: [UInt] = []
  /// For each output a tensor that it may take the memory of; afterwards the tensor that it has.
  package var tensors: [HostTensor?] = []
  /// The loops of the call whose rounds are calls of their own.
  private(set) var loops: [LoopRounds] = []

  /// Kernels that the last run has run, those of loops' rounds left out, and what making plans took, in kernels.
  private(set) var stepCount = 0
  /// The same for all rounds of the run's loops.
  private(set) var loopStepCount = 0

  /// Whether the call runs on its caller's thread alone: one of several that the caller makes at the same time.
  package var usesOneThread = false

  /// Memory of the graph's states, in its order, that the call uses in place of the method's own. The caller sees to it that
  /// no other call uses it at the time.
  package var states: [TensorStorage] = []

  init() {}

  /// Forgets what the last run was given, and keeps the memory that it worked in.
  package func reset() {
    arguments.removeAll(keepingCapacity: true)
    tensors.removeAll(keepingCapacity: true)
    states.removeAll(keepingCapacity: true)
    usesOneThread = false
  }

  func loop(_ index: Int) -> LoopRounds {
    while loops.count <= index { loops.append(LoopRounds()) }
    return loops[index]
  }

  /// Takes the inputs' addresses alone: whoever calls knows the plan.
  func bindInputs(_ addresses: Slice<UnsafeBufferPointer<UInt>>) {
    inputs.removeAll(keepingCapacity: true)
    unsafe inputs.append(contentsOf: addresses)
  }

  /// Memory for an output: that of the tensor which is offered for it, if it fits and nobody else holds it.
  func tensorMemory(_ position: Int, _ type: TensorType) throws -> UnsafeMutableRawPointer {
    if tensors[position]?.dtype != type.dtype || tensors[position]?.shape != type.shape
      || tensors[position]?.isUniquelyHeld() != true
    {
      tensors[position] = HostTensor(dtype: type.dtype, shape: type.shape, storage: try TensorStorage(allocating: type.byteCount))
    }
    return unsafe tensors[position]!.sharedStorage.pointer
  }

  /// Bytes of temporary memory that the call keeps.
  package var arenaByteCount: Int { workspace.arenaByteCount }

  /// The last run's plan, if it is one of `cache` and for the key that there is now.
  func lastPlan(of cache: PlanCache) -> MethodPlan? { lastCache === cache && lastKey == key ? lastPlan : nil }

  func keep(_ plan: MethodPlan, of cache: PlanCache) {
    lastPlan = plan
    lastCache = cache
    lastKey.removeAll(keepingCapacity: true)
    lastKey.append(contentsOf: key)
  }

  /// Takes the arguments' types into the key and their addresses into `inputs`.
  func bindArguments() {
    key.removeAll(keepingCapacity: true)
    inputs.removeAll(keepingCapacity: true)
    for argument in arguments {
      Self.append(argument.binding, to: &key)
      inputs.append(argument.address)
    }
  }

  /// Planning a node takes as long as running some hundred kernels of a few numbers. A loop that plans in every round may do so in
  /// thousands of rounds, but not for hours.
  static let stepsPerPlannedNode = 100

  func resetCounts() {
    stepCount = 0
    loopStepCount = 0
  }

  func countRun(of plan: MethodPlan) { stepCount += max(plan.steps.count, 1) }

  func countPlanning(of plan: MethodPlan, nodeCount: Int) {
    stepCount += max(plan.steps.count, nodeCount, 1) * Self.stepsPerPlannedNode
  }

  /// Adds a round of a loop, which `round` has run.
  func countRound(_ round: MethodCall) { loopStepCount += round.stepCount + round.loopStepCount }

  func resetOutputs(count: Int) {
    outputs.removeAll(keepingCapacity: true)
    for _ in 0..<count { outputs.append(0) }
  }

  /// The arguments as the planner sees them.
  var bindings: [InputBinding] { arguments.map(\.binding) }

  /// Appends what distinguishes plans for an input.
  static func append(_ input: InputBinding, to key: inout [UInt64]) {
    switch input {
    case .tensor(let type, let order):
      let isReordered: UInt64 = order == nil ? 0 : 1
      key.append(3 << 32 | isReordered << 24 | UInt64(type.dtype.rawValue) << 16 | UInt64(type.shape.count))
      for extent in type.shape { key.append(UInt64(extent)) }
      // At most 16 axes, four bits each.
      if let order { key.append(order.reduce(0) { $0 << 4 | UInt64($1) }) }
    case .scalar(let kind): key.append(1 << 32 | UInt64(kind.rawValue))
    case .none: key.append(2 << 32)
    }
  }
}

extension Argument {
  /// The argument as the planner sees it.
  fileprivate var binding: InputBinding {
    switch self {
    case .tensor(let type, _, let order): .tensor(type, order: order)
    case .scalar(let scalar): .scalar(scalar.kind)
    case .none: .none
    }
  }

  /// Where a tensor's elements lie; 0 for others.
  fileprivate var address: UInt {
    if case .tensor(_, let pointer, _) = self { UInt(bitPattern: pointer) } else { 0 }
  }
}
