import Foundation
import Martlet
import MartletConformance
import Testing

/// Continuations and conversations recorded beside a case: those of Oracles/make_text_fixtures.py and make_runner_cases.py.
@Suite("What language models are recorded to say")
struct GenerationCheckTests {
  private static let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/text")

  private func failures(_ folder: String) -> [String] {
    CaseRunner(concurrency: 1) { try ModelCase($0, options: ModelOptions()) }.result(folder: folder).failures.map(\.description)
  }

  /// A copy of the fixture in which a text of a file is replaced. It has either texts or conversations, since the others would pass.
  private func failures(in file: String, replacing text: String, by other: String) throws -> [String] {
    let temporary = try TemporaryFolder()
    let folder = temporary.path + "/text"
    try FileManager.default.copyItem(atPath: Self.fixture.path, toPath: folder)
    try FileManager.default.removeItem(atPath: "\(folder)/" + (file == "runner_cases.json" ? "generation.json" : "runner_cases.json"))
    let content = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
    #expect(content.contains(text))
    try content.replacing(text, with: other, maxReplacements: 1).write(toFile: "\(folder)/\(file)", atomically: false, encoding: .utf8)
    return failures(folder)
  }

  @Test("The recorded ones pass") func recorded() {
    #expect(failures(Self.fixture.path) == [])
  }

  @Test("Another token fails for each way to read the prompt") func token() throws {
    let failures = try failures(in: "generation.json", replacing: "\"generated_ids\":[218,259,", by: "\"generated_ids\":[218,250,")
    #expect(failures.count { $0.contains("token 1 is 259, expected 250") } == 3)
    // Not after a choice that is no larger than the noise.
    #expect(
      try self.failures(in: "generation.json", replacing: "\"margins\":[1.40946", by: "\"margins\":[0.00001").isEmpty)
  }

  @Test("Another text, prompt or tokenizer fails") func texts() throws {
    #expect(try failures(in: "generation.json", replacing: "end the7 toer", by: "end the8 toer").count == 1)
    #expect(try failures(in: "generation.json", replacing: "\"A lighthouse\"", by: "\"A lighthome\"").count == 1)
    #expect(try failures(in: "tokenizer_cases.json", replacing: "blanks\"", by: "blanks!\"").count > 0)
    #expect(try failures(in: "generation.json", replacing: "tokenizer.json", by: "nowhere.json").first?.contains("nowhere.json") == true)
  }

  @Test("Another piece or status of a conversation fails") func conversations() throws {
    #expect(try failures(in: "runner_cases.json", replacing: "\"status\":18", by: "\"status\":0").count == 1)
    #expect(try failures(in: "runner_cases.json", replacing: "\"pieces\":[\"", by: "\"pieces\":[\"!").count == 1)
  }
}
