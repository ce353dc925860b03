package import FoundationEssentials
import MartletSystem
package import Martlet
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
    /// True if the prompt is the first piece.
    package var echoesPrompt = false
    /// Numbers of start and end tokens around the prompt, as for `Tokenizer.promptTokens`.
    package var startTokenCount = 0
    package var endTokenCount = 0
    /// True if tokens that end a text end the generation.
    package var heedsEndTokens = true
    /// True if the first token is chosen as ExecuTorch's runner does: it is the most likely one whatever the settings, and does not end
    /// the generation. A temperature above 1 is then an error.
    package var choosesFirstTokenAsUpstream = false

    package init() {}
  }

  /// A model and its tokenizer, before anything is loaded.
  package struct Parts: Sendable {
    package let model: LanguageModel
    package let tokenizer: Tokenizer

    /// Reads both files.
    /// - Parameter specialTokens: those of a tiktoken file, which begin and end a text first; Llama 3's if there are none.
    /// - Throws: `GenerationError` and `MartletError`.
    package init(model: URL, tokenizer: URL, specialTokens: [String] = [], options: ModelOptions = ModelOptions()) throws {
      do {
        self.tokenizer = try Tokenizer(contentsOf: tokenizer, tiktokenSpecialTokens: specialTokens)
      } catch {
        throw GenerationError(.invalidModel, file: error.file, field: error.field, error.reason)
      }
      self.model = try LanguageModel(contentsOf: model, options: options)
    }
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

  package convenience init(_ parts: Parts) throws { try self.init(parts.model, parts.tokenizer) }

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
  /// - Throws: `GenerationError`, the errors of runs, and those of `receive`. The position is then what it was before.
  @discardableResult
  package func generate(
    _ prompt: String, _ options: Options = Options(), receive: (_ piece: String) throws -> Void
  ) throws -> Generation {
    session.begin()
    return try session.undoing {
      let begin = ContinuousClock.now
      let tokens = try encode(prompt, options)
      return try generate(tokens, echo: options.echoesPrompt ? prompt : nil, options, begin: begin, receive)
    }
  }

  /// Continues the conversation by the tokens of a prompt, and nothing around them, and what the model says to it. There is no echo.
  @discardableResult
  package func generate(
    tokens: [Int], _ options: Options = Options(), receive: (_ piece: String) throws -> Void
  ) throws -> Generation {
    session.begin()
    return try session.undoing { try generate(tokens, echo: nil, options, begin: .now, receive) }
  }

  private func generate(
    _ tokens: [Int], echo: String?, _ options: Options, begin: ContinuousClock.Instant, _ receive: (String) throws -> Void
  ) throws -> Generation {
    let clock = ContinuousClock()
    var generation = Generation()
    generation.statistics.promptTokenCount = tokens.count
    generation.statistics.encodingTime = clock.now - begin
    try checkRoom(tokens.count)
    // Upstream looks at the temperature when it has the first token.
    if !options.choosesFirstTokenAsUpstream { try check(options.sampling.temperature, 0...(.greatestFiniteMagnitude)) }
    if let echo { try receive(echo) }

    let promptBegin = clock.now
    try session.read(tokens)
    generation.statistics.promptTime = clock.now - promptBegin
    guard !session.isStopping else {
      generation.ending = .stopped
      return generation
    }
    try Self.check(tokenizer, logitCount: session.logits.values.count, model)
    let limit = tokenLimit(options)
    guard limit > 0 else {
      throw GenerationError(.invalidArgument, file: model.model.name, "the prompt leaves room for no token: \(limit) are left")
    }
    var decoder = tokenizer.makeIncrementalDecoder(skipsSpecialTokens: false, following: tokens)
    let isAsUpstream = options.choosesFirstTokenAsUpstream
    var token = try sample(isAsUpstream ? Sampler.Settings() : options.sampling)
    generation.statistics.firstTokenTime = clock.now - begin
    generation.statistics.generatedTokenCount = 1
    try receive(piece(token, after: token, &decoder))
    if isAsUpstream { try check(options.sampling.temperature, 0...1) }
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
      let previous = token
      token = try sample(options.sampling)
      let end = clock.now
      generation.statistics.samplingTime += end - sampleBegin
      generation.statistics.generationTime += end - stepBegin
      generation.statistics.generatedTokenCount += 1
      try receive(piece(token, after: previous, &decoder))
      if ends(token, options) {
        generation.ending = .endToken
        break
      }
    }
    return generation
  }

  private func check(_ temperature: Float, _ range: ClosedRange<Float>) throws(GenerationError) {
    guard range.contains(temperature) else { throw GenerationError(.invalidArgument, field: "temperature", "is \(temperature)") }
  }

  private func sample(_ settings: Sampler.Settings) throws(GenerationError) -> Int {
    do {
      return try sampler.sample(session.logits, settings)
    } catch {
      throw GenerationError(error.kind, file: model.model.name, field: error.field, error.reason)
    }
  }

  private func ends(_ token: Int, _ options: Options) -> Bool { options.heedsEndTokens && endTokens.contains(token) }

  /// The text that a token adds.
  private func piece(_ token: Int, after previous: Int, _ decoder: inout IncrementalDecoder) -> String {
    let text = decoder.append(token)
    return previous == tokenizer.tokenBeforeNoBlank && text.first == " " ? String(text.dropFirst()) : text
  }

  /// The number of tokens that may follow the prompt. Where positions are used again, those taken do not count.
  private func tokenLimit(_ options: Options) -> Int {
    let context = model.metadata.maximumContextLength
    return min(options.maximumTokenCount ?? .max, max(min(options.maximumLength ?? .max, context), 0) - session.takenCount)
  }

  /// The tokens of a prompt.
  private func encode(_ prompt: String, _ options: Options) throws(GenerationError) -> [Int] {
    guard !prompt.isEmpty else { throw GenerationError(.nothingToContinue, "the prompt is empty") }
    for count in [options.startTokenCount, options.endTokenCount] where count > model.metadata.maximumContextLength {
      throw GenerationError(.invalidArgument, "\(count) tokens around a prompt do not fit the context")
    }
    do {
      return try tokenizer.promptTokens(prompt, startCount: options.startTokenCount, endCount: options.endTokenCount)
    } catch {
      throw GenerationError(.invalidArgument, file: error.file, field: "prompt", error.description)
    }
  }

  /// Checks that there is room for a prompt and a token more.
  private func checkRoom(_ count: Int) throws(GenerationError) {
    guard count > 0 else { throw GenerationError(.invalidArgument, "the prompt has no tokens") }
    let context = model.metadata.maximumContextLength
    guard count < context - session.takenCount else {
      throw GenerationError(
        .invalidArgument, file: model.model.name, "a prompt of \(count) tokens at position \(position) does not fit a context of \(context)"
      )
    }
  }
}
