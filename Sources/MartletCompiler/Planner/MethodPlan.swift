package import MartletGraph
package import MartletKernels
package import MartletOps
package import MartletTensor

/// A result of a call.
package enum PlannedResult: Sendable {
  /// The tensor in the output buffer of the same position.
  case tensor(TensorType)
  case scalar(ScalarOperand)
  case string(String)
  case none
}

/// Kernels bound to buffers, for one set of input shapes. Plans are immutable: any number of calls may run a plan at once, each with its
/// own memory.
package final class MethodPlan: Sendable {
  package let steps: [PlannedStep]
  /// The steps' kernels. A run reads nothing else of the steps.
  package let kernels: [Kernel]
  /// Sources of the buffers from `firstBuffer` on; earlier buffers belong to the plans that this one continues.
  package let buffers: [BoundBuffer]
  package let firstBuffer: Int
  package let slotCount: Int
  /// Size of this plan's temporary memory in bytes.
  package let arenaByteCount: Int
  /// Work of one run, in the units of `Allowance`.
  package let work: Int
  /// Depth in a chain of continuations; 0 for the first plan of a call. Each depth has its own arena.
  package let level: Int
  /// Output tensors whose memory must be allocated before the steps run.
  package let allocations: [(output: Int, type: TensorType)]
  /// Results of the call, if this plan is the last one.
  package let results: [PlannedResult]
  /// The continuation of the call, if any.
  package let continuation: PlanContinuation?
  /// The loop that runs between this plan and its continuation, whose key is then a `LoopKey`.
  package let loop: PlanLoop?

  /// Location of a buffer after temporary memory has been laid out.
  package enum BoundBuffer: Sendable {
    case arena(offset: Int)
    case fixed(address: Int)
    case input(Int)
    case output(Int)
    case state(Int)
    /// A variable left by the loop with this index, by its position among the varying ones.
    case loop(Int, variable: Int)
  }

  /// Keeps constants and packed weights alive.
  private let owners: [any AnyObject & Sendable]

  init(
    builder: PlanBuilder, layout: ArenaLayout, level: Int, allocations: [(output: Int, type: TensorType)], results: [PlannedResult],
    continuation: PlanContinuation?, loop: PlanLoop? = nil
  ) {
    let own = builder.buffers[builder.firstBuffer...]
    var owners: [any AnyObject & Sendable] = []
    self.buffers = own.enumerated().map { index, buffer in
      switch buffer.source {
      case .arena: return .arena(offset: layout.offsets[index])
      case .fixed(let address, let owner):
        owners.append(owner)
        return .fixed(address: address)
      case .input(let position): return .input(position)
      case .output(let position): return .output(position)
      case .state(let position): return .state(position)
      case .loop(let index, let variable): return .loop(index, variable: variable)
      }
    }
    self.loop = loop
    self.owners = owners
    self.steps = builder.steps
    self.kernels = builder.steps.map(\.kernel)
    var work = Extent(1)
    for step in builder.steps { work += step.units }
    self.work = work.clamped
    self.firstBuffer = builder.firstBuffer
    self.slotCount = builder.slotCount
    self.arenaByteCount = layout.byteCount
    self.level = level
    self.allocations = allocations
    self.results = results
    self.continuation = continuation
  }
}

extension PlanBuilder {
  /// Lays out the temporary memory of the finished plan.
  func layOut() -> ArenaLayout {
    ArenaLayout(
      buffers[firstBuffer...].map { buffer in
        if case .arena(let byteCount) = buffer.source {
          ArenaLayout.Request(byteCount: byteCount, first: buffer.firstUse, last: buffer.lastUse)
        } else {
          nil
        }
      })
  }
}

/// The rest of a call whose shapes depend on values that the plan so far computes.
package final class PlanContinuation: Sendable {
  /// Slots whose values are needed to continue.
  package let slots: [Int]
  private let cache = PlanCache(capacity: 16)
  private let resume: @Sendable ([UInt64]) throws -> MethodPlan

  init(slots: [Int], resume: @escaping @Sendable ([UInt64]) throws -> MethodPlan) {
    self.slots = slots
    self.resume = resume
  }

  /// The plan for these values of the slots.
  /// - Parameter make: calls its argument to make a plan that is not cached.
  package func plan(
    for values: [UInt64], make: (_ resume: () throws -> MethodPlan) throws -> MethodPlan = { try $0() }
  ) throws -> MethodPlan {
    try cache.plan(for: values) { try make { try resume(values) } }
  }
}
