/// An operation of a model file: an operator call in a method, a node of a delegate's payload, or an operation of an ML Program.
package struct SourceOperation: Sendable, Hashable {
  /// Position among the operations of the method or function, in file order. Operations of nested blocks follow the operation that contains
  /// them.
  package var number: Int
  /// The operator's name in the file, e.g. `conv` or `aten::convolution.out`.
  package let op: String
  /// Distinguishes operations of the same operator: the name of the result, or the position.
  package let name: String

  package init(number: Int, op: String, name: String) {
    self.number = number
    self.op = op
    self.name = name
  }
}

/// An operation of the file that a node computes, alone or together with others.
package struct NodeOrigin: Sendable, Hashable {
  package var operation: SourceOperation
  /// True if the operation costs the node only some arithmetic on elements that are in registers anyway, such as an activation that a
  /// convolution applies before storing.
  package var isAbsorbed: Bool

  package init(_ operation: SourceOperation, isAbsorbed: Bool = false) {
    self.operation = operation
    self.isAbsorbed = isAbsorbed
  }
}

extension Graph {
  /// The operations to which nodes of the graph and its regions belong, in file order.
  package var operations: [SourceOperation] {
    var found: Set<SourceOperation> = []
    visitOrigins { found.insert($0.operation) }
    return found.sorted { $0.number < $1.number }
  }

  /// The numbers of these operations, in ascending order.
  package var operationNumbers: [Int] {
    var found: [Int] = []
    visitOrigins { found.append($0.operation.number) }
    found.sort()
    var numbers: [Int] = []
    for number in found where number != numbers.last { numbers.append(number) }
    return numbers
  }

  private func visitOrigins(_ visit: (NodeOrigin) -> Void) {
    for node in nodes {
      for origin in node.origins { visit(origin) }
      for region in node.regions { region.visitOrigins(visit) }
    }
  }

  /// The graph with its operations renumbered consecutively in their order.
  package func withOperations(numberedFrom first: Int) -> Graph {
    withOperations(Dictionary(uniqueKeysWithValues: zip(operationNumbers, first...)))
  }

  private func withOperations(_ numbers: [Int: Int]) -> Graph {
    var graph = self
    graph.nodes = nodes.map { node in
      Node(
        op: node.op, inputs: node.inputs, outputs: node.outputs, regions: node.regions.map { $0.withOperations(numbers) },
        source: node.source,
        origins: node.origins.map { origin in
          var origin = origin
          origin.operation.number = numbers[origin.operation.number] ?? origin.operation.number
          return origin
        })
    }
    return graph
  }
}

extension [NodeOrigin] {
  /// Origins of a node that does the work of two nodes.
  package func joined(with other: [NodeOrigin]) -> [NodeOrigin] {
    self + other.filter { new in !contains { $0.operation == new.operation } }
  }

  /// Origins of a node that does the work of another node in addition to its own.
  package func absorbing(_ other: [NodeOrigin]) -> [NodeOrigin] {
    joined(with: other.map { NodeOrigin($0.operation, isAbsorbed: true) })
  }
}
