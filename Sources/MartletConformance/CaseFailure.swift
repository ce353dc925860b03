/// One reason why a case does not pass.
package struct CaseFailure: Error, Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    /// `case.json` or a file that it names cannot be read.
    case malformedCase = "malformed-case"
    /// The model could not be loaded.
    case load
    /// A run threw.
    case run
    /// Neither loading nor running threw, though the case expects it.
    case noError = "no-error"
    /// The number or the names of the outputs are others.
    case outputs
    /// A tensor was expected and a number came, or the like.
    case valueKind = "value-kind"
    case dtype
    case shape
    /// Elements, numbers or strings differ.
    case values
    case cosine
    case meanError = "mean-error"
    /// Random output does not have the distribution.
    case distribution
  }

  package var kind: Kind
  /// Where: `output 0`, `step 2 output 'y'`, or empty for the whole case.
  package var place: String
  package var message: String

  package init(_ kind: Kind, place: String = "", _ message: String) {
    self.kind = kind
    self.place = place
    self.message = message
  }
}

extension CaseFailure: CustomStringConvertible {
  /// One line: line breaks in messages of others become spaces.
  package var description: String {
    let text = place.isEmpty ? message : "\(place): \(message)"
    return text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
