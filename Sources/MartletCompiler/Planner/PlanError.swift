package import MartletGraph

/// A graph, or a node of it, that the engine cannot plan.
package struct PlanError: Error, Sendable, CustomStringConvertible {
  package enum Kind: Sendable, Hashable {
    /// The engine lacks something.
    case unsupported
    /// The operands do not fit the operator.
    case invalid
    /// The call needs more memory than it may take.
    case overBudget
  }

  package let kind: Kind
  /// The node; nil if it is the graph as a whole.
  package let node: NodePlace?
  package let reason: String
  package let expected: String?
  package let found: String?

  package init(
    _ kind: Kind = .unsupported, node: NodePlace?, _ reason: String, expected: String? = nil, found: String? = nil
  ) {
    self.kind = kind
    self.node = node
    self.reason = reason
    self.expected = expected
    self.found = found
  }

  /// - Parameter found: what was needed, in bytes, where that is a number.
  static func overBudget(_ node: NodePlace?, _ reason: String, limit: Int, found: Int?) -> PlanError {
    PlanError(.overBudget, node: node, reason, expected: "at most \(limit) bytes", found: found.map { "\($0)" })
  }

  package var description: String { node.map { "\($0): \(reason)" } ?? reason }
}
