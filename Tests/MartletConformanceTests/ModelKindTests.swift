import Foundation
import Martlet
import MartletConformance
import Testing

/// Every kind of Core ML model. The models that other tests have none of are made by `Oracles/make_model_kinds.py`.
@Suite struct ModelKindTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func fixtures(_ name: String) -> String { root.appendingPathComponent("Tests/Fixtures/\(name)").path }

  @Test func `every kind has a recorded case, and the documentation says so`() throws {
    let table = try ModelKindTable(cases: ["classic", "network", "mil", "kinds"].map(Self.fixtures))
    #expect(table.rows.count == 37)
    #expect(table.missing == [])
    let page = Self.root.appendingPathComponent("Documentation/ModelKinds.md")
    #expect(try String(contentsOf: page, encoding: .utf8) == table.markdown)
    #expect(try ModelKindTable(cases: [Self.fixtures("kinds")]).missing.contains("mlProgram"))
  }

  @Test func `models of all kinds give their recorded results or errors`() async throws {
    let report = try await CaseRunner(concurrency: 2) { try ModelCase($0, options: ModelOptions()) }.run(paths: [Self.fixtures("kinds")])
    #expect(report.results.count == 19)
    for result in report.results where !result.passed { Issue.record("\(result.path): \(result.failures)") }
  }

  @Test(arguments: [
    "textClassifier", "wordTagger", "gazetteer", "wordEmbedding", "visionFeaturePrint", "audioFeaturePrint", "serializedModel",
  ])
  func `models of Apple's systems are described, and refused by their kind`(_ kind: String) throws {
    let url = URL(fileURLWithPath: Self.fixtures("kinds/\(kind)/model.mlmodel"))
    let component = try #require(try ModelInspection(contentsOf: url).component)
    #expect(component.kind == kind && component.sizes.first?.name == "bytes")
    let method = try #require(ModelAsset(contentsOf: url).methods.first)
    #expect(method.inputs.count == 1 && method.outputs.count == (kind == "wordTagger" ? 2 : 1))
    #expect((method.classLabels != nil) == ["textClassifier", "gazetteer"].contains(kind))
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-\(UUID().uuidString).mlmodelc")
    for action in [{ try Model(contentsOf: url).load() }, { try Model.compile(url, to: folder) }] {
      #expect {
        try action()
      } throws: { error in
        (error as? MartletError)?.kind == .unsupported && "\(error)".contains("models of the kind \(kind) run on Apple's systems only")
      }
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }
}
