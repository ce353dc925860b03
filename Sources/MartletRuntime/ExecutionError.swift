package import MartletGraph

/// A failed call: wrong arguments, or data that a kernel cannot process.
package struct ExecutionError: Error, Sendable, CustomStringConvertible {
  /// The node that was running, if one was.
  package let node: NodePlace?
  package let reason: String
  /// The error of the kernel, if one threw.
  package let cause: (any Error)?

  package init(node: NodePlace?, reason: String, cause: (any Error)? = nil) {
    self.node = node
    self.reason = reason
    self.cause = cause
  }

  package var description: String { node.map { "\($0): \(reason)" } ?? reason }
}
