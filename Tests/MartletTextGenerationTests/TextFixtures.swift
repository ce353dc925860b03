import Foundation
import Martlet
import MartletTextGeneration
import MartletTokenizers

/// The models of Oracles/make_text_fixtures.py.
enum TextFixtures {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/text")

  static func model(_ name: String) throws -> LanguageModel {
    try LanguageModel(contentsOf: folder.appendingPathComponent("\(name).pte"))
  }

  static func tokenizer() throws -> Tokenizer { try Tokenizer(contentsOf: folder.appendingPathComponent("tokenizer.json")) }

  static func generator(_ name: String, seed: UInt64? = nil, chunkLimit: Int? = nil) throws -> TextGenerator {
    try TextGenerator(try model(name), try tokenizer(), seed: seed, chunkLimit: chunkLimit)
  }

  struct Continuation: Decodable {
    let prompt: String
    let prompt_ids: [Int]
    let generated_ids: [Int]
    let text: String
  }

  private struct Generations: Decodable { let generations: [Continuation] }

  static func continuations() throws -> [Continuation] {
    let data = try Data(contentsOf: folder.appendingPathComponent("generation.json"))
    return try JSONDecoder().decode(Generations.self, from: data).generations
  }
}
