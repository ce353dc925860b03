/// A call that failed: wrong arguments, or data that a kernel cannot work with.
package struct ExecutionError: Error, Sendable, CustomStringConvertible {
  /// The node's operator and source, if one was running.
  package let node: String?
  package let reason: String

  package init(node: String?, reason: String) {
    self.node = node
    self.reason = reason
  }

  package var description: String { node.map { "\($0): \(reason)" } ?? reason }
}
