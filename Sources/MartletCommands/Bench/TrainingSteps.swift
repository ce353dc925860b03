import FoundationEssentials
import Martlet

/// The steps of trainings, one after the other, each with its time.
struct TrainingSteps {
  private struct End: Error {}

  private let trainer: Trainer
  private let data: TrainingData
  /// True if trainings have further passes after the first one, in which the layers that stay as they are run for each sample.
  private let hasLaterPasses: Bool

  init(path: String, samples: String, _ model: ModelArguments) throws {
    trainer = try Trainer(contentsOf: URL(fileURLWithPath: path), options: model.options())
    data = try SampleFiles(path: samples, for: trainer).data
    guard let epochs = trainer.parameters.first(where: { $0.name == .epochs }) else {
      throw CommandFailure("\(path) is not trained in steps")
    }
    switch epochs.allowed {
    case .any: try trainer.set(.epochs, to: .int(1 << 20))
    case .range(let range): try trainer.set(.epochs, to: .double(range.upperBound))
    case .set(let values): try trainer.set(.epochs, to: .double(values.max() ?? 1))
    }
    hasLaterPasses = trainer.value(of: .epochs)?.number ?? 1 > 1
  }

  /// Trains until `body` returns false. Calls it after each step, with the step's seconds.
  func run(_ body: (_ seconds: Double) throws -> Bool) throws {
    do {
      while true {
        var start = ContinuousClock.now
        try trainer.train(on: data) { event in
          let seconds = (ContinuousClock.now - start).seconds
          if event.kind == .miniBatchEnd, event.epoch > 0 || !hasLaterPasses, try !body(seconds) { throw End() }
          start = ContinuousClock.now
        }
      }
    } catch is End {}
  }

  /// Mean number of C allocator calls per step; nil in builds that do not count them.
  func allocationsPerStep() throws -> Double? {
    let count = 20
    var (before, after): (Int?, Int?)
    // In range: a number of steps.
    var left = 2 * count
    try run { _ in
      left -= 1
      if left == count { before = ProcessMemory.allocationCount }
      if left == 0 { after = ProcessMemory.allocationCount }
      return left > 0
    }
    // In range: counts of one process.
    return if let before, let after { Double(after - before) / Double(count) } else { nil }
  }

  /// The kernels of `count` steps.
  func profile(_ count: Int) throws -> [[KernelTime]] {
    var runs: [[KernelTime]] = []
    trainer.recordsKernels = true
    defer { trainer.recordsKernels = false }
    try run { _ in
      runs.append(trainer.recordedKernels)
      return runs.count < count
    }
    return runs
  }
}

extension BenchCommand {
  /// The number of a step after which resident memory is measured, to be compared with that after the last one.
  private static let earlyStep = 100

  func measure(_ path: String, trainedWith samples: String) throws -> Measurement {
    defer { Terminal.clearProgress() }
    Terminal.showProgress("\(path): loading")
    let hasPeak = ProcessMemory.forgetPeak()
    let residentBefore = ProcessMemory.residentByteCount
    let start = ContinuousClock.now
    let steps = try TrainingSteps(path: path, samples: samples, model)
    let load = (ContinuousClock.now - start).seconds
    var (times, first): ([Double], Double) = ([], 0)
    times.reserveCapacity(iterations ?? 1 << 16)
    var memory: [Measurement.Resident] = []
    let begin = ContinuousClock.now
    var untimed = warmup + 1
    try steps.run { seconds in
      guard untimed == 0 else {
        if untimed == warmup + 1 { first = seconds }
        untimed -= 1
        return true
      }
      times.append(seconds)
      let isEnd = iterations.map { times.count >= $0 } ?? (times.count >= 1 << 16 || (ContinuousClock.now - begin).seconds >= self.seconds)
      if times.count == Self.earlyStep || isEnd, let byteCount = ProcessMemory.residentByteCount {
        memory.append(Measurement.Resident(step: times.count, byteCount: byteCount))
      }
      return !isEnd
    }
    let growth: Int? =
      // In range: both are not negative.
      if hasPeak, let peak = ProcessMemory.peakResidentByteCount, let residentBefore { max(0, peak - residentBefore) } else { nil }
    var measurement = Measurement(
      path: path, method: "training", threads: model.threads ?? ModelOptions.defaultThreads, loadSeconds: load, firstSeconds: first,
      times: times.sorted(), memoryGrowthByteCount: growth)
    measurement.call = "step"
    measurement.resident = memory
    measurement.allocationsPerPrediction = try steps.allocationsPerStep()
    if profile { measurement.profile = KernelProfile(try steps.profile(min(times.count, 50))) }
    return measurement
  }
}
