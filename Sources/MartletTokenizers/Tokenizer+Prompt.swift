extension Tokenizer {
  /// The tokens of a prompt, as ExecuTorch's runner makes them.
  ///
  /// Text that looks like a special token becomes that token, except with SentencePiece and llama2.c, whose files say nothing of special
  /// tokens in text. Rules for length are not applied.
  /// - Parameters:
  ///   - startCount: number of tokens in front that begin a text.
  ///   - endCount: number of tokens behind that end one. For a file of the library `tokenizers`, the numbers do not matter: it has a
  ///     template of its own, which is applied if either is above 0.
  /// - Throws: `TokenizerError` if a word, or the token to begin or end a text, is unknown.
  package func promptTokens(_ text: String, startCount: Int = 0, endCount: Int = 0) throws(TokenizerError) -> [Int] {
    let pipeline = engine as? Pipeline
    let ids = try tokens(of: text, parsesSpecialTokens: pipeline != nil, tracksOffsets: false).ids
    if let pipeline, pipeline.hasTemplate {
      return startCount > 0 || endCount > 0 ? pipeline.templated(ids) : ids
    }
    func repeated(_ id: Int?, _ count: Int, _ field: String) throws(TokenizerError) -> [Int] {
      guard count > 0 else { return [] }
      guard let id else { throw TokenizerError(field: field, "is not named by the tokenizer") }
      return Array(repeating: id, count: count)
    }
    return try repeated(startID, startCount, "start token") + ids + repeated(endID, endCount, "end token")
  }

  /// The token after which ExecuTorch's runner leaves out a blank; nil if there is none.
  package var tokenBeforeNoBlank: Int? { engine is Pipeline ? nil : startID }
}

extension Pipeline {
  /// True for a file of the library `tokenizers`: its post-processors add what begins and ends a text.
  fileprivate var hasTemplate: Bool { if case .ranked = model { false } else { true } }

  /// The tokens of a text among those that post-processors add.
  fileprivate func templated(_ ids: [Int]) -> [Int] {
    var texts = [Encoding(ids: ids, offsets: Array(repeating: 0..<0, count: ids.count), typeID: 0)]
    for postProcessor in postProcessors {
      postProcessor.apply(&texts, sources: [[]], addsSpecialTokens: true) { _, _ in (0, 0) }
    }
    return texts.flatMap(\.ids)
  }
}
