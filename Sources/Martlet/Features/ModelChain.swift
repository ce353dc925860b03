import MartletFeatures
import MartletGraph
import MartletRuntime

/// The steps of a method in execution order. Each step has features by name as inputs and outputs.
package struct ModelChain: Sendable {
  package enum Stage: Sendable {
    case graph(GraphStep)
    case function(any FeatureFunction)
  }

  package let stages: [Stage]
  /// The features of the method, in the order of its signature.
  package let inputs: [String]
  package let outputs: [String]

  /// True for a single graph whose inputs and outputs are those of the method, so that it can be called directly.
  package let isDirect: Bool

  package init(_ stages: [Stage], inputs: [String], outputs: [String]) {
    self.stages = stages
    isDirect = if stages.count == 1, case .graph(let step) = stages[0] { step.isPlain } else { false }
    self.inputs = inputs
    self.outputs = outputs
  }
}

/// A step on features that is not a graph. Unlike a graph, it supports strings, dictionaries and sequences.
package protocol FeatureFunction: Sendable {
  /// Applies the step: replaces features and adds new ones.
  func apply(to features: inout [String: ModelValue]) throws
}

extension Model {
  /// Runs the stages of a method.
  /// - Parameter runGraph: runs a graph among the stages with a value for each of its inputs.
  /// - Returns: the method's outputs, in order.
  func run(
    _ chain: ModelChain, _ inputs: [ModelValue], runGraph: (_ method: String, _ inputs: [ModelValue]) throws -> [ModelValue]
  ) throws -> [ModelValue] {
    guard inputs.count == chain.inputs.count else {
      throw MartletError.invalidInput("\(name) takes \(chain.inputs.count) inputs, not \(inputs.count)")
    }
    var features = Dictionary(zip(chain.inputs, inputs), uniquingKeysWith: { first, _ in first })
    for stage in chain.stages {
      switch stage {
      case .function(let function): try function.apply(to: &features)
      case .graph(let stage):
        let graph = try compiled(stage.method).graph
        let values = try stage.inputs.enumerated().map { position, feature in
          try feature.graphValue(features[feature.name] ?? .none, as: graph[graph.inputs[position]].type)
        }
        let results = try runGraph(stage.method, values)
        for (feature, result) in zip(stage.outputs, results) { features[feature.name] = try feature.value(of: result) }
      }
    }
    return chain.outputs.map { features[$0] ?? .none }
  }
}
