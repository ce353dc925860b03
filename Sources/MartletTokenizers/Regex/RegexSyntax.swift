/// The two dialects in which tokenizers' patterns are written. They differ in what `^`, `$`, `(?m)` and `\w` mean.
enum RegexDialect: Sendable {
  /// Patterns of `tokenizer.json`: `^` and `$` match at lines, `(?m)` lets a dot match line feeds.
  case oniguruma
  /// Patterns of tiktoken and tekken: `^` and `$` match at the ends of the text unless `(?m)` is set.
  case rust
}

/// A pattern that is wrong or beyond what the engine supports.
struct RegexError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Number of the character in the pattern, from 0.
  var position: Int
  var reason: String

  var description: String { "character \(position): \(reason)" }
}

/// A parsed pattern.
indirect enum RegexNode: Sendable {
  case empty
  /// One character of the set.
  case set(ScalarSet)
  case sequence([RegexNode])
  /// The first that leads to a match.
  case choice([RegexNode])
  case repetition(RegexNode, minimum: Int, maximum: Int?, RegexGreed)
  /// The text after the place matches, or does not.
  case lookAhead(RegexNode, negative: Bool)
  /// The character before the place is in the set; `orStart` at the start of the text.
  case before(ScalarSet, orStart: Bool)
  /// The character after the place is in the set; `orEnd` at the end of the text.
  case after(ScalarSet, orEnd: Bool)
  /// A place that no text has.
  case never
}

enum RegexGreed: Sendable {
  case greedy, lazy, possessive
}
