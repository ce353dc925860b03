/// A file that is well formed but cannot become a graph: an unknown operator, arguments that do not fit it, control
/// flow that no compiler writes.
package struct ImportError: Error, Sendable, Hashable, CustomStringConvertible {
  package let file: String
  package let method: String
  /// Where in the method, e.g. `instruction 12 of chain 0`.
  package let location: String
  /// The source operator or delegate, e.g. `aten::add.out`.
  package let op: String
  package let reason: String

  package init(file: String, method: String, location: String, op: String, reason: String) {
    self.file = file
    self.method = method
    self.location = location
    self.op = op
    self.reason = reason
  }

  package var description: String { "\(file): method \(method), \(location), \(op): \(reason)" }
}

/// Why one call cannot be imported; the importer adds where it is.
package struct CallError: Error, Sendable {
  package let reason: String
  package init(_ reason: String) { self.reason = reason }
}
