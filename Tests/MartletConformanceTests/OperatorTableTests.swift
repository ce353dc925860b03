import Foundation
import MartletConformance
import MartletImport
import MartletOps
import MartletTensor
import Testing

/// Every operator in every element type, run by the engine (the samples of `OperatorSamples.swift`).
@Suite("Operators and element types")
struct OperatorTableTests {
  private static let table = OperatorTable()

  @Test("Whatever ExecuTorch's runtime accepts, the engine runs")
  func nothingIsMissing() {
    #expect(Self.table.missing == [])
    // The runtime's list has been read: it accepts most calls.
    let accepted = Self.table.rows.reduce(0) { $0 + $1.cells.count { $0.isAcceptedUpstream } }
    #expect(accepted > 2000)
  }

  @Test("Every operator of these namespaces that can be imported has a sample, and every sample an importer")
  func complete() {
    let namespaces = ["aten", "dim_order_ops", "et_copy", "executorch_prim", "quantized_decomposed"]
    let importable = CallRegistry.rows.keys.filter { name in namespaces.contains { name.hasPrefix($0 + "::") } }
    let sampled = Set(Self.table.rows.map(\.op))
    #expect(sampled.subtracting(importable) == [])
    #expect(Set(importable).subtracting(sampled) == [])
    #expect(Self.table.rows.count == sampled.count)
  }

  @Test("Operators that the file format knows are all there")
  func counts() {
    let counts = Dictionary(grouping: Self.table.rows, by: \.namespace).mapValues(\.count)
    #expect(
      counts.filter { $0.key != "aten" } == ["dim_order_ops": 3, "et_copy": 2, "executorch_prim": 25, "quantized_decomposed": 19])
    #expect(counts["aten", default: 0] >= 210)
  }

  @Test("The page in the documentation is what `martlet operators --markdown` prints")
  func documentation() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Documentation/Operators.md")
    #expect(try String(contentsOf: page, encoding: .utf8) == Self.table.markdown)
  }

  @Test("Calls that run give operators what their contracts allow")
  func contracts() {
    #expect(Self.table.contractContradictions == [])
  }

  @Test("Every operator has a contract, and the page in the documentation is what `martlet operators --contracts` prints")
  func contractPage() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let folder = root.appendingPathComponent("Sources/MartletOps")
    var declared: Set<String> = []
    for case let url as URL in FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) ?? .init()
    where url.pathExtension == "swift" {
      let text = try String(contentsOf: url, encoding: .utf8)
      declared.formUnion(text.matches(of: /struct (\w+): (?:Planned|View)Operator\b/).map { String($0.1) })
    }
    #expect(declared == Set(OperatorRegistry.all.map { "\($0)" }))
    for type in OperatorRegistry.all {
      let names = type.contract.operands.map(\.name)
      #expect(Set(names).count == names.count && !names.contains(""), "\(type)")
      #expect(!type.contract.operands.dropLast().contains { $0.repeats }, "\(type)")
    }
    let page = root.appendingPathComponent("Documentation/OperatorContracts.md")
    #expect(try String(contentsOf: page, encoding: .utf8) == OperatorContracts.markdown)
  }

  @Test("A call that is refused says why")
  func reasons() {
    for row in Self.table.rows {
      for cell in row.cells {
        guard case .refused(let reason) = cell.outcome else { continue }
        #expect(!reason.isEmpty && !reason.contains("Error("), "\(row.op) with \(cell.column.name): \(reason)")
      }
    }
  }
}
