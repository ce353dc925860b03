import Foundation
import Martlet
import Testing

/// What an inspection says about a method's constants and states, which comes from its graph.
@Suite struct MethodUseTests {
  private func method(_ name: String, data: [String] = []) throws -> ModelInspection.Method {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures/language-models/\(name)")
    let inspection = try ModelInspection(
      contentsOf: folder.appendingPathComponent("model.pte"), dataFiles: data.map { folder.appendingPathComponent($0) })
    return try #require(inspection.methods.first { ["forward", "decode"].contains($0.signature.name) })
  }

  @Test(arguments: [
    ("bshd-e4-portable", "llama::update_cache.out"), ("form-positions-put-portable", "aten::index_put.out"),
    ("ring-f32-portable", "llama::update_cache_with_indices.out"), ("updating-e2-xnnpack", "llama::sdpa_with_kv_cache.out"),
    ("form-prefill-decode-portable", "llama::update_cache.out"),
    ("delta-rule-earlier-e8-portable", "llama::recurrent_gated_delta_rule.out"),
  ])
  func statesNameTheOperatorThatWritesThem(name: String, writer: String) throws {
    let method = try method(name)
    #expect(method.states.count == method.stateWriters.count && method.stateWriters.contains(writer), "\(method.stateWriters)")
  }

  @Test(arguments: [
    ("bshd-e4-portable", "int4"), ("bshd-e8-portable", "int8"), ("int8-masked-e2-portable", "int2"), ("ring-f32-portable", "float32"),
  ])
  func embeddingsAreReadByRows(name: String, elements: String) throws {
    let tables = try method(name).weights.filter(\.isTable)
    #expect(tables.map(\.type) == [elements])
    // The scales of a quantised table are read by rows, too.
    #expect(tables.first?.count == (elements == "float32" ? 1 : 2))
    #expect(try method(name).weights.contains { !$0.isTable })
  }

  @Test func weightsInDataFilesCount() throws {
    let table = try method("form-lora-ptd-portable", data: ["foundation.ptd"]).weights.first(where: \.isTable)
    #expect(table?.type == "float32" && table?.byteCount == 64 * 16 * 4)
  }

  @Test func methodsThatCannotBeLoadedAreDescribedAllTheSame() throws {
    let unknown = try method("unknown-experts-portable")
    #expect(unknown.operators.contains { $0.name == "llama::quantized_moe_ffn.out" })
    #expect(unknown.weights.allSatisfy { !$0.isTable } && unknown.weights.map(\.count).reduce(0, +) == 2)
    #expect(try method("form-lora-ptd-portable").weights.allSatisfy { !$0.isTable })
  }
}
