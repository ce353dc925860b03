/// A file that is well formed but cannot become a graph: an unknown operator, arguments that do not fit it, control
/// flow that no compiler writes.
package struct ImportError: Error, Sendable, Hashable, CustomStringConvertible {
  package let file: String
  package let method: String
  /// Where in the method, e.g. `instruction 12 of chain 0`.
  package let location: String
  /// The source operator, e.g. `aten::add.out`, or the delegate; nil if none is at fault.
  package let op: String?
  package let reason: String

  package init(file: String, method: String, location: String, op: String?, reason: String) {
    self.file = file
    self.method = method
    self.location = location
    self.op = op
    self.reason = reason
  }

  package var description: String { "\(file): method \(method), \(op.map { "\($0) (\(location))" } ?? location): \(reason)" }
}

/// Why one call cannot be imported; the importer adds where it is.
package struct CallError: Error, Sendable {
  package let reason: String
  /// The operator inside of a delegate's payload, and its place there.
  package private(set) var payloadNode: (op: String, place: String)?
  package init(_ reason: String) { self.reason = reason }

  /// The same failure at a node of a payload.
  func at(_ op: String, _ place: String) -> CallError {
    var failure = self
    failure.payloadNode = (op, place)
    return failure
  }
}
