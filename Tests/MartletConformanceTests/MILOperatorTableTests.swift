import Foundation
import MartletConformance
import Testing

/// Every operator of ML Programs in every operator set, by the recorded programs.
@Suite("Operators of ML Programs and operator sets")
struct MILOperatorTableTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test("Every operator runs in every operator set that has it, and the documentation says so")
  func nothingIsMissing() async throws {
    let folders = ["mil", "mil-opsets"].map { Self.root.appendingPathComponent("Tests/Fixtures/\($0)").path }
    let table = try await MILOperatorTable(cases: folders, concurrency: 2)
    for failure in table.failures { Issue.record("\(failure.path): \(failure.failures)") }
    #expect(table.missing == [])
    #expect(table.rows.count == 167 && table.programCount >= 45)
    let page = Self.root.appendingPathComponent("Documentation/MILOperators.md")
    #expect(try String(contentsOf: page, encoding: .utf8) == table.markdown)
  }

  @Test("What no program shows is not said to work")
  func evidence() async throws {
    let table = try await MILOperatorTable(cases: [Self.root.appendingPathComponent("Tests/Fixtures/mil/pooling").path], concurrency: 1)
    func cells(_ op: String) -> [MILOperatorTable.Cell]? { table.rows.first { $0.op == op }?.cells }
    #expect(cells("max_pool")?.allSatisfy { if case .works(1, _) = $0 { true } else { false } } == true)
    #expect(cells("lstm")?.allSatisfy { $0 == .unproven } == true)
    #expect(cells("read_state") == [.absent, .absent, .absent, .absent, .absent, .unproven])
    #expect(table.missing.contains("read_state in iOS 18: no recorded program uses it"))
  }
}
