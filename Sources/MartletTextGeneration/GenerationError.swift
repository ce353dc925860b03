/// A failure to generate text.
package struct GenerationError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Kind: Sendable, Hashable {
    /// The program is no language model that this engine can drive, or its tokenizer does not fit it.
    case invalidModel
    /// An argument of a call is out of its range.
    case invalidArgument
    /// There is nothing to continue: the prompt is empty.
    case nothingToContinue
    /// The model computed a logit that is not a number.
    case invalidLogits
  }

  package let kind: Kind
  /// Path or name of the model's file; empty if the error does not concern it.
  package var file: String
  /// The method, input or setting that is wrong; empty if it is none in particular.
  package var field: String
  /// The fault, as a phrase.
  package let reason: String

  package init(_ kind: Kind, file: String = "", field: String = "", _ reason: String) {
    self.kind = kind
    self.file = file
    self.field = field
    self.reason = reason
  }

  package var description: String { [file, field, reason].filter { !$0.isEmpty }.joined(separator: ": ") }
}
