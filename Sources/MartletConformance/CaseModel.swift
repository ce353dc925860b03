/// A loaded model as the case runner uses it. It keeps its state between runs.
package protocol CaseModel: Sendable {
  /// True if extents of 1 do not count when shapes are compared: neural networks, in whose tests coremltools does not compare them.
  var ignoresUnitExtents: Bool { get }

  /// Runs a method with positional inputs.
  /// - Parameter method: the method's name; nil for the model's default method.
  /// - Returns: the outputs in the model's order.
  func run(method: String?, inputs: [CaseValue]) throws -> [CaseValue]

  /// Runs a method with named inputs.
  /// - Parameter outputs: names of the outputs to compare; the model may return more.
  func run(method: String?, inputs: [NamedCaseValue], outputs: [String]) throws -> [String: CaseValue]

  /// Differences from what is recorded of the model's text.
  func generationFailures(of recorded: RecordedCase) -> [CaseFailure]
}

package struct NamedCaseValue: Sendable {
  package var name: String
  package var value: CaseValue

  package init(_ name: String, _ value: CaseValue) {
    self.name = name
    self.value = value
  }
}

/// The case names its inputs and outputs, but the model's format only numbers them.
package struct NamedArgumentsUnsupported: Error, Sendable, CustomStringConvertible {
  package init() {}
  package var description: String { "this kind of model has no named inputs and outputs" }
}

extension CaseModel {
  package var ignoresUnitExtents: Bool { false }

  package func generationFailures(of recorded: RecordedCase) -> [CaseFailure] { [] }

  package func run(
    method: String?, inputs: [NamedCaseValue], outputs: [String]
  ) throws -> [String: CaseValue] {
    throw NamedArgumentsUnsupported()
  }
}
