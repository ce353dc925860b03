import Foundation
import Martlet
import MartletGraph
import Testing

@Suite struct ConstantValueTests {
  /// A language model that looks tokens up in the table by which it multiplies in the end.
  private static let tied = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/language-models/form-tied-portable/model.pte")

  @Test func `A constant that several instructions read is one value of the graph`() throws {
    let graph = try Model(contentsOf: Self.tied).graph(nil, isOptimized: false)
    let table = try #require(graph.nodes.flatMap(\.inputs).compactMap { graph.constant($0) }.max { $0.type.byteCount < $1.type.byteCount })
    let readers = graph.nodes.filter { $0.inputs.contains { graph.constant($0) === table } }
    #expect(readers.count == 2)
    #expect(Set(readers.flatMap(\.inputs).filter { graph.constant($0) === table }).count == 1)
  }
}
