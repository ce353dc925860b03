import MartletBytes

/// A tokenizer file that cannot be read, or text that a tokenizer cannot encode.
public struct TokenizerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Path of the file; empty if there is none.
  public var file: String
  /// The part of the file that is wrong, such as `model.merges[17]`; empty if it is the file as a whole.
  public var field: String
  /// The fault, as a phrase.
  public var reason: String

  init(file: String = "", field: String = "", _ reason: String) {
    self.file = file
    self.field = field
    self.reason = reason
  }

  init(_ error: FileError) { self.init(file: error.file, field: error.field, error.reason) }

  public var description: String {
    [file, field, reason].filter { !$0.isEmpty }.joined(separator: ": ")
  }

  /// The same error with the name of a part around its field.
  func within(_ part: String) -> TokenizerError {
    var error = self
    error.field = field.isEmpty ? part : field.hasPrefix("[") ? part + field : part + "." + field
    return error
  }
}

/// Bounds beyond which files are refused, so that a small file cannot make a reader take much memory.
enum TokenizerLimits {
  /// Tokens of a vocabulary. Ids are below this number, too.
  static let tokenCount = 1 << 24
  /// Bytes of a token.
  static let tokenByteCount = 1 << 16
  /// Bytes of a file.
  static let fileByteCount = 1 << 30
  /// Tokens of the parts that a rule for length cuts off: this number, or this many times those of the text.
  static let overflowTokenCount = 1 << 22
  static let overflowFactor = 16
  /// Added tokens.
  static let addedTokenCount = 1 << 20
  /// Nested or listed steps of a normalizer, a pre-tokenizer, a post-processor or a decoder.
  static let stepCount = 256
}
