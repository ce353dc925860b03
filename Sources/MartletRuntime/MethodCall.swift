import MartletCompiler
import MartletKernels
package import MartletTensor

/// One call of a method: its arguments, its results and its working memory. Calls are reused, so that a warm call allocates nothing. A
/// call is used by one thread at a time.
@safe
package final class MethodCall: @unchecked Sendable {
  /// One for each input of the method, appended by the caller.
  package var arguments: [Argument] = []
  /// Results of the last run.
  package internal(set) var results: [CallOutput] = []

  let workspace = Workspace()
  /// The threads that share the call's work.
  let team: ThreadTeam
  /// Key of the required plan, built in place.
  var key: [UInt64] = []
  /// The plan of the last run with its key and cache: another run with inputs of the same types skips the look-up.
  private var lastPlan: MethodPlan?
  private var lastKey: [UInt64] = []
  private var lastCache: PlanCache?
  /// Addresses of the call's inputs and outputs by position.
  private(set) var inputs: [UInt] = []
  var outputs: [UInt] = []
  /// For each output, a tensor whose memory may be reused; after the run, the output tensor.
  package var tensors: [HostTensor?] = []
  /// The loops of the call whose iterations are separate calls.
  private(set) var loops: [LoopRounds] = []

  /// Number of kernels in the last run, without those of loop iterations, plus the equivalent of planning in kernels.
  private(set) var stepCount = 0
  /// The same for all iterations of the run's loops.
  private(set) var loopStepCount = 0
  /// Work of the last run in the units of `Allowance`, loop iterations included.
  private(set) var work = 0
  /// The part of `work` done by iterations of data-dependent loops.
  private(set) var loopWork = 0

  /// Whether the call runs only on its caller's thread: one of several parallel calls by the same caller.
  package var usesOneThread = false

  /// Memory of the graph's states, in order, used instead of the method's own. The caller ensures that no other call uses it at the same
  /// time.
  package var states: [TensorStorage] = []

  init(team: ThreadTeam) { self.team = team }

  /// Clears the arguments of the last run and keeps the working memory.
  package func reset() {
    arguments.removeAll(keepingCapacity: true)
    tensors.removeAll(keepingCapacity: true)
    states.removeAll(keepingCapacity: true)
    usesOneThread = false
  }

  func loop(_ index: Int) -> LoopRounds {
    while loops.count <= index { loops.append(LoopRounds(team: team)) }
    return loops[index]
  }

  /// Binds only the inputs' addresses, for a caller that already has the plan.
  func bindInputs(_ addresses: Slice<UnsafeBufferPointer<UInt>>) {
    inputs.removeAll(keepingCapacity: true)
    unsafe inputs.append(contentsOf: addresses)
  }

  /// Memory for an output: that of the tensor offered for it if it fits and is uniquely referenced, otherwise new memory.
  func tensorMemory(_ position: Int, _ type: TensorType) throws -> UnsafeMutableRawPointer {
    if tensors[position]?.dtype != type.dtype || tensors[position]?.shape != type.shape
      || tensors[position]?.isUniquelyHeld() != true
    {
      tensors[position] = HostTensor(dtype: type.dtype, shape: type.shape, storage: try TensorStorage(allocating: type.byteCount))
    }
    return unsafe tensors[position]!.sharedStorage.pointer
  }

  /// Size of the call's temporary memory in bytes.
  package var arenaByteCount: Int { workspace.arenaByteCount }

  /// The plan of the last run, if it is from `cache` and its key equals the current one.
  func lastPlan(of cache: PlanCache) -> MethodPlan? { lastCache === cache && lastKey == key ? lastPlan : nil }

  func keep(_ plan: MethodPlan, of cache: PlanCache) {
    lastPlan = plan
    lastCache = cache
    lastKey.removeAll(keepingCapacity: true)
    lastKey.append(contentsOf: key)
  }

  /// Stores the arguments' types in `key` and their addresses in `inputs`.
  func bindArguments() {
    key.removeAll(keepingCapacity: true)
    inputs.removeAll(keepingCapacity: true)
    for argument in arguments {
      Self.append(argument.binding, to: &key)
      inputs.append(argument.address)
    }
  }

  /// Cost of planning one node, in kernels: about as long as a hundred kernels on a few elements. A loop that plans in every iteration
  /// may run for thousands of iterations, but not for hours.
  static let stepsPerPlannedNode = 100

  func resetCounts() {
    stepCount = 0
    loopStepCount = 0
    work = 0
    loopWork = 0
  }

  func countRun(of plan: MethodPlan) {
    stepCount += max(plan.steps.count, 1)
    count(work: plan.work)
  }

  private func count(work units: Int) {
    work = (Extent(work) + units).clamped
  }

  func countPlanning(of plan: MethodPlan, nodeCount: Int) {
    stepCount = (Extent(max(plan.steps.count, nodeCount, 1)) * Self.stepsPerPlannedNode + stepCount).clamped
  }

  /// Adds an iteration of a loop that was run by `round`.
  func countRound(_ round: MethodCall) {
    loopStepCount += round.stepCount + round.loopStepCount
    count(work: round.work)
    loopWork = (Extent(loopWork) + round.work).clamped
  }

  func resetOutputs(count: Int) {
    outputs.removeAll(keepingCapacity: true)
    for _ in 0..<count { outputs.append(0) }
  }

  /// The arguments as seen by the planner.
  var bindings: [InputBinding] { arguments.map(\.binding) }

  /// Appends the properties of an input that plans depend on.
  static func append(_ input: InputBinding, to key: inout [UInt64]) {
    switch input {
    case .tensor(let type, let order):
      let isReordered: UInt64 = order == nil ? 0 : 1
      key.append(3 << 32 | isReordered << 24 | UInt64(widening: type.dtype.rawValue) << 16 | UInt64(clamping: type.shape.count))
      for extent in type.shape { key.append(UInt64(clamping: extent)) }
      // At most 16 axes, four bits each.
      if let order { key.append(order.reduce(0) { $0 << 4 | UInt64(clamping: $1) }) }
    case .scalar(let kind): key.append(1 << 32 | UInt64(widening: kind.rawValue))
    case .none: key.append(2 << 32)
    }
  }
}

extension Argument {
  /// The argument as seen by the planner.
  fileprivate var binding: InputBinding {
    switch self {
    case .tensor(let type, _, let order): .tensor(type, order: order)
    case .scalar(let scalar): .scalar(scalar.kind)
    case .none: .none
    }
  }

  /// Address of a tensor's elements; 0 for other arguments.
  fileprivate var address: UInt {
    if case .tensor(_, let pointer, _) = self { UInt(bitPattern: pointer) } else { 0 }
  }
}
