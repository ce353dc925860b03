package import MartletGraph
import MartletTensor

/// The stages at which a method's graph can be inspected.
public enum GraphStage: String, Sendable, Hashable, CaseIterable {
  /// As imported from the model file.
  case imported
  /// After the passes: the graph that is planned and run.
  case optimized
}

/// A read-only description of a method's graph: nodes in an executable order, and the values between them.
public struct GraphDescription: Sendable, Hashable {
  public struct Value: Sendable, Hashable {
    public enum Origin: Sendable, Hashable {
      case input
      /// A tensor stored in the file, with its size in bytes.
      case constant(byteCount: Int)
      /// A scalar or string, written as in source code.
      case literal(String)
      /// The output of a node.
      case node
      /// An absent value.
      case none
    }

    /// Element type and extents, e.g. `float32[1, 8]`; `≤` marks a bound and `?` an unknown extent.
    public let type: String
    public let origin: Origin
    /// Name of the value in the file.
    public let name: String?
  }

  public struct Attribute: Sendable, Hashable {
    public let name: String
    public let value: String
  }

  public struct Node: Sendable, Hashable {
    /// E.g. `softmax`.
    public let name: String
    public let attributes: [Attribute]
    /// Positions in `values`; nil for an absent operand.
    public let inputs: [Int?]
    /// Positions in `values`.
    public let outputs: [Int]
    /// The bodies of control flow. A region refers only to its own inputs.
    public let regions: [GraphDescription]
    /// Name and position of the source operator.
    public let source: String
  }

  public let name: String
  public let values: [Value]
  public let nodes: [Node]
  /// Positions in `values`.
  public let inputs: [Int]
  /// Positions in `values`.
  public let outputs: [Int]
  /// Tensors that persist between calls: name and type.
  public let states: [Attribute]
}

extension Model {
  /// The graph of a method.
  ///
  /// - Parameters:
  ///   - method: the method's name; nil for the default method.
  ///   - stage: before or after the passes.
  /// - Throws: `MartletError` of the kind `unsupported` naming the operator that cannot be imported.
  public func graph(method: String? = nil, stage: GraphStage = .optimized) throws -> GraphDescription {
    do {
      return GraphDescription(try graph(method, isOptimized: stage == .optimized))
    } catch {
      throw MartletError(error, file: name, method: method ?? defaultMethod)
    }
  }
}

extension GraphDescription {
  package init(_ graph: Graph) {
    name = graph.name
    values = graph.values.map { value in
      let origin: Value.Origin =
        switch value.origin {
        case .input: .input
        case .constant(let constant): .constant(byteCount: constant.type.byteCount)
        case .scalar(let scalar): .literal("\(scalar)")
        case .string(let text): .literal("\"\(text)\"")
        case .node: .node
        case .none: .none
        }
      return Value(type: "\(value.type)", origin: origin, name: value.name)
    }
    nodes = graph.nodes.map { node in
      Node(
        name: node.op.name, attributes: node.op.attributes.map { Attribute(name: $0.name, value: $0.value) },
        inputs: node.inputs.map { $0?.index }, outputs: node.outputs.map(\.index),
        regions: node.regions.map { GraphDescription($0) }, source: node.source)
    }
    inputs = graph.inputs.map(\.index)
    outputs = graph.outputs.map(\.index)
    states = graph.states.map { Attribute(name: $0.name, value: "\($0.type)") }
  }
}
