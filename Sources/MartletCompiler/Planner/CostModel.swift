package import MartletGraph
package import MartletKernels
package import MartletOps

/// Estimates the run time of kernels: the time of the arithmetic or of the memory accesses, whichever is longer, plus a fixed overhead.
///
/// Rates come from the machine profile. Estimates serve to compare the kernels of a plan with one another; they do not predict times.
package struct CostModel: Sendable {
  /// Number of threads that share the work of a kernel.
  package var workers: Int
  package var machine: MachineProfile

  package init(workers: Int, machine: MachineProfile = .current) {
    self.workers = max(workers, 1)
    self.machine = machine
  }

  /// Operations per second on one thread.
  func rate(of work: KernelWork) -> Double {
    let product = machine.productRate
    return switch work {
    case .product: product
    // In operations of the direct convolution, more than Winograd's needs. The transforms are included.
    case .winograd(let side): side >= 4 ? product * 3.2 : product * 2.15
    case .expansion: product * 0.6
    case .depthwise: product / 3
    case .integerProduct: machine.integerProductRate
    case .elementwise: product / 6
    case .single: 1e9
    }
  }

  /// Seconds of a kernel without work.
  static let overhead = 0.5e-6
  /// Seconds to share a kernel's work among threads; kernels shorter than twice that are not shared.
  static let sharing = 4e-6

  /// Estimated seconds of a kernel.
  package func seconds(of step: PlannedStep) -> Double {
    let bandwidth = step.bytes <= machine.residentByteCount ? machine.cacheBandwidth : machine.memoryBandwidth
    let (arithmetic, memory) = (step.flops / rate(of: step.work), step.bytes / bandwidth)
    let alone = max(arithmetic, memory)
    // In range: floating-point numbers.
    guard workers > 1, alone > 2 * Self.sharing else { return Self.overhead + alone }
    return Self.overhead + Self.sharing + max(arithmetic / Double(workers), memory / min(Double(workers), machine.bandwidthGrowth))
  }

  /// Seconds that an absorbed operation adds to a kernel, on elements that are in registers or caches already.
  func absorbedSeconds(in step: PlannedStep) -> Double {
    Double(step.elementCount) / (rate(of: .elementwise) * Double(workers))
  }
}

/// The costs of the operations of a model file in a plan.
package struct OperationCosts: Sendable {
  package struct Cost: Sendable {
    package let operation: SourceOperation
    /// Estimated time in seconds.
    package var estimate = 0.0
    /// Measured time in seconds; 0 if nothing was measured.
    package var measurement = 0.0
    /// Distinct labels of the kernels that compute the operation.
    package var kernels: [String] = []
  }

  private let model: CostModel
  private var byNumber: [Int: Cost] = [:]
  /// Estimated time, in seconds, of kernels without an operation.
  package private(set) var unattributed = 0.0

  /// - Parameter operations: all operations, including those for which no kernel remains.
  package init(_ operations: [SourceOperation], model: CostModel) {
    self.model = model
    for operation in operations { byNumber[operation.number] = Cost(operation: operation) }
  }

  /// In file order.
  package var costs: [Cost] { byNumber.values.sorted { $0.operation.number < $1.operation.number } }

  /// Divides a kernel's cost among the operations that it computes.
  ///
  /// Operations that it performs in addition to its main work are charged one arithmetic step per element of the result, but together at
  /// most half of the kernel's cost. The other operations share the rest equally.
  /// - Parameter measured: measured time in seconds.
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
