import Foundation
import Martlet
import MartletGraph
import MartletOps
import MartletTensor
import Testing

/// Operators' rules for symbolic extents, compared with what files say of the same results.
struct SymbolicShapeTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures")

  /// Every recorded case's model, one for each operator or two.
  private static func models() -> [URL] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    return files.filter { ["pte", "mlpackage"].contains($0.pathExtension) && !$0.path.contains("/hostile/") }
  }

  @Test func `extents that rules fix are those of the files`() throws {
    var checked: [String: Int] = [:]
    var options = ModelOptions()
    options.threads = 1
    for url in Self.models() {
      guard let model = try? Model(contentsOf: url, options: options) else { continue }
      for method in model.methods {
        guard let graph = try? model.importedGraph(method.name) else { continue }
        check(graph, url.deletingLastPathComponent().lastPathComponent, &checked)
      }
    }
    // Rules of most operators are met with: views, pointwise ones, reductions, products, indexing, images.
    #expect(checked.count > 50, "only \(checked.keys.sorted())")
  }

  private func check(_ graph: Graph, _ place: String, _ checked: inout [String: Int]) {
    let shapes = SymbolicShapes(graph)
    for node in graph.nodes {
      for region in node.regions { check(region, place, &checked) }
      guard let output = node.outputs.first, let declared = graph.signature(output)?.fixedShape,
        let found = node.op.symbolicShape(SymbolicOperands(node, shapes))
      else { continue }
      #expect(found.count == declared.count, "\(place): \(node.op.name) gives \(found) for \(declared)")
      for case (.fixed(let extent)?, let own) in zip(found, declared) {
        #expect(extent == own, "\(place): \(node.op.name) gives \(found) for \(declared)")
      }
      checked["\(type(of: node.op))", default: 0] += 1
    }
  }
}
