import Foundation
import Martlet
import MartletConformance
import Testing

/// The recorded cases of single operators, states and networks that come with the project, made by `Oracles/make_op_cases.py`,
/// `Oracles/make_state_cases.py` and `Oracles/make_network_cases.py`, run by the engine.
@Suite struct RecordedFixtureTests {
  private static var fixtures: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fixtures")
  }

  /// The folders of the cases in a folder of the fixtures: all in release builds, every `step`-th in debug builds, where a case takes ten times
  /// as long. Neighbours in the order of paths test the same operator, so a sample has nearly every operator.
  private static func cases(_ folder: String, every step: Int) throws -> [String] {
    let all = try RecordedCase.folders(under: fixtures.appendingPathComponent(folder).path)
    #if DEBUG
      return stride(from: 0, to: all.count, by: step).map { all[$0] }
    #else
      return all
    #endif
  }

  /// One model serves several callers at once, each of them with threads of its own.
  @Test func everyRecordedOperatorGivesItsResultsToConcurrentCallers() async throws {
    var options = ModelOptions()
    options.threads = 2
    for folder in try Self.cases("ops", every: 8) {
      let recorded = try RecordedCase(folder: folder)
      // Steps change states, which callers share.
      if recorded.steps.count > 1 { continue }
      let model = try ModelCase(recorded, options: options)
      let runner = CaseRunner(concurrency: 1) { _ in model }
      await withTaskGroup(of: CaseResult.self) { group in
        for _ in 0..<3 { group.addTask { runner.result(folder: folder) } }
        for await result in group where !result.passed { Issue.record("\(folder): \(result.failures)") }
      }
    }
  }

  @Test func everyRecordedOperatorGivesItsRecordedResults() async throws {
    var options = ModelOptions()
    options.threads = 1
    let runner = CaseRunner(concurrency: 2) { [options] recorded in try ModelCase(recorded, options: options) }
    let folders = try Self.cases("ops", every: 4)
    let report = try await runner.run(paths: folders)
    #expect(report.results.count == folders.count && folders.count > 100)
    for result in report.results where !result.passed {
      Issue.record("\(result.path): \(result.failures)")
    }
  }

  /// Expected is what formulations without states give.
  @Test(arguments: [1, 2]) func everyStateKeepsItsValueFromStepToStep(threads: Int) async throws {
    var options = ModelOptions()
    options.threads = threads
    let runner = CaseRunner(concurrency: 1) { [options] recorded in try ModelCase(recorded, options: options) }
    let report = try await runner.run(paths: [Self.fixtures.appendingPathComponent("states").path])
    #expect(report.results.count >= 18)
    for result in report.results where !result.passed {
      Issue.record("\(result.path): \(result.failures)")
    }
  }

  /// Neural networks made by `Oracles/make_network_cases.py`: every layer that needs no code of a user, in both meanings of an array's axes.
  @Test(arguments: [1, 2]) func everyRecordedNetworkGivesItsRecordedResults(threads: Int) async throws {
    var options = ModelOptions()
    options.threads = threads
    let runner = CaseRunner(concurrency: 2) { [options] recorded in try ModelCase(recorded, options: options) }
    let folders = try Self.cases("network", every: 4)
    let report = try await runner.run(paths: folders)
    #expect(report.results.count == folders.count && folders.count > 250)
    for result in report.results where !result.passed {
      Issue.record("\(result.path): \(result.failures)")
    }
  }
}
