/// A reason why a case fails.
package struct CaseFailure: Error, Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    /// `case.json` or a file referenced by it cannot be read.
    case malformedCase = "malformed-case"
    /// The model could not be loaded.
    case load
    /// Running the model threw an error.
    case run
    /// Neither loading nor running threw an error, although the case expects one.
    case noError = "no-error"
    /// The number or names of the outputs differ.
    case outputs
    /// The output has another kind, such as a number instead of a tensor.
    case valueKind = "value-kind"
    case dtype
    case shape
    /// Elements, numbers or strings differ.
    case values
    case cosine
    case meanError = "mean-error"
    /// Random output does not follow the distribution.
    case distribution
  }

  package var kind: Kind
  /// The location of the failure: `output 0`, `step 2 output 'y'`, or empty for the whole case.
  package var place: String
  package var message: String

  package init(_ kind: Kind, place: String = "", _ message: String) {
    self.kind = kind
    self.place = place
    self.message = message
  }
}

extension CaseFailure: CustomStringConvertible {
  /// A single line: line breaks become spaces.
  package var description: String {
    let text = place.isEmpty ? message : "\(place): \(message)"
    return text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
