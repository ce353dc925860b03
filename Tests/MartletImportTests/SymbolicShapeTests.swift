import Foundation
import Martlet
import MartletGraph
import MartletOps
import MartletTensor
import Testing

/// Operators' rules for symbolic extents, compared with their shape rules and with the shapes that files declare.
struct SymbolicShapeTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures")

  /// Every recorded case's model, one for each operator or two.
  private static func models() -> [URL] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    return files.filter { ["pte", "mlpackage"].contains($0.pathExtension) && !$0.path.contains("/hostile/") }
  }

  @Test func `extents of symbolic rules are those of the shapes`() throws {
    var checked: [String: Int] = [:]
    var options = ModelOptions()
    options.threads = 1
    for url in Self.models() {
      guard let model = try? Model(contentsOf: url, options: options) else { continue }
      for method in model.methods {
        guard let graph = try? model.graph(method.name, isOptimized: false) else { continue }
        check(graph, url.deletingLastPathComponent().lastPathComponent, &checked)
      }
    }
    // Most operators occur: views, pointwise ones, reductions, products, indexing, images.
    #expect(checked.count > 50, "only \(checked.keys.sorted())")
  }

  private func check(_ graph: Graph, _ place: String, _ checked: inout [String: Int]) {
    let shapes = SymbolicShapes(graph)
    for node in graph.nodes {
      for region in node.regions { check(region, place, &checked) }
      guard let output = node.outputs.first, let shape = inferredShape(node, graph) ?? graph.signature(output)?.fixedShape,
        let found = node.op.symbolicShape(SymbolicOperands(node, shapes))
      else { continue }
      #expect(found.count == shape.count, "\(place): \(node.op.name) gives \(found) for \(shape)")
      for case (.fixed(let extent)?, let own) in zip(found, shape) {
        #expect(extent == own, "\(place): \(node.op.name) gives \(found) for \(shape)")
      }
      checked["\(type(of: node.op))", default: 0] += 1
    }
  }

  /// The shape of the first result by `infer`, where all operands are known. Files can declare a wrong one: coremltools does so for the
  /// product of a vector and a batch of matrices.
  private func inferredShape(_ node: Node, _ graph: Graph) -> [Int]? {
    var operands: [OperandType?] = []
    for input in node.inputs {
      guard let input else {
        operands.append(nil)
        continue
      }
      if let signature = graph.signature(input) {
        guard let shape = signature.fixedShape else { return nil }
        operands.append(.tensor(TensorType(signature.dtype, shape)))
      } else if let scalar = graph.scalar(input) {
        operands.append(.scalar(.known(scalar)))
      } else {
        return nil
      }
    }
    guard case .tensor(let type)? = (try? node.op.infer(Operands(operands)))?.first else { return nil }
    return type.shape
  }
}
