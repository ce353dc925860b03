import Foundation
import Martlet
import MartletCompiler
import MartletGraph
import MartletOps
import MartletRuntime
import MartletTensor

/// The recorded XNNPACK payloads and attention modules, made by `Oracles/make_xnnpack_cases.py`.
enum Fixture {
  static var folder: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fixtures/xnnpack")
  }

  static func names(_ group: String) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(group).path)
    return (names ?? []).sorted()
  }

  static func model(_ path: String) throws -> Model {
    try Model(contentsOf: folder.appendingPathComponent(path).appendingPathComponent("model.pte"))
  }

  /// The graph as the importer makes it, after `passes`.
  static func graph(_ path: String, _ passes: PassPipeline) throws -> Graph {
    try passes.run(on: try model(path).graph(nil, isOptimized: false))
  }

  /// The plan of a graph for the shapes that it declares.
  static func plan(_ graph: Graph) throws -> MethodPlan {
    let inputs = graph.inputs.map { id -> InputBinding in
      guard let type = graph.signature(id) else { return .none }
      return .tensor(TensorType(type.dtype, type.dimensions.map { $0.upperBound ?? 1 }))
    }
    return try Planner.plan(try PreparedGraph(graph), inputs: inputs, packed: PackedStore(), workers: 2)
  }
}
