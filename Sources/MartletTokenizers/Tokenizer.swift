/// Text as the tokens of a language model, and back.
///
/// ```swift
/// let tokenizer = try Tokenizer(contentsOf: URL(fileURLWithPath: "tokenizer.json"))
/// let ids = try tokenizer.encode("Once upon a time")
/// print(tokenizer.decode(ids))
/// ```
///
/// A tokenizer never changes and may be used by several threads at a time. Time and memory of an encoding are linear in the text.
public final class Tokenizer: Sendable {
  let engine: any TokenEngine
  private let workspaces: WorkspacePool

  init(engine: any TokenEngine) {
    self.engine = engine
    workspaces = WorkspacePool(patterns: engine.patterns)
  }

  // MARK: Encoding

  /// The ids of a text's tokens.
  ///
  /// - Parameters:
  ///   - addsSpecialTokens: whether the tokens that begin and end a text are added, as the file says.
  ///   - parsesSpecialTokens: whether text that looks like a special token, such as `<|end|>`, becomes that token. Leave it off for text
  ///     that others wrote.
  /// - Throws: `TokenizerError` if a word is unknown and the file has no token for that, or if the text has more than 500 MB.
  public func encode(_ text: String, addsSpecialTokens: Bool = true, parsesSpecialTokens: Bool = false) throws(TokenizerError) -> [Int] {
    if !addsSpecialTokens, !engine.limitsLength {
      return try tokens(of: text, parsesSpecialTokens: parsesSpecialTokens, tracksOffsets: false).ids
    }
    let tokens = try tokens(of: text, parsesSpecialTokens: parsesSpecialTokens, tracksOffsets: false)
    let offsets = Array(repeating: 0..<0, count: tokens.ids.count)
    let encoding = Encoding(ids: tokens.ids, offsets: offsets, typeID: 0)
    return try engine.finish([encoding], sources: [[]], addsSpecialTokens: addsSpecialTokens, keepsOverflow: false).ids
  }

  /// The tokens of a text, or of a pair of texts, with the bytes that each stands for.
  ///
  /// The file's rules for length (truncation and padding) are applied.
  /// - Parameter keepsOverflow: whether `overflow` of the result has what the rule for truncation cuts off.
  /// - Throws: as `encode(_:addsSpecialTokens:parsesSpecialTokens:)`, and if the rules do not fit the text.
  public func encoding(
    of text: String, and second: String? = nil, addsSpecialTokens: Bool = true, parsesSpecialTokens: Bool = false,
    keepsOverflow: Bool = false
  ) throws(TokenizerError) -> Encoding {
    var texts: [Encoding] = []
    for (index, text) in [text, second].enumerated() {
      guard let text else { continue }
      let tokens = try tokens(of: text, parsesSpecialTokens: parsesSpecialTokens, tracksOffsets: true)
      texts.append(Encoding(ids: tokens.ids, offsets: tokens.offsets, typeID: index))
    }
    let sources = [Array(text.utf8)] + (second.map { [Array($0.utf8)] } ?? [])
    return try engine.finish(texts, sources: sources, addsSpecialTokens: addsSpecialTokens, keepsOverflow: keepsOverflow)
  }

  func tokens(
    of text: String, parsesSpecialTokens: Bool, tracksOffsets: Bool
  ) throws(TokenizerError) -> (ids: [Int], offsets: [Range<Int>]) {
    var text = text
    // `withUTF8` passes on no typed error.
    let result = text.withUTF8 { bytes in
      workspaces.withWorkspace { workspace in
        Result { () throws(TokenizerError) in
          try unsafe engine.encode(bytes, parsesSpecialTokens: parsesSpecialTokens, tracksOffsets: tracksOffsets, workspace)
        }
      }
    }
    return try result.get()
  }

  // MARK: Decoding

  /// The text of tokens. Ids without a token are left out; bytes that are no UTF-8 become U+FFFD.
  public func decode(_ ids: [Int], skipsSpecialTokens: Bool = true) -> String {
    String(decoding: engine.decode(ids, skipsSpecialTokens: skipsSpecialTokens), as: UTF8.self)
  }

  /// A decoder for tokens that come one after the other.
  /// - Parameter previous: tokens whose text is known and that those to come continue.
  public func makeIncrementalDecoder(skipsSpecialTokens: Bool = true, following previous: [Int] = []) -> IncrementalDecoder {
    IncrementalDecoder(engine: engine, skipsSpecialTokens: skipsSpecialTokens, previous: previous)
  }

  // MARK: Vocabulary

  /// One more than the largest id.
  public var vocabularySize: Int { engine.idEnd }

  /// The token of an id as the file writes it, such as `Ġthe` or `▁the`; nil if there is none.
  public func token(for id: Int) -> String? { engine.piece(id).map { String(decoding: $0, as: UTF8.self) } }

  /// The bytes of the token of an id as the file has them; nil if there is none.
  public func bytes(for id: Int) -> [UInt8]? { engine.piece(id) }

  /// The id of a token as the file writes it; nil if there is none.
  public func id(of token: String) -> Int? { engine.id(Array(token.utf8)) }

  /// True if a token is special: not text, and left out by `decode(_:skipsSpecialTokens:)`.
  public func isSpecial(_ id: Int) -> Bool { engine.isSpecial(id) }

  /// The token that begins a text, if the file names one.
  public var startID: Int? { engine.startID }

  /// The token that ends a text, if the file names one.
  public var endID: Int? { engine.endID }
}
