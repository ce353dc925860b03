package import MartletGraph

/// A failed call: wrong arguments, or data that a kernel cannot process.
package struct ExecutionError: Error, Sendable, CustomStringConvertible {
  /// The node that was running, if one was.
  package let node: NodePlace?
  package let reason: String

  package init(node: NodePlace?, reason: String) {
    self.node = node
    self.reason = reason
  }

  package var description: String { node.map { "\($0): \(reason)" } ?? reason }
}
