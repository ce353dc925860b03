import MartletFeatures
import MartletGraph
import MartletRuntime
import MartletTensor

/// A method whose calls are rows of one call of a graph.
final class TableMethod: Sendable {
  struct Input: Sendable {
    let feature: FeatureDescription
    /// The type of one row.
    let type: TensorType
  }

  /// The graph of rows.
  let graph: String
  let inputs: [Input]
  /// The features of the graph's outputs.
  let outputs: [FeatureDescription]
  /// The functions after the graph.
  let functions: [any FeatureFunction]
  /// The labels that one of the functions gives.
  let classification: Classification?
  private let names: Set<String>

  /// - Parameters:
  ///   - step: the stage with the features.
  ///   - name: the graph of rows.
  ///   - graph: its content.
  init(_ step: GraphStep, graph name: String, _ graph: Graph, functions: [any FeatureFunction]) throws {
    self.graph = name
    self.functions = functions
    outputs = step.outputs
    classification = functions.lazy.compactMap { ($0 as? ClassLabelling)?.classification }.first
    names = Set(step.inputs.map(\.name))
    inputs = try zip(step.inputs, graph.inputs).map { feature, input in
      guard case .tensor(let signature) = graph[input].type else {
        throw MartletError.executionFailed("the input \(feature.name) is no tensor")
      }
      let shape = signature.dimensions.dropFirst().map { if case .fixed(let extent) = $0 { extent } else { 0 } }
      return Input(feature: feature, type: TensorType(signature.dtype, shape))
    }
  }

  /// The number of rows of a table; nil if a column is no input, or if columns differ in it.
  func rowCount(of table: [String: ModelColumn]) -> Int? {
    var known: Int?
    for (name, column) in table {
      guard names.contains(name), let count = column.rowCount, count == known ?? count else { return nil }
      known = count
    }
    return known
  }
}

extension Model {
  /// The graph of rows of a method; nil if it has none.
  func tableMethod(_ name: String) throws -> TableMethod? {
    if let known = tableMethods.withLock({ $0[name] }) { return known }
    guard let chain = source.chain(of: name), let step = chain.onlyGraph, let graph = step.table else { return nil }
    let method = try TableMethod(step, graph: graph, compiled(graph).graph, functions: chain.functions)
    tableMethods.withLock { $0[name] = method }
    return method
  }
}
