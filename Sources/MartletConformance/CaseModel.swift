/// A loaded model as the checker sees it. It keeps its state from run to run.
package protocol CaseModel: Sendable {
  /// Runs by position.
  /// - Parameter method: the name of the method; nil is the model's default.
  /// - Returns: the outputs in the model's order.
  func run(method: String?, inputs: [CaseValue]) throws -> [CaseValue]

  /// Runs by name.
  /// - Parameter outputs: the names of the outputs that will be compared; more may come back.
  func run(method: String?, inputs: [NamedCaseValue], outputs: [String]) throws -> [String: CaseValue]
}

package struct NamedCaseValue: Sendable {
  package var name: String
  package var value: CaseValue

  package init(_ name: String, _ value: CaseValue) {
    self.name = name
    self.value = value
  }
}

/// The case names its inputs and outputs, but the model's format has only positions.
package struct NamedArgumentsUnsupported: Error, Sendable, CustomStringConvertible {
  package init() {}
  package var description: String { "this kind of model has no named inputs and outputs" }
}

extension CaseModel {
  package func run(
    method: String?, inputs: [NamedCaseValue], outputs: [String]
  ) throws -> [String: CaseValue] {
    throw NamedArgumentsUnsupported()
  }
}
