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
    var values: [ObjectIdentifier: Set<ValueID>] = [:]
    var readers: [ValueID: Int] = [:]
    for case let input? in graph.nodes.flatMap(\.inputs) {
      guard let constant = graph.constant(input) else { continue }
      values[ObjectIdentifier(constant), default: []].insert(input)
      readers[input, default: 0] += 1
    }
    #expect(values.count > 4 && values.values.allSatisfy { $0.count == 1 })
    #expect(readers.values.contains { $0 > 1 })
  }
}
