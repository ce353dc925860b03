import Martlet
package import MartletTokenizers

/// Continues text with a language model and its tokenizer.
///
/// ```swift
/// let generator = try TextGenerator(model, tokenizer)
/// let generation = try generator.generate("Once upon a time") { print($0, terminator: "") }
/// ```
///
/// A call goes on where the last one ended, until `reset()`. One thread at a time may use a generator, except for `stop()`.
package final class TextGenerator {
  package struct Options: Sendable {
    /// The most tokens to generate; nil for as many as fit.
    package var maximumTokenCount: Int?
    /// The most tokens of the conversation as a whole; nil for as many as fit.
    package var maximumLength: Int?
    package var sampling = Sampler.Settings()
    /// Whether the prompt is the first piece.
    package var echoesPrompt = false
    /// Numbers of start and end tokens around the prompt.
    package var startTokenCount = 0
    package var endTokenCount = 0
    /// Whether tokens that end a text end the generation.
    package var heedsEndTokens = true
    /// Whether the first token is chosen as ExecuTorch's runner does: it is the most likely one whatever the settings, and does not end
    /// the generation.
    package var choosesFirstTokenAsUpstream = false

    package init() {}
  }

  package let session: TokenSession
  package let tokenizer: Tokenizer
  /// The tokens that end a text.
  package let endTokens: Set<Int>
  private var sampler: Sampler

  /// - Parameters:
  ///   - seed: determines tokens that are chosen at random; nil for others each time.
  ///   - chunkLimit: as `TokenSession.init`.
  /// - Throws: `GenerationError` if the tokenizer has tokens that the model has no logits for, and the errors of loading.
  package init(_ model: LanguageModel, _ tokenizer: Tokenizer, seed: UInt64? = nil, chunkLimit: Int? = nil) throws {
    self.tokenizer = tokenizer
    if let count = model.logitCount { try Self.check(tokenizer, logitCount: count, model) }
    session = try TokenSession(model, chunkLimit: chunkLimit)
    endTokens = Set(model.metadata.endTokens ?? [tokenizer.endID].compactMap { $0 })
    sampler = Sampler(vocabularySize: tokenizer.vocabularySize, seed: seed)
  }

  private static func check(_ tokenizer: Tokenizer, logitCount: Int, _ model: LanguageModel) throws(GenerationError) {
    guard tokenizer.vocabularySize <= logitCount else {
      throw GenerationError(
        .invalidModel, file: model.model.name, field: "tokenizer",
        "has ids up to \(tokenizer.vocabularySize - 1), but the model gives \(logitCount) logits")
    }
  }

  package var model: LanguageModel { session.model }

  /// The number of tokens that the model has read.
  package var position: Int { session.position }

  /// Ends a generation after the current token, or after the current chunk of its prompt. Any thread may call this.
  package func stop() { session.stop() }

  /// Forgets the conversation.
  package func reset() throws { try session.reset() }

  /// Continues the conversation by a prompt and what the model says to it.
  ///
  /// - Parameter receive: gets each token's text, in order: `""` while a character is not complete.
  /// - Throws: `GenerationError`, `TokenizerError`, the errors of runs, and those of `receive`. The position is then what it was before.
  @discardableResult
  package func generate(
    _ prompt: String, _ options: Options = Options(), receive: (_ piece: String) throws -> Void
  ) throws -> Generation {
    session.begin()
    return try session.undoing { try generateOnce(prompt, options, receive) }
  }

  private func generateOnce(_ prompt: String, _ options: Options, _ receive: (String) throws -> Void) throws -> Generation {
    let clock = ContinuousClock()
    let begin = clock.now
    var generation = Generation()
    let tokens = try encode(prompt, options)
    generation.statistics.promptTokenCount = tokens.count
    generation.statistics.encodingTime = clock.now - begin
    if options.echoesPrompt { try receive(prompt) }

    let promptBegin = clock.now
    try session.read(tokens)
    try Self.check(tokenizer, logitCount: session.logits.values.count, model)
    generation.statistics.promptTime = clock.now - promptBegin
    guard !session.isStopping else {
      generation.ending = .stopped
      return generation
    }
    let limit = tokenLimit(options)
    guard limit > 0 else {
      throw GenerationError(.invalidArgument, file: model.model.name, "the prompt leaves room for no token: \(limit) are left")
    }
    var decoder = tokenizer.makeIncrementalDecoder(skipsSpecialTokens: false, following: tokens)
    let isAsUpstream = options.choosesFirstTokenAsUpstream
    var token = try sampler.sample(session.logits, isAsUpstream ? Sampler.Settings() : options.sampling)
    generation.statistics.firstTokenTime = clock.now - begin
    generation.statistics.generatedTokenCount = 1
    try receive(piece(token, &decoder))
    guard (0...1).contains(options.sampling.temperature) || !isAsUpstream, options.sampling.temperature >= 0 else {
      throw GenerationError(.invalidArgument, field: "temperature", "is \(options.sampling.temperature)")
    }
    if !isAsUpstream, ends(token, options) {
      generation.ending = .endToken
      return generation
    }
    while generation.statistics.generatedTokenCount < limit {
      if session.isStopping {
        generation.ending = .stopped
        break
      }
      let stepBegin = clock.now
      try session.read(token)
      let sampleBegin = clock.now
      token = try sampler.sample(session.logits, options.sampling)
      let end = clock.now
      generation.statistics.samplingTime += end - sampleBegin
      generation.statistics.generationTime += end - stepBegin
      generation.statistics.generatedTokenCount += 1
      try receive(piece(token, &decoder))
      if ends(token, options) {
        generation.ending = .endToken
        break
      }
    }
    return generation
  }

  private func ends(_ token: Int, _ options: Options) -> Bool { options.heedsEndTokens && endTokens.contains(token) }

  /// The text that a token adds. Special tokens without a text of their own, such as SentencePiece's, are a blank, as upstream has them.
  private func piece(_ token: Int, _ decoder: inout IncrementalDecoder) -> String {
    let text = decoder.append(token)
    return text.isEmpty && decoder.pendingBytes.isEmpty && tokenizer.isSpecial(token) ? " " : text
  }

  /// The number of tokens that may follow the prompt. Where positions are used again, those taken do not count.
  private func tokenLimit(_ options: Options) -> Int {
    let context = model.metadata.maximumContextLength
    let taken = model.metadata.reusesPositions ? 0 : position
    return min(options.maximumTokenCount ?? .max, min(options.maximumLength ?? .max, context) - taken)
  }

  /// The tokens of a prompt.
  private func encode(_ prompt: String, _ options: Options) throws -> [Int] {
    guard !prompt.isEmpty else { throw GenerationError(.nothingToContinue, "the prompt is empty") }
    let context = model.metadata.maximumContextLength
    func repeated(_ token: Int?, _ count: Int, _ name: String) throws(GenerationError) -> [Int] {
      guard count > 0 else { return [] }
      guard count < context else { throw GenerationError(.invalidArgument, field: name, "is \(count)") }
      guard let token else { throw GenerationError(.invalidArgument, field: name, "is \(count), but the tokenizer names no such token") }
      return Array(repeating: token, count: count)
    }
    let tokens =
      try repeated(tokenizer.startID ?? model.metadata.startToken, options.startTokenCount, "number of start tokens")
      + tokenizer.encode(prompt, addsSpecialTokens: false, parsesSpecialTokens: true)
      + repeated(tokenizer.endID ?? model.metadata.endTokens?.first, options.endTokenCount, "number of end tokens")
    guard !tokens.isEmpty else { throw GenerationError(.invalidArgument, "the prompt has no tokens") }
    let taken = model.metadata.reusesPositions ? 0 : position
    guard tokens.count < context - taken else {
      throw GenerationError(
        .invalidArgument, file: model.model.name,
        "a prompt of \(tokens.count) tokens at position \(position) does not fit a context of \(context)")
    }
    return tokens
  }
}
