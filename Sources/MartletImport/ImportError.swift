/// A well-formed file that cannot be converted to a graph because of an unknown operator, arguments that do not match, or unsupported
/// control flow.
package struct ImportError: Error, Sendable, Hashable, CustomStringConvertible {
  package let file: String
  package let method: String
  /// The position in the method, e.g. `instruction 12 of chain 0`.
  package let location: String
  /// The source operator, e.g. `aten::add.out`, or the delegate; nil if the error does not concern one.
  package let op: String?
  package let reason: String
  /// True if the file asks for more memory or work than it may take.
  package let isOverLimit: Bool
  /// The limit and the amount found beyond it.
  package let expected: String?
  package let found: String?

  package init(file: String, method: String, location: String, op: String?, reason: String) {
    self.init(CallError(reason), file: file, method: method, location: location, op: op)
  }

  /// The error of a call, with its place.
  package init(_ failure: CallError, file: String, method: String, location: String, op: String?) {
    self.file = file
    self.method = method
    self.location = location
    self.op = op
    reason = failure.reason
    isOverLimit = failure.isOverLimit
    expected = failure.expected
    found = failure.found
  }

  package var description: String { "\(file): method \(method), \(op.map { "\($0) (\(location))" } ?? location): \(reason)" }
}

/// The reason why a call cannot be imported. The importer adds the position.
package struct CallError: Error, Sendable {
  package let reason: String
  /// The operator in a delegate's payload and its position there.
  package private(set) var payloadNode: (op: String, place: String)?
  /// True if the file asks for more memory or work than it may take.
  package let isOverLimit: Bool
  /// The limit and the amount found beyond it.
  package let expected: String?
  package let found: String?

  package init(_ reason: String, isOverLimit: Bool = false, expected: String? = nil, found: String? = nil) {
    self.reason = reason
    self.isOverLimit = isOverLimit
    self.expected = expected
    self.found = found
  }

  /// The same error, attributed to a node of a payload.
  func at(_ op: String, _ place: String) -> CallError {
    var failure = self
    failure.payloadNode = (op, place)
    return failure
  }
}
