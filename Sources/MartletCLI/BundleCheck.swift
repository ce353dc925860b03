import FoundationEssentials
import Martlet
import MartletCommands
import MartletConformance

/// Runs the recorded inputs of a bundle and compares the outputs with the recorded ones.
struct BundleCheck {
  let path: String
  let model: Model

  init(path: String, options: ModelOptions) throws {
    try requireFile(path)
    self.path = path
    model = try Model(contentsOf: URL(fileURLWithPath: path), options: options)
  }

  /// One result for each recorded run.
  func results() throws -> [CaseResult] {
    let runs = try model.recordedRuns()
    guard !runs.isEmpty else { throw CommandFailure("\(path) has no recorded inputs and outputs") }
    let comparison = CaseComparison(tolerance: Tolerance(relative: 1e-4, absolute: 1e-5))
    let progress = Progress()
    return runs.enumerated().map { position, run in
      progress.show("\(path): run \(position + 1) of \(runs.count)")
      return CaseResult(
        path: "\(path)#\(run.method)/\(run.position)", name: "\(run.method)/\(run.position)", family: "bundle",
        failures: failures(run, comparison))
    }
  }

  private func failures(_ run: RecordedRun, _ comparison: CaseComparison) -> [CaseFailure] {
    let outputs: [ModelValue]
    do {
      // A recorded run starts from the initial state.
      try model.resetState()
      outputs = try model.run(run.inputs, method: run.method)
    } catch {
      return [CaseFailure(.run, "\(error)")]
    }
    guard outputs.count == run.expectedOutputs.count else {
      return [CaseFailure(.outputs, "\(outputs.count) outputs, expected \(run.expectedOutputs.count)")]
    }
    return zip(outputs, run.expectedOutputs).enumerated().flatMap { index, pair in
      comparison.failures(actual: CaseValue(pair.0), expected: CaseValue(pair.1), place: "output \(index)")
    }
  }
}
