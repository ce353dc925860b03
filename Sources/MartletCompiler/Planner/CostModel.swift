package import MartletGraph
package import MartletOps

/// Estimates how long kernels take: as long as their operations or their memory accesses do, whichever is longer, and what it costs to
/// start them.
///
/// Rates and bandwidths are those of a common processor with 512-bit vectors. Estimates serve to compare the kernels of a plan with one
/// another; they promise no time.
package struct CostModel: Sendable {
  /// Threads that share the work of a kernel.
  package var workers: Int

  package init(workers: Int) { self.workers = max(workers, 1) }

  /// Operations of one thread in a second.
  static func rate(of work: KernelWork) -> Double {
    switch work {
    case .product: 150e9
    // Fewer operations than those of the convolution itself, which count, but transforms besides.
    case .winograd(let side): side >= 4 ? 480e9 : 320e9
    case .expansion: 90e9
    case .depthwise: 50e9
    case .integerProduct: 500e9
    case .elementwise: 25e9
    case .single: 1e9
    }
  }

  /// Bytes that one thread moves in a second, from memory and from its caches.
  static let memoryBandwidth = 20e9
  static let cacheBandwidth = 45e9
  /// What stays in a thread's caches between two kernels.
  static let cacheByteCount = 1e6
  /// What a kernel takes that does nothing.
  static let overhead = 0.5e-6
  /// What it takes to share a kernel's work among threads, and the least work for which that is done.
  static let sharing = 4e-6
  /// How much faster all threads together move data than one.
  static let bandwidthGrowth = 1.6

  /// Seconds that a kernel takes.
  package func seconds(of step: PlannedStep) -> Double {
    let bandwidth = step.bytes <= Self.cacheByteCount ? Self.cacheBandwidth : Self.memoryBandwidth
    let (arithmetic, memory) = (step.flops / Self.rate(of: step.work), step.bytes / bandwidth)
    let alone = max(arithmetic, memory)
    guard workers > 1, alone > 2 * Self.sharing else { return Self.overhead + alone }
    return Self.overhead + Self.sharing + max(arithmetic / Double(workers), memory / min(Double(workers), Self.bandwidthGrowth))
  }

  /// Seconds that an operation adds to a kernel which does it along with its own work, on elements that are at hand.
  func absorbedSeconds(in step: PlannedStep) -> Double {
    Double(step.elementCount) / (Self.rate(of: .elementwise) * Double(workers))
  }
}

/// What the operations of a model file cost in a plan.
package struct OperationCosts: Sendable {
  package struct Cost: Sendable {
    package let operation: SourceOperation
    /// Seconds, as estimated.
    package var estimate = 0.0
    /// Seconds, as measured; 0 if nothing was.
    package var measurement = 0.0
    /// What the kernels are that compute the operation, each once.
    package var kernels: [String] = []
  }

  private let model: CostModel
  private var byNumber: [Int: Cost] = [:]
  /// Seconds of kernels that no operation is the reason for, as estimated.
  package private(set) var unattributed = 0.0

  /// - Parameter operations: all operations, also those that no kernel may be left of.
  package init(_ operations: [SourceOperation], model: CostModel) {
    self.model = model
    for operation in operations { byNumber[operation.number] = Cost(operation: operation) }
  }

  /// In the file's order.
  package var costs: [Cost] { byNumber.values.sorted { $0.operation.number < $1.operation.number } }

  /// Divides a kernel's cost among the operations that it computes.
  ///
  /// Operations that it does along with its own work cost it one step of arithmetic on each element of the result, though together at
  /// most half of what it takes; the others share the rest alike.
  /// - Parameter measured: seconds that a run took.
  package mutating func add(_ step: PlannedStep, measured: Double? = nil) {
    let estimate = model.seconds(of: step)
    guard !step.origins.isEmpty else {
      unattributed += estimate
      return
    }
    let absorbedCount = step.origins.count(where: \.isAbsorbed)
    let carrierCount = step.origins.count - absorbedCount
    var absorbedShare = 1 / Double(step.origins.count)
    if carrierCount > 0, absorbedCount > 0 {
      absorbedShare = min(model.absorbedSeconds(in: step) / estimate, 0.5 / Double(absorbedCount))
    }
    let carrierShare = carrierCount > 0 ? (1 - absorbedShare * Double(absorbedCount)) / Double(carrierCount) : 0
    for origin in step.origins {
      let share = origin.isAbsorbed ? absorbedShare : carrierShare
      var cost = byNumber[origin.operation.number] ?? Cost(operation: origin.operation)
      cost.estimate += share * estimate
      cost.measurement += share * (measured ?? 0)
      if !cost.kernels.contains(step.label) { cost.kernels.append(step.label) }
      byNumber[origin.operation.number] = cost
    }
  }
}
