import Foundation
import Martlet
import MartletConformance
import Testing

/// The recorded operator cases that come with the project (made by `Oracles/make_op_cases.py`), run by the engine.
@Suite struct RecordedFixtureTests {
  private static var fixtures: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fixtures")
  }


  @Test func everyRecordedOperatorGivesItsRecordedResults() async throws {
    var options = ModelOptions()
    options.threads = 1
    let runner = CaseRunner(concurrency: 2) { [options] recorded in try ModelCase(recorded, options: options) }
    let report = try await runner.run(paths: [Self.fixtures.appendingPathComponent("ops").path])
    #expect(report.results.count > 400)
    for result in report.results where !result.passed {
      Issue.record("\(result.path): \(result.failures)")
    }
  }
}
